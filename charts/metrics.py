#!/usr/bin/env python3
"""Do the alerts and the dashboard ask for metrics that there are, by labels and values that they have?

    charts/metrics.py METRICS.md ALERTS.yaml DASHBOARD.json [QUERIES.yaml]

The table of metrics is the page that people read. QUERIES.yaml gets the dashboard's queries as a rule file, so that
promtool can parse them. Prints one line per fault; exit status 1 if there is one.
"""

import json
import re
import sys

SCRAPE = {"job", "instance", "namespace", "pod", "container"}  # What Prometheus adds.
PARTS = {"_bucket": {"le"}, "_sum": set(), "_count": set()}  # Of a histogram.
OWN = {"up": ("gauge", {})}


def table(path):
    """Metric: (type, {label: values, or None where they aren't a fixed set})."""
    metrics = dict(OWN)
    for line in open(path, encoding="utf-8"):
        row = re.match(r"\| `(\w+)` \| (counter|gauge|histogram) \| (.*?) \| ", line)
        if row:
            labels = {}
            for text in filter(None, row[3].split("; ")):
                name, _, values = text.partition(" = ")
                labels[re.match(r"`(\w+)`", name)[1]] = set(values.split(", ")) if values else None
            metrics[row[1]] = (row[2], labels)
    return metrics


def found(metrics, name):
    """(type, labels) of a series' name; of a part of a histogram: a counter."""
    if name in metrics:
        return metrics[name]
    for part, more in PARTS.items():
        whole = metrics.get(name.removesuffix(part))
        if name.endswith(part) and whole and whole[0] == "histogram":
            return "counter", {**whole[1], **{label: None for label in more}}
    return None


def names_in(query):
    return re.findall(r"\b(?:echelon|process)_\w+\b|\bup\b", query)


def faults_of(metrics, query):
    """What is wrong with one query."""
    faults = []
    labels_of_query = set(SCRAPE)
    for name in names_in(query):
        metric = found(metrics, name)
        if not metric:
            faults.append(f"there is no metric {name}")
            continue
        labels_of_query |= set(metric[1])
        if metric[0] == "histogram":
            faults.append(f"{name} is a histogram: it has buckets, a sum and a count")
        counts = re.search(rf"\b(rate|increase|irate)\(\s*{name}\b", query)
        if counts and metric[0] != "counter":
            faults.append(f"{counts[1]} of {name}, which is a {metric[0]}")
    for name, selector in re.findall(r"\b((?:echelon|process)_\w+|up)\{([^}]*)\}", query):
        metric = found(metrics, name)
        for label, operator, wanted in re.findall(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"', selector) if metric else []:
            if label not in metric[1] and label not in SCRAPE:
                faults.append(f"{name} has no label {label}")
            values = metric[1].get(label)
            for value in wanted.split("|") if values else []:
                if value not in values:
                    faults.append(f"{label} of {name} is never {value}")
    for _, labels in re.findall(r"\b(by|on|without|ignoring)\s*\(([^)]*)\)", query):
        for label in filter(None, (part.strip() for part in labels.split(","))):
            if label not in labels_of_query:
                faults.append(f"nothing that is asked for has the label {label}")
    if not names_in(query):
        faults.append("no metric is asked for")
    return faults


def alert_queries(path):
    """Every alert's name and expression; the form of the file is our own."""
    text = open(path, encoding="utf-8").read()
    queries = []
    for name, inline, block in re.findall(
        r"- alert: (\w+)\n    expr: (?:>-\n((?:      .*\n)+)|(.*)\n)", text
    ):
        queries.append((name, " ".join((inline or block).split())))
    if len(queries) != text.count("- alert:"):
        sys.exit(f"{path}: not every alert could be read")
    return queries


def panels_of(panels):
    for panel in panels:
        yield panel
        yield from panels_of(panel.get("panels", []))


def dashboard_queries(path):
    dashboard = json.load(open(path, encoding="utf-8"))
    queries = []
    for panel in panels_of(dashboard["panels"]):
        for target in panel.get("targets", []):
            queries.append((panel["title"], target["expr"]))
        if panel["type"] != "row" and not panel.get("targets"):
            sys.exit(f"{path}: the panel {panel['title']} asks for nothing")
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            queries.append((variable["name"], re.sub(r"label_values\((.*), (\w+)\)", r"max by (\2) (\1)", variable["definition"])))
    return queries


def as_rules(queries):
    """Each query as a recording rule, with Grafana's variables filled in."""
    lines = ["groups:", "- name: dashboard", "  rules:"]
    for number, (_, query) in enumerate(queries):
        plain = query.replace("$__rate_interval", "5m").replace("$__range", "6h").replace("$instance", ".*")
        lines += [f"  - record: query:{number}", f"    expr: {json.dumps(plain)}"]
    return "\n".join(lines) + "\n"


def main():
    metrics = table(sys.argv[1])
    if len(metrics) < 20:
        sys.exit(f"{sys.argv[1]}: only {len(metrics)} metrics could be read")
    drawn = dashboard_queries(sys.argv[3])
    faults = 0
    for where, query in alert_queries(sys.argv[2]) + drawn:
        for fault in faults_of(metrics, query):
            print(f"{where}: {fault}")
            faults += 1
    if len(sys.argv) > 4:
        open(sys.argv[4], "w", encoding="utf-8").write(as_rules(drawn))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

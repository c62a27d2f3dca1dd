"""How does a report on a dialect's objects read in the words of the case? Names that nobody wrote are problems."""


def in_words_of_the_case(report, written):
    """Translates the report in place; returns the problems."""
    problems, reported = [], set()
    for gang in report["gangs"]:
        if gang["gang"] not in written.gangs:
            problems.append(f"nobody wrote the gang {gang['gang']}")
            continue
        gang["gang"] = written.full(written.gangs[gang["gang"]])
        for seat in gang.get("seats") or ():
            problems += translate_seat(seat, written)
        lines = gang.get("groups") or ()
        reported.update(line["group"] for line in lines)
        for line in lines:
            problems += faults_of(line, written)
        gang["groups"] = [line for line in lines if translate_line(line, written)]
    return problems + [f"no line tells of the group {name}" for name in sorted(set(written.lines) - reported)]


def translate_seat(seat, written):
    pod = seat["pod"].removeprefix(written.namespace + "/")
    if pod not in written.leaf_of:
        return []  # The referee knows which pods there are.
    report_leaf, leaf = written.leaf_of[pod]
    found, seat["group"] = seat["group"], written.full(leaf)
    return [] if found == report_leaf else [f"{pod} is seated in {found}, not {report_leaf}"]


def faults_of(line, written):
    known = written.lines.get(line["group"])
    if known is None:
        return [f"nobody wrote the group {line['group']}"]
    if line["minimum"] != known.minimum:
        return [f"group {line['group']}: minimum {line['minimum']}, not {known.minimum} as its object says"]
    return []


def translate_line(line, written):
    """False: the case has no such group."""
    known = written.lines.get(line["group"])
    if known is None or known.group is None:
        return False
    line["group"] = written.full(known.group)
    line["domain"] = translated_path(line["domain"], written)
    if not known.is_same:
        del line["minimum"]  # The referee would compare it with the case's.
    return True


def translated_path(path, written):
    parts = path.split("/") if path else []
    return "/".join(written.place_of.get((depth, part), part) for depth, part in enumerate(parts))

#!/usr/bin/env python3
"""Prints docs/values.md: every value of the chart, from the comments of values.yaml and from values.schema.json.

    charts/values.py CHART-FOLDER

Fails when a value has no comment, no place in the schema, or when the schema has one that values.yaml lacks.
"""

import json
import re
import sys

HEAD = """# Values of the chart

Every value of [charts/echelon](../charts/echelon), with its default. This page is made by `charts/test.sh --accept` from the comments of
`values.yaml` and from `values.schema.json`, which refuses every other key; a test compares.

| value | default | may be | what it is |
|---|---|---|---|
"""


def rows_of(path):
    """(path, default, text) of each value that is no mere folder of others; and the texts of the folders."""
    rows, folders, comment, open_keys = [], {}, [], []
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.rstrip()
        if not line:
            comment = []
        elif line.lstrip().startswith("#"):
            comment.append(line.lstrip()[1:].strip())
        else:
            key = re.match(r"( *)(\w+):(?: (.*?))?(?: +# (.*))?$", line)
            if not key:
                sys.exit(f"{path}:{number}: not understood: {line}")
            depth = len(key[1]) // 2
            open_keys = open_keys[:depth] + [key[2]]
            if key[4]:
                comment.append(key[4])
            text, comment = " ".join(comment), []
            if key[3] is None:
                folders[tuple(open_keys)] = text
            else:
                rows.append((tuple(open_keys), key[3], text))
    return rows, folders


def resolved(schema, node):
    while "$ref" in node:
        node = schema["definitions"][node["$ref"].rsplit("/", 1)[1]]
    if "allOf" in node:
        merged = {}
        for part in node["allOf"]:
            merged = {**resolved(schema, part), **merged}
        return merged
    return node


def at(schema, path):
    """The schema of a value; None when it has no place there."""
    node = schema
    for key in path:
        node = resolved(schema, node)
        node = node.get("properties", {}).get(key)
        if node is None:
            return None
    return resolved(schema, node)


def leaves(schema, node, path=()):
    """Every value that the schema knows, as deep as its keys are fixed."""
    node = resolved(schema, node)
    keys = node.get("properties")
    if not keys:
        yield path
        return
    for key, child in keys.items():
        yield from leaves(schema, child, path + (key,))


def allowed(schema, node):
    if "enum" in node:
        return ", ".join(f"`{json.dumps(value).strip(chr(34))}`" for value in node["enum"])
    kind = node.get("type", "anything")
    kind = " or ".join(kind) if isinstance(kind, list) else kind
    if kind == "integer" and "minimum" in node:
        return f"{node['minimum']} to {node['maximum']}" if "maximum" in node else f"{node['minimum']} or more"
    if "$ref" in json.dumps(node.get("items", {})) or kind == "array":
        return "list"
    if node.get("pattern", "").endswith("(ms|s|m|h))+$") or "(ms|s|m)$" in node.get("pattern", ""):
        return "duration"
    return {"boolean": "`true`, `false`", "object": "map", "string": "text"}.get(kind, kind)


def main():
    folder = sys.argv[1]
    schema = json.load(open(f"{folder}/values.schema.json", encoding="utf-8"))
    rows, folders = rows_of(f"{folder}/values.yaml")
    faults = []
    print(HEAD, end="")
    for path, default, text in rows:
        name = ".".join(path)
        text = text or folders.get(path[:-1], "")
        node = at(schema, path)
        if not text:
            faults.append(f"{name} has no comment")
        if node is None:
            faults.append(f"{name} isn't in the schema")
            continue
        print(f"| `{name}` | `{default}` | {allowed(schema, node)} | {text} |")
    known = {path for path, _, _ in rows}
    for path in leaves(schema, schema):
        if path != ("global",) and not any(path[: len(k)] == k or k[: len(path)] == path for k in known):
            faults.append(f"{'.'.join(path)} is in the schema, but not in values.yaml")
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

"""What does a group of a case say? Groups are dicts as the case files have them."""

HOST = "kubernetes.io/hostname"
OVER = ("Succeeded", "Failed")


def is_leaf(group):
    return "children" not in group


def walk(group):
    yield group
    for child in group.get("children", ()):
        yield from walk(child)


def leaves_of(group):
    return [found for found in walk(group) if is_leaf(found)]


def need(group):
    """The minimum as a number: the basic policy needs one."""
    return 1 if group["min"] == "basic" else group["min"]


def needs_all(group):
    return need(group) == len(group["children"])


def waiting_pods(leaf):
    """[(name, entry)] of the pods to be placed, named and ordered as the case format has it."""
    pods = []
    for entry in leaf.get("pods", ()):
        count = entry.get("count", 1)
        if "name" in entry:
            names = [entry["name"]] if count == 1 else [f"{entry['name']}-{k}" for k in range(count)]
        else:
            names = [f"{leaf['name']}-{len(pods) + k}" for k in range(count)]
        pods += [(name, entry) for name in names]
    return pods


def running_members(case, leaf):
    return [pod for pod in case.get("running", ()) if pod.get("group") == leaf["name"]]


def occupies(pod):
    return bool(pod.get("node")) and pod.get("phase", "Running") not in OVER


def size_of(case, leaf):
    """How many pods the leaf has, those included that run."""
    return len(waiting_pods(leaf)) + sum(map(occupies, running_members(case, leaf)))


def shapes_of(case, leaf):
    """What tells the pods of a leaf apart, beside their names; one entry: they are alike."""
    entries = [entry for _, entry in waiting_pods(leaf)] + running_members(case, leaf)
    shapes = []
    for entry in entries:
        shape = {key: entry.get(key) or None for key in ("requests", "nodeSelector", "tolerations")}
        if shape not in shapes:
            shapes.append(shape)
    return shapes


def is_implied(case, level, around):
    """Everything inside one domain of `around` is inside one of `level`."""
    levels = case["levels"]
    return level is None or (around in levels and level in levels and levels.index(level) <= levels.index(around))

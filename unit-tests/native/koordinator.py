"""How is a case said in Koordinator: PodGroups that list each other or take lots, layers of a ClusterNetworkTopology?

Two wordings: a gang group, in which a tree of groups that are all needed lies flat; and lots of pods, for a tree whose
leaves are alike, as one PodGroup with podCountMultiple.
"""

import json

import tree
from written import CantBeSaid, Line, Written

PREFIX = "gang.scheduling.koordinator.sh/"
EVERYWHERE = "ClusterTopologyLayer"


def layer_of(level):
    return "NodeTopologyLayer" if level == tree.HOST else level.rpartition("/")[2] + "Layer"


def must(level):
    return {"layer": layer_of(level), "strategy": "MustGather"}


def prefer(level):
    return {"layer": layer_of(level), "strategy": "PreferGather"}


def add_layers(written):
    layers, parent = [], EVERYWHERE
    for level in written.case["levels"]:
        layers.append({"topologyLayer": layer_of(level), "parentTopologyLayer": parent, "labelKey": [level]})
        parent = layer_of(level)
    metadata = written.metadata("default", is_cluster_wide=True)
    spec = {"networkTopologySpec": layers}
    written.add("scheduling.koordinator.sh/v1alpha1", "ClusterNetworkTopology", metadata, spec=spec)


def add_pod_group(written, root, name, minimum, total, gather, groups=()):
    annotations = {PREFIX + "total-number": str(total)}
    if gather:
        annotations[PREFIX + "network-topology-spec"] = json.dumps({"gatherStrategy": gather})
    if groups:
        annotations[PREFIX + "groups"] = json.dumps(groups)
    metadata = written.metadata(name, root.get("created", 0), annotations=annotations)
    written.add("scheduling.sigs.k8s.io/v1alpha1", "PodGroup", metadata, spec={"minMember": minimum})


def marks_of(name, first=0):
    """Pods of a PodGroup, numbered from `first` on."""
    labels = {"pod-group.scheduling.sigs.k8s.io": name}
    return lambda rank: (labels, {PREFIX + "network-topology-index": str(first + rank)})


def check_lies_flat(root):
    for group in tree.walk(root):
        if tree.is_leaf(group):
            continue
        if not tree.needs_all(group):
            count = len(group["children"])
            raise CantBeSaid(f"{group['name']} needs {group['min']} of {count} groups; a gang group needs all")
        if group is not root and (group.get("required") or group.get("preferred")):
            raise CantBeSaid(f"{group['name']} has a level; between the gang group and its PodGroups there is nothing")


def narrowest(case, levels):
    """None: there are none. A level that isn't known is narrower than all."""
    known = case["levels"]
    return max(levels, key=lambda level: known.index(level) if level in known else len(known), default=None)


def widest(case, levels):
    """None: one of them is missing."""
    known = case["levels"]
    return None if None in levels else min(levels, key=lambda level: known.index(level) if level in known else 0)


def gathers_of(case, root, leaves):
    """Leaf -> gatherStrategy. What all gangs of a group ask for binds the group, at the widest of their levels."""
    gathers = {leaf["name"]: [] for leaf in leaves}
    for word, entry in (("required", must), ("preferred", prefer)):
        levels = {}
        for leaf in leaves:
            both = {group.get(word) for group in (root, leaf)} - {None}
            levels[leaf["name"]] = narrowest(case, both)
        of_all = widest(case, list(levels.values()))
        if len(leaves) > 1 and of_all != root.get(word):
            raise CantBeSaid(f"every group of {root['name']} has a {word} level: {of_all} would bind them all together")
        for name, level in levels.items():
            gathers[name] += [entry(level)] if level else []
    return gathers


def add_gang_group(written, root):
    check_lies_flat(root)
    leaves = tree.leaves_of(root)
    gathers = gathers_of(written.case, root, leaves)
    names = sorted(written.full(leaf["name"]) for leaf in leaves)
    written.gangs[",".join(names)] = root["name"]
    if len(leaves) > 1:
        is_same = all(map(tree.is_leaf, root["children"]))
        written.lines[",".join(names)] = Line(root["name"], len(leaves), is_same)
    for leaf in leaves:
        name = leaf["name"]
        written.lines[written.full(name)] = Line(name, tree.need(leaf))
        groups = names if len(leaves) > 1 else ()
        add_pod_group(written, root, name, tree.need(leaf), tree.size_of(written.case, leaf), gathers[name], groups)
        written.add_members(root, leaf, written.full(name), marks_of(name))


def check_takes_lots(written, root):
    name = root["name"]
    if tree.is_leaf(root) or not all(map(tree.is_leaf, root["children"])) or not tree.needs_all(root):
        raise CantBeSaid(f"{name} isn't made of lots, all of them needed")
    lots = {(tree.need(leaf), tree.size_of(written.case, leaf), leaf.get("required"), leaf.get("preferred"))
            for leaf in root["children"]}
    shapes = [shape for leaf in root["children"] for shape in tree.shapes_of(written.case, leaf)]
    minimum, size, required, preferred = next(iter(lots))
    if size < 2:
        raise CantBeSaid(f"the lots of {name} are single pods, which is no rule")
    if any(tree.running_members(written.case, leaf) for leaf in root["children"]):
        raise CantBeSaid(f"members of {name} run; lots are counted in pods to be placed")
    if len(lots) > 1 or any(shape != shapes[0] for shape in shapes) or minimum != size or not required or preferred:
        raise CantBeSaid(f"the lots of {name} are unlike, in no one domain, or more than their minimum")


def add_lots(written, root):
    check_takes_lots(written, root)
    name, lots = root["name"], root["children"]
    size = tree.need(lots[0])
    gather = [{**prefer(lots[0]["required"]), "podCountMultiple": size}]
    gather += [entry(root[word]) for word, entry in (("required", must), ("preferred", prefer)) if root.get(word)]
    written.gangs[written.full(name)] = name
    written.lines[written.full(name)] = Line(name, size * len(lots), is_same=False)
    add_pod_group(written, root, name, size * len(lots), size * len(lots), gather)
    for number, leaf in enumerate(lots):
        written.add_members(root, leaf, written.full(name), marks_of(name, number * size))


def writer(add):
    def write(case):
        written = Written(case)
        written.add_nodes()
        add_layers(written)
        written.add_bystanders()
        for root in case["gangs"]:
            add(written, root)
        return written
    return write


WORDINGS = {"gang group": writer(add_gang_group), "lots": writer(add_lots)}

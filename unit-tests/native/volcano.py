"""How is a case said in Volcano: PodGroups with networkTopology, policies or tasks, and HyperNodes for the levels?

A HyperNode is named after its path, since equal names in two places would be one. Three wordings: by tier, by the
tier's name, and with tasks instead of policies.
"""

import dataclasses

import tree
from written import CantBeSaid, Line, Written

GROUP = "scheduling.volcano.sh/v1beta1"
TOPOLOGY = "topology.volcano.sh/v1alpha1"
TASK = "volcano.sh/task-spec"
ROLE, PART = "example.com/role", "example.com/part"
BELOW_EVERY_TIER = 0


@dataclasses.dataclass
class Policy:
    name: str
    group: str | None  # The composite of the case; None: the case has only a leaf.
    minimum: int
    is_same: bool
    leaves: list


def tiers_of(case):
    """Level -> tier. Tiers count from the narrowest up; every host is below them."""
    levels = [level for level in case["levels"] if level != tree.HOST]
    return {level: len(levels) - depth for depth, level in enumerate(levels)}


def path_of(case, node):
    path = []
    for level in tiers_of(case):
        if level not in node.get("labels", {}):
            break
        path.append(node["labels"][level])
    return tuple(path)


def add_hypernodes(written, selector):
    members = {}  # Path -> [(type, name)].
    for node in written.case["nodes"]:
        path = path_of(written.case, node)
        members.setdefault(path, []).append(("Node", node["name"]))
        for depth in range(len(path), 0, -1):
            below, around = ("HyperNode", ".".join(path[:depth])), members.setdefault(path[: depth - 1], [])
            if below not in around:
                around.append(below)
    levels = list(tiers_of(written.case).items())
    for path in filter(None, sorted(members)):
        level, tier = levels[len(path) - 1]
        name = ".".join(path)
        written.place_of[len(path) - 1, name] = path[-1]
        spec = {"tier": tier, "tierName": level, "members": [member(*what, selector) for what in members[path]]}
        written.add(TOPOLOGY, "HyperNode", written.metadata(name, is_cluster_wide=True), spec=spec)


def member(kind, name, selector):
    if kind == "HyperNode" or selector == "exactMatch":
        return {"type": kind, "selector": {"exactMatch": {"name": name}}}
    return {"type": kind, "selector": {"regexMatch": {"pattern": f"^{name}$"}}}


def network_topology(case, group, wording):
    """The field for a group, as a dict with it or without."""
    required, preferred = group.get("required"), group.get("preferred")
    if required and preferred:
        raise CantBeSaid(f"{group['name']} requires a level and prefers one; a networkTopology is hard or soft")
    tiers = tiers_of(case)
    if preferred:
        if tiers.get(preferred) != 1:
            raise CantBeSaid(f"{group['name']} prefers {preferred}; soft means the narrowest tier")
        return {"networkTopology": {"mode": "soft"}}
    if not required:
        return {}
    if required == tree.HOST:
        raise CantBeSaid(f"{group['name']} requires one host; HyperNodes end above it")
    if wording == "by name":
        return {"networkTopology": {"mode": "hard", "highestTierName": required}}
    return {"networkTopology": {"highestTierAllowed": tiers.get(required, BELOW_EVERY_TIER)}}


def are_alike(leaves):
    return len({(tree.need(leaf), leaf.get("required"), leaf.get("preferred")) for leaf in leaves}) == 1


def policies_of(root):
    """The children of a root as policies, all of which Volcano needs; or all leaves of a kind as one policy."""
    children = root["children"]
    if all(map(tree.is_leaf, children)) and are_alike(children):
        return [Policy("part", root["name"], tree.need(root), True, children)]
    if not tree.needs_all(root):
        count = len(children)
        raise CantBeSaid(f"{root['name']} needs {root['min']} of {count} unlike groups; policies are all needed")
    policies = []
    for child in children:
        if tree.is_leaf(child):
            policies.append(Policy(child["name"], None, 1, False, [child]))
            continue
        if child.get("required") or child.get("preferred"):
            raise CantBeSaid(f"{child['name']} has a level; that of a policy binds its sub-groups one by one")
        if not all(map(tree.is_leaf, child["children"])):
            raise CantBeSaid(f"{child['name']} has groups of groups; below a policy there are sub-groups only")
        if not are_alike(child["children"]):
            raise CantBeSaid(f"the parts of {child['name']} are unlike; sub-groups have one size and one level")
        policies.append(Policy(child["name"], child["name"], tree.need(child), True, child["children"]))
    return policies


def add_policies(written, root, wording):
    policies = policies_of(root)
    spec = {"subGroupPolicy": [], "minMember": 0}
    has_own_root = [policy.group for policy in policies] == [root["name"]]
    written.lines[written.full(root["name"])] = Line(root["name"], len(policies), not has_own_root)
    for policy in policies:
        leaf = policy.leaves[0]
        spec["minMember"] += policy.minimum * tree.need(leaf)
        spec["subGroupPolicy"].append({
            "name": policy.name, "labelSelector": {"matchLabels": {ROLE: policy.name}}, "matchLabelKeys": [PART],
            "subGroupSize": tree.need(leaf), "minSubGroups": policy.minimum,
            **network_topology(written.case, leaf, wording)})
        name = written.full(root["name"], policy.name)
        written.lines[name] = Line(policy.group, policy.minimum, policy.is_same)
        for leaf in policy.leaves:
            written.lines[f"{name}/{leaf['name']}"] = Line(leaf["name"], tree.need(leaf))
    return spec, {leaf["name"]: (policy, leaf) for policy in policies for leaf in policy.leaves}


def add_group(written, root, wording):
    """The PodGroup of a root, and its pods."""
    name = root["name"]
    annotations = {"scheduling.k8s.io/group-name": name}
    written.gangs[written.full(name)] = name
    if tree.is_leaf(root):
        written.lines[written.full(name)] = Line(name, tree.need(root))
        spec, leaves = {"minMember": tree.need(root)}, {}
    else:
        spec, leaves = add_policies(written, root, wording)
    spec |= network_topology(written.case, root, wording)
    written.add(GROUP, "PodGroup", written.metadata(name, root.get("created", 0)), spec=spec)
    if tree.is_leaf(root):
        written.add_members(root, root, written.full(name), lambda rank: ({}, annotations))
    for policy, leaf in leaves.values():
        labels = {ROLE: policy.name, PART: leaf["name"]}
        marks = (labels, annotations)
        written.add_members(root, leaf, written.full(name, policy.name, leaf["name"]), lambda rank, marks=marks: marks)


def add_tasks(written, root, wording):
    """minTaskMember: every task is needed, and none has a level."""
    name = root["name"]
    if tree.is_leaf(root) or not all(map(tree.is_leaf, root["children"])):
        raise CantBeSaid(f"{name} isn't made of tasks")
    if not tree.needs_all(root):
        raise CantBeSaid(f"{name} needs {root['min']} of {len(root['children'])} groups; tasks are all needed")
    for leaf in root["children"]:
        if leaf.get("required") or leaf.get("preferred"):
            raise CantBeSaid(f"{leaf['name']} has a level; tasks have none")
    tasks = {leaf["name"]: tree.need(leaf) for leaf in root["children"]}
    spec = {"minMember": sum(tasks.values()), "minTaskMember": tasks, **network_topology(written.case, root, wording)}
    written.gangs[written.full(name)] = name
    written.lines[written.full(name)] = Line(name, len(tasks))
    written.add(GROUP, "PodGroup", written.metadata(name, root.get("created", 0)), spec=spec)
    for leaf in root["children"]:
        report_leaf = written.full(name, leaf["name"])
        written.lines[report_leaf] = Line(leaf["name"], tree.need(leaf))
        marks = {TASK: leaf["name"]}, {"scheduling.k8s.io/group-name": name}
        written.add_members(root, leaf, report_leaf, lambda rank, marks=marks: marks)


def writer(wording, add, selector):
    def write(case):
        written = Written(case)
        written.add_nodes(has_levels=False)
        add_hypernodes(written, selector)
        written.add_bystanders()
        for root in case["gangs"]:
            add(written, root, wording)
        return written
    return write


WORDINGS = {
    "by tier": writer("by tier", add_group, "exactMatch"),
    "by name": writer("by name", add_group, "regexMatch"),
    "tasks": writer("by tier", add_tasks, "exactMatch"),
}

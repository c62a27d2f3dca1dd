"""How is a case said in Grove: PodGangs with group configs and pack constraints, a ClusterTopologyBinding?"""

import tree
from written import CantBeSaid, Line, Written

TOPOLOGY = "levels"


def pack_of(group):
    pack = {word: group[word] for word in ("required", "preferred") if group.get(word)}
    return {"topologyConstraint": {"packConstraint": pack}} if pack else {}


def check(root):
    for group in tree.walk(root):
        if tree.is_leaf(group):
            continue
        if not tree.needs_all(group):
            count = len(group["children"])
            raise CantBeSaid(f"{group['name']} needs {group['min']} of {count} groups; Grove needs all")
        if group is not root and not all(map(tree.is_leaf, group["children"])):
            raise CantBeSaid(f"{group['name']} has groups of groups; a group config names podgroups only")


def podgroup_of(written, leaf, is_root):
    references = [name for name, _ in tree.waiting_pods(leaf)]
    references += [pod["name"] for pod in tree.running_members(written.case, leaf) if tree.occupies(pod)]
    podgroup = {"name": leaf["name"], "minReplicas": tree.need(leaf),
                "podReferences": [{"namespace": written.namespace, "name": name} for name in references]}
    return podgroup if is_root else podgroup | pack_of(leaf)


def add_gang(written, root):
    check(root)
    name = root["name"]
    leaves = tree.leaves_of(root)
    spec = {"podgroups": [podgroup_of(written, leaf, leaf is root) for leaf in leaves], **pack_of(root)}
    written.gangs[written.full(name)] = name
    if tree.is_leaf(root):
        written.lines[written.full(name)] = Line(None, 1)
    else:
        written.lines[written.full(name)] = Line(name, len(root["children"]))
        configs = [child for child in root["children"] if not tree.is_leaf(child)]
        spec["topologyConstraintGroupConfigs"] = [
            {"name": group["name"], "podGroupNames": [leaf["name"] for leaf in group["children"]], **pack_of(group)}
            for group in configs]
        for group in configs:
            written.lines[written.full(name, group["name"])] = Line(group["name"], len(group["children"]))
    metadata = written.metadata(name, root.get("created", 0), annotations={"grove.io/topology-name": TOPOLOGY})
    written.add("scheduler.grove.io/v1alpha1", "PodGang", metadata, spec=spec)
    for leaf in leaves:
        report_leaf = written.full(name, leaf["name"])
        written.lines[report_leaf] = Line(leaf["name"], tree.need(leaf))
        labels = {"grove.io/podgang": name, "grove.io/podclique": leaf["name"]}
        written.add_members(root, leaf, report_leaf,
                            lambda rank: ({**labels, "grove.io/podclique-pod-index": str(rank)}, {}))


def write(case):
    written = Written(case)
    written.add_nodes()
    levels = [{"domain": level.rpartition("/")[2], "key": level} for level in case["levels"]]
    metadata = written.metadata(TOPOLOGY, is_cluster_wide=True)
    written.add("grove.io/v1alpha1", "ClusterTopologyBinding", metadata, spec={"levels": levels})
    written.add_bystanders()
    for root in case["gangs"]:
        add_gang(written, root)
    return written


WORDINGS = {"PodGang": write}

"""How is a case said in Kueue: PodSets of a Workload, or a group of plain pods, with wishes for levels and slices?

Two wordings: a Workload, whose children are PodSets where they can be, else slices of one; and a pod group, which is
one PodSet without a Workload.
"""

import dataclasses
import json

import tree
from written import CantBeSaid, Line, Written

PREFIX = "kueue.x-k8s.io/"
MOST_SLICES = 3


@dataclasses.dataclass
class PodSet:
    name: str
    group: dict  # What it is in the case: a leaf, or a composite of slices.
    leaves: list
    wishes: dict  # Annotations.
    count: int


def wishes_of(group):
    if group.get("required") and group.get("preferred"):
        raise CantBeSaid(f"{group['name']} requires a level and prefers one; Kueue takes one of the two wishes")
    return {f"{PREFIX}podset-{word}-topology": group[word] for word in ("required", "preferred") if group.get(word)}


def check_is_whole(case, leaves):
    for leaf in leaves:
        if tree.need(leaf) != tree.size_of(case, leaf):
            size = tree.size_of(case, leaf)
            raise CantBeSaid(f"{leaf['name']} needs {leaf['min']} of {size} pods; a PodSet needs all")
    shapes = [shape for leaf in leaves for shape in tree.shapes_of(case, leaf)]
    if any(shape != shapes[0] for shape in shapes):
        raise CantBeSaid(f"the pods of {leaves[0]['name']} are unlike; a PodSet has one template")


def pods_of(case, group):
    return sum(tree.size_of(case, leaf) for leaf in tree.leaves_of(group))


def slices_of(case, group):
    """[(level, pods)] of the slices that a composite consists of, coarse to fine."""
    slices, parts = [], [group]
    while not all(map(tree.is_leaf, parts)):
        if any(tree.is_leaf(part) or not tree.needs_all(part) for part in parts):
            raise CantBeSaid(f"{group['name']} has unlike parts, or needs a few of them; slices are alike")
        parts = [child for part in parts for child in part["children"]]
        kinds = {(part.get("required"), pods_of(case, part)) for part in parts}
        level, size = next(iter(kinds))
        if len(kinds) > 1 or not level or any(part.get("preferred") for part in parts):
            raise CantBeSaid(f"the parts of {group['name']} are unlike or have no level; slices are alike")
        slices.append((level, size))
    if len(slices) > MOST_SLICES:
        raise CantBeSaid(f"{group['name']} has slices {len(slices)} deep")
    return slices


def slice_wishes(slices):
    if len(slices) == 1:
        (level, size), = slices
        return {PREFIX + "podset-slice-required-topology": level, PREFIX + "podset-slice-size": str(size)}
    return {PREFIX + "podset-slice-required-topology-constraints":
            json.dumps([{"topology": level, "size": size} for level, size in slices])}


def one_pod_set(case, group, name):
    leaves = tree.leaves_of(group)
    check_is_whole(case, leaves)
    wishes = wishes_of(group)
    if not tree.is_leaf(group):
        wishes |= slice_wishes(slices_of(case, group))
    return PodSet(name, group, leaves, wishes, pods_of(case, group))


def pair_of(case, root):
    """A leader and its workers as two PodSets that have the root's wish in common; else an empty list."""
    children = root["children"]
    sizes = [tree.size_of(case, child) if tree.is_leaf(child) else 0 for child in children]
    if len(children) != 2 or 0 in sizes or 1 not in sizes or not tree.needs_all(root):
        return []
    def has_own_wish(child):
        return child.get("preferred") or not tree.is_implied(case, child.get("required"), root.get("required"))
    if not wishes_of(root) or any(map(has_own_wish, children)):
        return []
    pair = [one_pod_set(case, {**child, "required": None}, child["name"]) for child in children]
    for pod_set in pair:
        pod_set.wishes = {**wishes_of(root), PREFIX + "podset-group-name": "pair"}
    return pair


def pod_sets_of(case, root):
    """(PodSets, whether they are a pair)."""
    if tree.is_leaf(root):
        return [one_pod_set(case, root, "main")], False
    if pair := pair_of(case, root):
        return pair, True
    if not wishes_of(root) and tree.needs_all(root):
        return [one_pod_set(case, child, child["name"]) for child in root["children"]], False
    return [one_pod_set(case, root, "main")], False


def add_group(written, root, group, name, first, marks):
    """Lines and members of a PodSet or a slice, which is called `name` and begins at rank `first`."""
    is_cut = not tree.is_leaf(group) and all(pods_of(written.case, child) > 1 for child in group["children"])
    pods = pods_of(written.case, group)
    minimum = len(group["children"]) if is_cut else pods
    written.lines[name] = Line(group["name"], minimum, is_cut or tree.is_leaf(group))
    for index, part in enumerate(group["children"] if is_cut else tree.leaves_of(group)):
        if is_cut:
            add_group(written, root, part, f"{name}/{index}", first, marks)
        else:
            written.add_members(root, part, name, lambda rank, first=first: marks(first + rank))
        first += pods_of(written.case, part)


def add_pod_set(written, root, pod_set, report_name, labels, annotations, index_label):
    add_group(written, root, pod_set.group, report_name, 0,
              lambda rank: ({**labels, index_label: str(rank)}, annotations))


def add_workload(written, root):
    pod_sets, is_pair = pod_sets_of(written.case, root)
    name = root["name"]
    written.gangs[written.full(name)] = name
    is_one = len(pod_sets) == 1 or is_pair
    counted = 1 if is_one else len(pod_sets)
    written.lines[written.full(name)] = Line(None if tree.is_leaf(root) else name, counted, not is_one)
    if is_pair:
        written.lines[written.full(name, "pair")] = Line(name, 2)
    specs = [{"name": pod_set.name, "count": pod_set.count,
              "template": {"metadata": {"annotations": pod_set.wishes}, "spec": {"containers": []}}}
             for pod_set in pod_sets]
    metadata = written.metadata(name, root.get("created", 0))
    written.add(PREFIX + "v1beta2", "Workload", metadata, spec={"podSets": specs})
    for pod_set in pod_sets:
        annotations = {PREFIX + "workload": name, **pod_set.wishes}
        add_pod_set(written, root, pod_set, written.full(name, pod_set.name), {PREFIX + "podset": pod_set.name},
                    annotations, "batch.kubernetes.io/job-completion-index")


def add_pod_group(written, root):
    name = root["name"]
    pod_set = one_pod_set(written.case, root, name)
    written.gangs[written.full(name)] = name
    annotations = {PREFIX + "pod-group-total-count": str(pod_set.count), **pod_set.wishes}
    add_pod_set(written, root, pod_set, written.full(name), {PREFIX + "pod-group-name": name}, annotations,
                PREFIX + "pod-group-pod-index")


def writer(add):
    def write(case):
        written = Written(case)
        written.add_nodes()
        levels = [{"nodeLabel": level} for level in case["levels"]]
        metadata = written.metadata("default", is_cluster_wide=True)
        written.add(PREFIX + "v1beta2", "Topology", metadata, spec={"levels": levels})
        written.add_bystanders()
        for root in case["gangs"]:
            add(written, root)
        return written
    return write


WORDINGS = {"Workload": writer(add_workload), "pod group": writer(add_pod_group)}

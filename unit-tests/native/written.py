"""What do the manifests of all dialects have in common: nodes, pods, times, and the names that a report will have?"""

import dataclasses
import datetime

import tree

EPOCH = datetime.datetime(2026, 1, 1)
MOST_PODS = 110


class CantBeSaid(Exception):
    """The dialect has no words for a case; the text is the reason."""


@dataclasses.dataclass
class Line:
    """What a report's line about a group stands for."""

    group: str | None  # Its name in the case; None: it has none, or one that counts something else.
    minimum: int  # What the dialect's objects say.
    is_same: bool = True  # The case has the same minimum.


class Written:
    """A case as objects, and how the names in a report on them are read."""

    def __init__(self, case):
        self.case = case
        self.namespace = case.get("namespace", "default")
        self.items = []
        self.gangs = {}  # Name in the report -> name in the case.
        self.lines = {}  # Name of a group in the report -> Line.
        self.leaf_of = {}  # Pod -> (leaf name in the report, name in the case).
        self.place_of = {}  # (Depth, part of a domain's path in the report) -> the part in the case.

    def full(self, *parts):
        return "/".join((self.namespace, *parts))

    def metadata(self, name, created=0, labels=None, annotations=None, is_cluster_wide=False):
        made = (EPOCH + datetime.timedelta(seconds=created)).strftime("%Y-%m-%dT%H:%M:%SZ")
        uid = f"00000000-0000-4000-8000-{len(self.items):012d}"
        out = {"name": name, "uid": uid, "creationTimestamp": made}
        if not is_cluster_wide:
            out["namespace"] = self.namespace
        if labels:
            out["labels"] = labels
        if annotations:
            out["annotations"] = annotations
        return out

    def add(self, api_version, kind, metadata, **rest):
        self.items.append({"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest})

    def add_members(self, root, leaf, report_leaf, marks):
        """The pods of a leaf. `marks(index)`: labels and annotations of the one of that rank."""
        born = leaf.get("created", root.get("created", 0))
        priority = leaf.get("priority", root.get("priority"))
        running = tree.running_members(self.case, leaf)
        for rank, pod in enumerate(running):
            self.add_pod(pod["name"], pod, pod.get("created", 0), pod.get("priority"), *marks(rank))
        for rank, (name, entry) in enumerate(tree.waiting_pods(leaf), len(running)):
            self.leaf_of[name] = (report_leaf, leaf["name"])
            self.add_pod(name, entry, entry.get("created", born), priority, *marks(rank))

    def add_pod(self, name, entry, created, priority, labels=None, annotations=None):
        requests = amounts({key: value for key, value in entry.get("requests", {}).items() if key != "pods"})
        resources = {"requests": requests}
        if devices := {key: value for key, value in requests.items() if "/" in key}:
            resources["limits"] = devices
        spec = {"schedulerName": "default-scheduler",
                "containers": [{"name": "main", "image": "example.com/main:1", "resources": resources}]}
        for key, value in (("nodeSelector", entry.get("nodeSelector")), ("tolerations", entry.get("tolerations")),
                           ("nodeName", entry.get("node"))):
            if value:
                spec[key] = value
        if priority is not None:
            spec["priority"] = priority
        phase = entry.get("phase", "Running" if entry.get("node") else "Pending")
        self.add("v1", "Pod", self.metadata(name, created, labels, annotations), spec=spec, status={"phase": phase})

    def add_bystanders(self):
        for pod in self.case.get("running", ()):
            if not pod.get("group"):
                self.add_pod(pod["name"], pod, pod.get("created", 0), pod.get("priority"))

    def add_nodes(self, has_levels=True):
        """has_levels=False: nodes don't carry the labels of the case's levels, but for the host's."""
        used = used_by(self.case)
        for node in self.case["nodes"]:
            room = {"pods": MOST_PODS, **node["free"]}
            for key, value in used.get(node["name"], {}).items():
                room[key] = room.get(key, 0) + value
            labels = {key: value for key, value in node.get("labels", {}).items()
                      if has_levels or key == tree.HOST or key not in self.case["levels"]}
            is_ready = node.get("ready", True)
            status = {"capacity": amounts(room), "allocatable": amounts(room),
                      "conditions": [{"type": "Ready", "status": "True" if is_ready else "False"}]}
            metadata = self.metadata(node["name"], labels=labels, is_cluster_wide=True)
            self.add("v1", "Node", metadata, spec=spec_of(node, is_ready), status=status)


def spec_of(node, is_ready):
    taints = list(node.get("taints", ()))
    spec = {}
    if node.get("unschedulable"):
        spec["unschedulable"] = True
        taints.append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
    if not is_ready:
        taints += [{"key": "node.kubernetes.io/not-ready", "effect": effect} for effect in ("NoSchedule", "NoExecute")]
    if taints:
        spec["taints"] = taints
    return spec


def used_by(case):
    """Node -> what the pods that run there take; a case tells what is free beside them."""
    used = {}
    for pod in filter(tree.occupies, case.get("running", ())):
        taken = used.setdefault(pod["node"], {})
        for key, value in {**pod.get("requests", {}), "pods": 1}.items():
            taken[key] = taken.get(key, 0) + value
    return used


def amounts(resources):
    """Quantities: the cases count processors in thousandths."""
    def text(key, value):
        if key != "cpu":
            return str(value)
        return f"{value}m" if value % 1000 else str(value // 1000)
    return {key: text(key, value) for key, value in sorted(resources.items())}


def check_is_plain(case):
    """Broken trees and orders of creation are written in the objects of Kubernetes itself."""
    for root in case["gangs"]:
        for group in tree.walk(root):
            if "parent" in group or "workload" in group:
                raise CantBeSaid(f"{group['name']} names a parent or Workload beside the tree")
    for what in ("orders", "looseNames"):
        if case.get(what):
            raise CantBeSaid(f"the case has {what}")

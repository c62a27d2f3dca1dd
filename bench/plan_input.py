#!/usr/bin/env python3
"""Writes a large cluster as one List in JSON: nodes, running pods, groups, and waiting pods.

    bench/plan_input.py [--nodes 5000] [--pods 150000] [--gangs 100] [--seed 1] [--indent] FILE

Racks of 16 hosts with 8 GPUs, blocks of 16 racks; running pods of the size that a controller makes them; waiting gangs
of seven kinds. On one line, as the API server sends it; --indent: as kubectl prints it, twice the size. The same
arguments give the same bytes. Standard library only.
"""

import argparse
import json
import random

HOSTS_PER_RACK = 16
RACKS_PER_BLOCK = 16
GPUS = 8
RACK = "topology.kubernetes.io/rack"
BLOCK = "topology.kubernetes.io/block"
UPSTREAM = "scheduling.k8s.io/v1alpha3"


def uid(number):
    scattered = number * 0x9E3779B97F4A7C15F39CC0605CEDC835 % (1 << 128)
    text = f"{scattered:032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def stamp(seconds):
    return f"2026-03-{1 + seconds // 86400 % 28:02d}T{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}Z"


def node(number):
    rack = number // HOSTS_PER_RACK
    name = f"n{number:05d}"
    labels = {
        BLOCK: f"b{rack // RACKS_PER_BLOCK:03d}",
        RACK: f"r{rack:04d}",
        "kubernetes.io/hostname": name,
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": "gpu-8x",
        "topology.kubernetes.io/region": "north-1",
        "topology.kubernetes.io/zone": f"north-1{'abc'[rack // RACKS_PER_BLOCK % 3]}",
    }
    for feature in range(14):
        labels[f"feature.node.kubernetes.io/cpu-cpuid.F{feature:02d}"] = "true"
    amounts = {
        "cpu": "192",
        "ephemeral-storage": "1844675040Ki",
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
        "memory": "2113405208Ki",
        "nvidia.com/gpu": str(GPUS),
        "pods": "110",
    }
    conditions = [
        {"type": kind, "status": "True" if kind == "Ready" else "False", "reason": f"Kubelet{kind}",
         "message": f"kubelet says {kind}", "lastHeartbeatTime": stamp(90000), "lastTransitionTime": stamp(number)}
        for kind in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
    ]
    images = [
        {"names": [f"registry.example.com/team-{i % 7}/image-{i}@sha256:{i:064x}",
                   f"registry.example.com/team-{i % 7}/image-{i}:v1.{i}"], "sizeBytes": 100000000 + i * 7919}
        for i in range(20)
    ]
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "annotations": {"node.alpha.kubernetes.io/ttl": "0",
                            "volumes.kubernetes.io/controller-managed-attach-detach": "true"},
            "creationTimestamp": stamp(number), "labels": labels, "name": name,
            "resourceVersion": str(1000000 + number), "uid": uid(number + 1)},
        "spec": {"podCIDR": f"10.{number // 256}.{number % 256}.0/24", "providerID": f"cloud:///{name}"},
        "status": {
            "addresses": [{"address": f"10.0.{number // 256}.{number % 256}", "type": "InternalIP"},
                          {"address": name, "type": "Hostname"}],
            "allocatable": amounts, "capacity": amounts, "conditions": conditions,
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}}, "images": images,
            "nodeInfo": {"architecture": "amd64", "containerRuntimeVersion": "containerd://2.1.0",
                         "kernelVersion": "6.1.0-40-amd64", "kubeletVersion": "v1.37.0",
                         "operatingSystem": "linux", "osImage": "Debian GNU/Linux 12 (bookworm)"}},
    }


def container(name, requests):
    return {
        "args": ["--config=/etc/app/config.yaml", f"--name={name}", "--verbosity=2"],
        "env": [
            {"name": "POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}},
            {"name": "POD_IP", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}}},
            {"name": "LOG_LEVEL", "value": "info"}],
        "image": f"registry.example.com/apps/{name}:v1.2.3",
        "imagePullPolicy": "IfNotPresent",
        "livenessProbe": {"failureThreshold": 3, "httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"},
                          "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1},
        "name": name,
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "resources": {"limits": requests, "requests": requests},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "volumeMounts": [{"mountPath": "/etc/app", "name": "config", "readOnly": True},
                         {"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "kube-api-access",
                          "readOnly": True}],
    }


def pod(containers, extra_spec):
    """A pod with @NAME@, @UID@ and the like where one differs from the next."""
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "annotations": {"checksum/config": "0f" * 32},
            "creationTimestamp": "@TIME@",
            "generateName": "@OWNER@-",
            "labels": {"app.kubernetes.io/name": "@OWNER@", "app.kubernetes.io/instance": "@OWNER@",
                       "app.kubernetes.io/version": "v1.2.3", "app.kubernetes.io/managed-by": "Helm",
                       "pod-template-hash": "5d8f7c9b6d", "team": "@NAMESPACE@"},
            "name": "@NAME@", "namespace": "@NAMESPACE@",
            "ownerReferences": [{"apiVersion": "apps/v1", "blockOwnerDeletion": True, "controller": True,
                                 "kind": "ReplicaSet", "name": "@OWNER@", "uid": "@UID@"}],
            "resourceVersion": "12345678", "uid": "@UID@"},
        "spec": {
            "containers": containers, "dnsPolicy": "ClusterFirst", "enableServiceLinks": True,
            "preemptionPolicy": "PreemptLowerPriority", "priority": 0, "restartPolicy": "Always",
            "schedulerName": "default-scheduler", "securityContext": {}, "serviceAccountName": "default",
            "terminationGracePeriodSeconds": 30,
            "tolerations": [
                {"effect": "NoExecute", "key": f"node.kubernetes.io/{state}", "operator": "Exists",
                 "tolerationSeconds": 300} for state in ("not-ready", "unreachable")],
            "volumes": [
                {"configMap": {"defaultMode": 420, "name": "@OWNER@"}, "name": "config"},
                {"name": "kube-api-access",
                 "projected": {"defaultMode": 420, "sources": [
                     {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                     {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}}]}}],
        } | extra_spec,
    }


def running(containers):
    whole = pod(containers, {"nodeName": "@NODE@"})
    whole["status"] = {
        "conditions": [{"lastProbeTime": None, "lastTransitionTime": "@TIME@", "status": "True", "type": kind}
                       for kind in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady",
                                    "PodScheduled")],
        "containerStatuses": [
            {"allocatedResources": c["resources"]["requests"], "containerID": "containerd://" + "ab" * 32,
             "image": c["image"], "imageID": c["image"] + "@sha256:" + "cd" * 32, "lastState": {},
             "name": c["name"], "ready": True, "resources": c["resources"], "restartCount": 0, "started": True,
             "state": {"running": {"startedAt": "@TIME@"}}} for c in containers],
        "hostIP": "10.0.0.1", "phase": "Running", "podIP": "10.1.2.3", "podIPs": [{"ip": "10.1.2.3"}],
        "qosClass": "Guaranteed", "startTime": "@TIME@"}
    return whole


def rendered(value, indent):
    if not indent:
        return json.dumps(value, separators=(",", ":"))
    return "        " + json.dumps(value, indent=4).replace("\n", "\n        ")


def filled(template, values):
    for key, value in values.items():
        template = template.replace(f"@{key}@", value)
    return template


class Gangs:
    """The waiting gangs, one kind after another."""

    def __init__(self, dice):
        self.dice = dice
        self.objects = []
        self.pods = 0

    def member(self, gang, labels, annotations, group, needs):
        number = self.pods
        self.pods += 1
        extra = {"schedulingGates": [{"name": "echelon.sh/gang"}]}
        if group:
            extra["schedulingGroup"] = {"podGroupName": group}
        one = pod([container("main", needs)], extra)
        one["metadata"]["labels"].update(labels)
        one["metadata"]["annotations"].update(annotations)
        one["status"] = {"phase": "Pending", "qosClass": "Guaranteed"}
        values = {"NAME": f"{group or gang}-{number}", "NAMESPACE": "training", "OWNER": gang,
                  "UID": uid(10_000_000 + number), "TIME": stamp(number)}
        self.objects.append(json.loads(filled(json.dumps(one), values)))

    def group(self, kind, name, minimum, level, parent=None, preferred=None):
        count = "minCount" if kind == "PodGroup" else "minGroupCount"
        spec = {"schedulingPolicy": {"gang": {count: minimum}}}
        if level:
            spec["schedulingConstraints"] = {"topology": [{"key": level}]}
        if parent:
            spec["parentCompositePodGroupName"] = parent
        if parent or kind == "CompositePodGroup":
            spec["workloadRef"] = {"workloadName": name.split(".")[0], "templateName": name}
        metadata = {"name": name, "namespace": "training", "creationTimestamp": stamp(len(self.objects)),
                    "uid": uid(20_000_000 + len(self.objects))}
        if preferred:
            metadata["annotations"] = {"echelon.sh/preferred-topology": preferred}
        self.objects.append({"apiVersion": UPSTREAM, "kind": kind, "metadata": metadata, "spec": spec})

    def workload(self, name):
        self.objects.append({"apiVersion": UPSTREAM, "kind": "Workload",
                             "metadata": {"name": name, "namespace": "training"}, "spec": {}})

    def add(self, number):
        kinds = [self.identical, self.in_block, self.preferred, self.prefill_decode, self.mixed, self.by_labels,
                 self.hopeless]
        kinds[number % len(kinds)](f"gang-{number:03d}")

    def identical(self, name):
        self.group("PodGroup", name, 8, RACK)
        for _ in range(8):
            self.member(name, {}, {}, name, needs(1))

    def in_block(self, name):
        self.group("PodGroup", name, 48, BLOCK)
        for _ in range(48):
            self.member(name, {}, {}, name, needs(1))

    def preferred(self, name):
        self.group("PodGroup", name, 12, None, preferred=RACK)
        for _ in range(16):
            self.member(name, {}, {}, name, needs(2))

    def prefill_decode(self, name):
        self.workload(name)
        self.group("CompositePodGroup", name, 2, BLOCK)
        for role, gpus in (("prefill", 1), ("decode", 2)):
            self.group("CompositePodGroup", f"{name}.{role}", 2, None, parent=name)
            for replica in range(3):  # Two of three are enough.
                leaf = f"{name}.{role}-{replica}"
                self.group("PodGroup", leaf, 4, RACK, parent=f"{name}.{role}")
                for _ in range(4):
                    self.member(name, {}, {}, leaf, needs(gpus))

    def mixed(self, name):
        self.group("PodGroup", name, 6, RACK)
        for member in range(6):
            self.member(name, {}, {}, name, needs((1, 1, 2, 2, 3, 4)[member]))

    def by_labels(self, name):
        size = self.dice.randint(4, 10)
        annotations = {"echelon.sh/gang-minimum": str(size), "echelon.sh/gang-required-topology": RACK}
        for _ in range(size):
            self.member(name, {"echelon.sh/gang": name}, annotations, None, needs(1))

    def hopeless(self, name):
        self.group("PodGroup", name, 40, RACK)
        for _ in range(40):
            self.member(name, {}, {}, name, needs(GPUS))


def needs(gpus):
    return {"cpu": str(4 * gpus), "memory": f"{32 * gpus}Gi", "nvidia.com/gpu": str(gpus)}


def items(arguments):
    indent = arguments.indent
    dice = random.Random(arguments.seed)
    for number in range(arguments.nodes):
        yield rendered(node(number), indent)
    gangs = Gangs(dice)
    for number in range(arguments.gangs):
        gangs.add(number)
    for thing in gangs.objects:
        yield rendered(thing, indent)
    app = container("app", {"cpu": "250m", "memory": "512Mi"})
    sidecar = container("proxy", {"cpu": "100m", "memory": "128Mi"})
    plain = [rendered(running([app]), indent), rendered(running([app, sidecar]), indent)]
    worker = rendered(running([container("worker", needs(1))]), indent)
    free_gpus = [dice.choice((5, 6, 7, 7, 8, 8, 8)) for _ in range(arguments.nodes)]
    for number in range(arguments.pods):
        at = number % arguments.nodes
        takes_gpu = free_gpus[at] > 0 and number // arguments.nodes < GPUS
        if takes_gpu:
            free_gpus[at] -= 1
        owner = f"app-{number % 977}"
        yield filled(worker if takes_gpu else plain[number % 2], {
            "NAME": f"{owner}-5d8f7c9b6d-{number:06d}", "NAMESPACE": f"team-{number % 40}", "OWNER": owner,
            "UID": uid(30_000_000 + number), "TIME": stamp(number), "NODE": f"n{at:05d}"})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=150000)
    parser.add_argument("--gangs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--indent", action="store_true")
    arguments = parser.parse_args()
    with open(arguments.file, "w", encoding="ascii", buffering=1 << 20) as out:
        line = "\n" if arguments.indent else ""
        out.write(f'{{{line}"apiVersion":"v1",{line}"items":[{line}')
        for index, item in enumerate(items(arguments)):
            out.write(("," + line if index else "") + item)
        out.write(f'{line}],{line}"kind":"List",{line}"metadata":{{"resourceVersion":""}}{line}}}\n')


if __name__ == "__main__":
    main()

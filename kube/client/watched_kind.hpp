#pragma once

// Which resources are watched? One row each; a new dialect adds a row (A1, A2).
//
// Constant data. A resource is watched in one version only: the first one in `versions` that the server serves.

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace echelon::kube {

struct WatchedKind {
    std::string_view resource;                 // Plural, as in paths.
    std::string_view group;                    // Empty: the core group, which is always served.
    std::array<std::string_view, 3> versions;  // Preferred first; empty: no other.
    std::string_view kind;
    std::string_view field_selector = {};  // An object that no longer matches arrives as DELETED.
    bool keeps_spec = false;               // Its deletion can be decoded only with its spec, which is kept.
    bool is_budget = false;                // Watched only where pods may be evicted.
    bool is_record = false;                // echelon's own records, needed for recovery only.
    bool is_needed = false;                // Nothing is decided before it was listed, even if that is forbidden (403).
    bool is_named_by_pods = false;         // While it isn't served, references of pods to it are ignored.
    bool is_replaced_by_other_kind = false;  // In other versions another kind has its role, so they count as unserved.
    std::string_view ns = {};                // Only this namespace; empty: all.
};

inline constexpr std::array watched_kinds = {
    WatchedKind{.resource = "nodes", .group = "", .versions = {"v1"}, .kind = "Node", .is_needed = true},
    WatchedKind{.resource = "pods",
                .group = "",
                .versions = {"v1"},
                .kind = "Pod",
                .field_selector = "status.phase!=Failed",  // Members that have succeeded count (M2).
                .is_needed = true},
    WatchedKind{.resource = "priorityclasses",
                .group = "scheduling.k8s.io",
                .versions = {"v1"},
                .kind = "PriorityClass",
                .is_needed = true},
    WatchedKind{.resource = "podgroups",
                .group = "scheduling.k8s.io",
                .versions = {"v1alpha3", "v1beta1", "v1alpha2"},
                .kind = "PodGroup",
                .is_named_by_pods = true},
    WatchedKind{.resource = "compositepodgroups",
                .group = "scheduling.k8s.io",
                .versions = {"v1alpha3"},
                .kind = "CompositePodGroup"},
    WatchedKind{.resource = "workloads",
                .group = "scheduling.k8s.io",
                .versions = {"v1alpha1"},
                .kind = "Workload",
                .keeps_spec = true,
                .is_named_by_pods = true,
                .is_replaced_by_other_kind = true},  // By PodGroups.
    WatchedKind{.resource = "podgangs",
                .group = "scheduler.grove.io",
                .versions = {"v1alpha1"},
                .kind = "PodGang",
                .is_named_by_pods = true},
    WatchedKind{.resource = "podgroups",
                .group = "scheduling.run.ai",
                .versions = {"v2alpha2"},
                .kind = "PodGroup",
                .is_named_by_pods = true},
    WatchedKind{.resource = "podgroups",
                .group = "scheduling.sigs.k8s.io",
                .versions = {"v1alpha1"},
                .kind = "PodGroup",
                .is_named_by_pods = true},
    WatchedKind{.resource = "podgroups",
                .group = "scheduling.x-k8s.io",
                .versions = {"v1alpha1"},
                .kind = "PodGroup",
                .is_named_by_pods = true},
    WatchedKind{.resource = "podgroups",
                .group = "scheduling.volcano.sh",
                .versions = {"v1beta1"},
                .kind = "PodGroup",
                .is_named_by_pods = true},
    WatchedKind{.resource = "jobsets",
                .group = "jobset.x-k8s.io",
                .versions = {"v1alpha2"},
                .kind = "JobSet",
                .is_named_by_pods = true},
    WatchedKind{.resource = "leaderworkersets",
                .group = "leaderworkerset.x-k8s.io",
                .versions = {"v1"},
                .kind = "LeaderWorkerSet"},
    WatchedKind{.resource = "disaggregatedsets",
                .group = "disaggregatedset.x-k8s.io",
                .versions = {"v1"},
                .kind = "DisaggregatedSet"},
    WatchedKind{.resource = "rolebasedgroups",
                .group = "workloads.x-k8s.io",
                .versions = {"v1alpha2", "v1alpha1"},
                .kind = "RoleBasedGroup",
                .is_named_by_pods = true},
    WatchedKind{.resource = "workloads",
                .group = "kueue.x-k8s.io",
                .versions = {"v1beta2", "v1beta1"},
                .kind = "Workload",
                .is_named_by_pods = true},
    WatchedKind{
        .resource = "topologies", .group = "kueue.x-k8s.io", .versions = {"v1beta2", "v1beta1"}, .kind = "Topology"},
    WatchedKind{.resource = "topologies", .group = "kai.scheduler", .versions = {"v1alpha1"}, .kind = "Topology"},
    WatchedKind{.resource = "clustertopologybindings",
                .group = "grove.io",
                .versions = {"v1alpha1"},
                .kind = "ClusterTopologyBinding"},
    WatchedKind{
        .resource = "clustertopologies", .group = "grove.io", .versions = {"v1alpha1"}, .kind = "ClusterTopology"},
    WatchedKind{.resource = "clusternetworktopologies",
                .group = "scheduling.koordinator.sh",
                .versions = {"v1alpha1"},
                .kind = "ClusterNetworkTopology"},
    WatchedKind{
        .resource = "hypernodes", .group = "topology.volcano.sh", .versions = {"v1alpha1"}, .kind = "HyperNode"},
    WatchedKind{.resource = "noderesourcetopologies",
                .group = "topology.node.k8s.io",
                .versions = {"v1alpha2"},
                .kind = "NodeResourceTopology"},
    WatchedKind{.resource = "jobs", .group = "batch", .versions = {"v1"}, .kind = "Job"},
    WatchedKind{.resource = "poddisruptionbudgets",
                .group = "policy",
                .versions = {"v1"},
                .kind = "PodDisruptionBudget",
                .is_budget = true},
    WatchedKind{.resource = "deviceclasses",
                .group = "resource.k8s.io",
                .versions = {"v1", "v1beta2", "v1beta1"},
                .kind = "DeviceClass"},
    WatchedKind{.resource = "resourceslices",
                .group = "resource.k8s.io",
                .versions = {"v1", "v1beta2", "v1beta1"},
                .kind = "ResourceSlice"},
    WatchedKind{.resource = "resourceclaims",
                .group = "resource.k8s.io",
                .versions = {"v1", "v1beta2", "v1beta1"},
                .kind = "ResourceClaim"},
    WatchedKind{.resource = "resourceclaimtemplates",
                .group = "resource.k8s.io",
                .versions = {"v1", "v1beta2", "v1beta1"},
                .kind = "ResourceClaimTemplate"},
    WatchedKind{.resource = "devicetaintrules",
                .group = "resource.k8s.io",
                .versions = {"v1", "v1beta2", "v1alpha3"},
                .kind = "DeviceTaintRule"},
    WatchedKind{.resource = "gangs", .group = "echelon.sh", .versions = {"v1alpha1"}, .kind = "Gang"},
    WatchedKind{.resource = "gangplans",
                .group = "echelon.sh",
                .versions = {"v1alpha1"},
                .kind = "GangPlan",
                .is_record = true,
                .is_needed = true},
};

// "pods", "podgroups.scheduling.k8s.io": the name in readiness texts and in `model::Synced`.
[[nodiscard]] inline std::string full_name(const WatchedKind& kind) {
    std::string name(kind.resource);
    if (!kind.group.empty())
        name.append(".").append(kind.group);
    return name;
}

// "v1", "scheduling.k8s.io/v1alpha3".
[[nodiscard]] inline std::string api_version(const WatchedKind& kind, std::string_view version) {
    std::string text(kind.group);
    if (!kind.group.empty())
        text += '/';
    return text.append(version);
}

// "/api/v1/pods", "/apis/scheduling.k8s.io/v1alpha3/podgroups".
[[nodiscard]] inline std::string list_path(const WatchedKind& kind, std::string_view version) {
    std::string path(kind.group.empty() ? "/api/" : "/apis/");
    path.append(api_version(kind, version)).append("/");
    if (!kind.ns.empty())
        path.append("namespaces/").append(kind.ns).append("/");
    return path.append(kind.resource);
}

}  // namespace echelon::kube

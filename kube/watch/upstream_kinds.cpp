#include "kube/watch/upstream_kinds.hpp"

#include <algorithm>
#include <string_view>
#include <variant>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

const WatchStatus* status_of(const std::vector<WatchStatus>& watched, std::string_view what) {
    const auto found = std::ranges::find(watched, what, &WatchStatus::what);
    return found == watched.end() || !found->listed ? nullptr : &*found;
}

}  // namespace

bool names_upstream_group(const model::Event& event) {
    const auto* seen = std::get_if<model::PodSeen>(&event);
    if (seen == nullptr || !seen->pod.membership)
        return false;
    const std::string& kind = seen->pod.membership->leaf.kind;
    return kind == "podgroup" || kind == "workload-podgroup";
}

std::vector<std::string> missing_of_upstream(const std::vector<WatchStatus>& watched, bool is_named) {
    const auto* groups = status_of(watched, "podgroups.scheduling.k8s.io");
    const auto* composites = status_of(watched, "compositepodgroups.scheduling.k8s.io");
    const auto* workloads = status_of(watched, "workloads.scheduling.k8s.io");
    if (groups == nullptr || composites == nullptr || workloads == nullptr)
        return {};
    if (!groups->served && !workloads->served) {
        return {
            "PodGroups and Workloads of scheduling.k8s.io are not served: kube-apiserver needs 1.35 or newer, the "
            "feature gate GenericWorkload and a runtime-config (docs/install.md)"};
    }
    std::vector<std::string> missing;
    if (groups->served && !composites->served) {
        missing.emplace_back(
            "CompositePodGroups of scheduling.k8s.io are not served: kube-apiserver needs 1.37, the feature gates "
            "GenericWorkload and CompositePodGroup and --runtime-config=scheduling.k8s.io/v1alpha3=true "
            "(docs/install.md)");
    }
    if (const auto objects = std::max(groups->objects, workloads->objects); objects > 0 && !is_named) {
        missing.push_back(
            fmt::format("no pod names one of the {} {} of scheduling.k8s.io: a kube-apiserver with the feature gate "
                        "GenericWorkload off drops spec.schedulingGroup from pods (docs/install.md)",
                        objects, groups->objects > 0 ? "PodGroups" : "Workloads"));
    }
    return missing;
}

}  // namespace echelon::kube

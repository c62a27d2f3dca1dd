// Which gang does the pod of a filter call name? The fast path beside `read_membership`: it reads only the few fields
// that name a group, in the same order. A new dialect changes both; decode_test.cpp compares them.

#include "base/shortened.hpp"
#include "kube/decode.hpp"
#include "kube/dialects/grove.hpp"
#include "kube/dialects/job_set.hpp"
#include "kube/dialects/kai.hpp"
#include "kube/dialects/koordinator.hpp"
#include "kube/dialects/kueue.hpp"
#include "kube/dialects/label_gang.hpp"
#include "kube/dialects/scheduler_plugins.hpp"
#include "kube/dialects/upstream.hpp"
#include "kube/dialects/volcano.hpp"
#include "kube/json/bounds.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace echelon::kube {

namespace {

namespace dom = simdjson::dom;

constexpr KindBits pod_groups = kind_bit("podgroups", upstream_group);
constexpr KindBits workloads = kind_bit("workloads", upstream_group);
constexpr KindBits pod_gangs = kind_bit("podgangs", grove_group);
constexpr KindBits kai_groups = kind_bit("podgroups", kai_group);
constexpr KindBits volcano_groups = kind_bit("podgroups", volcano_group);
constexpr KindBits plugins_groups = kind_bit("podgroups", scheduler_plugins_group);
constexpr KindBits koordinator_groups = kind_bit("podgroups", koordinator_group);
constexpr KindBits job_sets = kind_bit("jobsets", job_set_group);
constexpr KindBits kueue_workloads = kind_bit("workloads", kueue_group);

// The string at the end of a path through objects; "" when it is absent.
std::string_view text_at(dom::element from, std::initializer_list<std::string_view> path) {
    for (std::string_view key : path) {
        dom::object object;
        if (from.get(object) != simdjson::SUCCESS || object[key].get(from) != simdjson::SUCCESS)
            return {};
    }
    std::string_view text;
    // Cut to the length that the decoder keeps.
    return from.get(text) == simdjson::SUCCESS ? base::beginning(text, static_cast<std::size_t>(word_bound.most))
                                               : std::string_view{};
}

std::string joined(std::initializer_list<std::string_view> parts) {
    std::string out;
    for (std::string_view part : parts) {
        if (!out.empty())
            out += '/';
        out += part;
    }
    return out;
}

// Labels of controllers, in the order of `read_membership`.
std::optional<std::string> named_by_controllers(dom::element pod, std::string_view ns, UnservedKinds unserved) {
    const auto label = [pod](std::string_view key) { return text_at(pod, {"metadata", "labels", key}); };
    const auto annotation = [pod](std::string_view key) { return text_at(pod, {"metadata", "annotations", key}); };
    const auto set = label("leaderworkerset.sigs.k8s.io/name");
    const auto index = label("leaderworkerset.sigs.k8s.io/group-index");
    const bool has_key = label("leaderworkerset.sigs.k8s.io/group-key").data() != nullptr;
    if (!set.empty() && !index.empty() && has_key) {
        const auto name = label("disaggregatedset.x-k8s.io/name");
        if (name.empty() || label("disaggregatedset.x-k8s.io/role").empty())
            return joined({ns, set, index});
        const auto slice = label("disaggregatedset.x-k8s.io/slice");
        return joined({ns, name, slice.empty() ? "0" : slice, label("disaggregatedset.x-k8s.io/revision")});
    }
    const auto jobs = label("jobset.sigs.k8s.io/jobset-name");
    const auto job = label("jobset.sigs.k8s.io/replicatedjob-name");
    const auto job_index = label("jobset.sigs.k8s.io/job-index");
    if (!jobs.empty() && !job.empty() && !job_index.empty() && !unserved.has(job_sets))
        return joined({ns, jobs, job, job_index});
    const auto first_slice = annotation("kueue.x-k8s.io/workload-slice-name");
    const auto workload = first_slice.empty() ? annotation("kueue.x-k8s.io/workload") : first_slice;
    const bool has_workloads = !unserved.has(kueue_workloads);
    if (const auto part = label("kueue.x-k8s.io/podset"); has_workloads && !workload.empty() && !part.empty())
        return joined({ns, workload, part});
    if (const auto group = label("kueue.x-k8s.io/pod-group-name"); !group.empty())
        return joined({ns, group});
    return std::nullopt;
}

// Labels and annotations, in the order of `read_membership`.
std::optional<std::string> named_by_metadata(dom::element pod, std::string_view ns, UnservedKinds unserved) {
    const auto label = [pod](std::string_view key) { return text_at(pod, {"metadata", "labels", key}); };
    const auto annotation = [pod](std::string_view key) { return text_at(pod, {"metadata", "annotations", key}); };
    const auto has = [unserved](KindBits kind) { return !unserved.has(kind); };
    if (const auto gang = label(gang_label); !gang.empty())
        return joined({ns, gang});
    if (const auto clique = label("grove.io/podclique"); !clique.empty() && has(pod_gangs)) {
        if (const auto gang = label("grove.io/podgang"); !gang.empty())
            return joined({ns, gang, clique});
    }
    if (const auto group = annotation("pod-group-name"); !group.empty() && has(kai_groups)) {
        const auto part = label("kai.scheduler/subgroup-name");
        return part.empty() ? joined({ns, group}) : joined({ns, group, part});
    }
    if (has(volcano_groups)) {
        for (const auto group :
             {annotation("scheduling.k8s.io/group-name"), annotation("scheduling.volcano.sh/group-name")}) {
            if (!group.empty())
                return joined({ns, group});
        }
    }
    if (const auto group = label("scheduling.x-k8s.io/pod-group"); !group.empty() && has(plugins_groups))
        return joined({ns, group});
    if (const auto group = label("pod-group.scheduling.sigs.k8s.io"); !group.empty() && has(koordinator_groups))
        return joined({ns, group});
    for (const auto group :
         {label("pod-group.scheduling.sigs.k8s.io/name"), annotation("gang.scheduling.koordinator.sh/name")}) {
        if (!group.empty())
            return joined({ns, group});
    }
    return named_by_controllers(pod, ns, unserved);
}

}  // namespace

std::optional<std::string> named_gang(std::string_view pod_json, UnservedKinds unserved) {
    dom::parser parser;
    dom::element pod;
    // simdjson reads padding beyond the end, which the copy adds.
    const simdjson::padded_string text(pod_json);
    if (parser.parse(text).get(pod) != simdjson::SUCCESS)
        return std::nullopt;

    std::string_view ns = text_at(pod, {"metadata", "namespace"});
    if (ns.empty())
        ns = "default";
    if (const auto group = text_at(pod, {"spec", "schedulingGroup", "podGroupName"});
        !group.empty() && !unserved.has(pod_groups)) {
        return joined({ns, group});
    }
    const auto workload = text_at(pod, {"spec", "workloadRef", "name"});
    const auto group = text_at(pod, {"spec", "workloadRef", "podGroup"});
    if (!workload.empty() && !group.empty() && !unserved.has(workloads))
        return joined({ns, workload, group});
    return named_by_metadata(pod, ns, unserved);
}

}  // namespace echelon::kube

#include "kube/membership.hpp"

#include "kube/dialects/disaggregated_set.hpp"
#include "kube/dialects/group_reading.hpp"
#include "kube/dialects/grove.hpp"
#include "kube/dialects/job_set.hpp"
#include "kube/dialects/kai.hpp"
#include "kube/dialects/koordinator.hpp"
#include "kube/dialects/kueue.hpp"
#include "kube/dialects/label_gang.hpp"
#include "kube/dialects/leader_worker_set.hpp"
#include "kube/dialects/role_based_group.hpp"
#include "kube/dialects/scheduler_plugins.hpp"
#include "kube/dialects/upstream.hpp"
#include "kube/dialects/volcano.hpp"
#include "model/facts/topology.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

using model::Membership;

constexpr KindBits pod_group_kind = kind_bit("podgroups", upstream_group);
constexpr KindBits workload_kind = kind_bit("workloads", upstream_group);
constexpr KindBits job_set_kind = kind_bit("jobsets", job_set_group);

struct Source {
    std::optional<Membership> (*read)(const Metadata& pod);
    KindBits kind = 0;               // Bit of the kind that the pod names (`kind_bit`); 0: it needs no object.
    bool is_gang_by_itself = false;  // The object declares a gang even without pods.
};

constexpr Source sources[] = {
    {label_membership},
    {grove_membership, kind_bit("podgangs", grove_group), true},
    {kai_membership, kind_bit("podgroups", kai_group), true},
    {volcano_membership, kind_bit("podgroups", volcano_group), true},
    {scheduler_plugins_membership, kind_bit("podgroups", scheduler_plugins_group), true},
    {koordinator_membership, kind_bit("podgroups", koordinator_group), true},
    {role_based_group_membership, kind_bit("rolebasedgroups", role_based_group_group)},
    {koordinator_annotated_membership},
    {disaggregated_set_membership},
    {leader_worker_set_membership},
    {job_set_membership, job_set_kind},
    {kueue_membership, kind_bit("workloads", kueue_group)},
    {kueue_pod_group_membership},
};

// True if the pod's leaf is a PodSet of Kueue.
bool is_in_pod_set(const Metadata& pod, const model::GroupKey& leaf) {
    return leaf.kind == "kueue-podset" || (is_leaf_of_leader_worker_set(leaf) && has_leaf_for_pod_set(pod));
}

// The index that a controller gave to the pod; -1: none, or not a number.
std::int64_t read_rank(const Metadata& pod, const model::GroupKey& leaf) {
    if (const auto index = count_in(pod.annotations.text("gang.scheduling.koordinator.sh/network-topology-index"), 0))
        return *index;
    for (const char* key : {"leaderworkerset.sigs.k8s.io/worker-index", "batch.kubernetes.io/job-completion-index",
                            "apps.kubernetes.io/pod-index", "training.kubeflow.org/replica-index"}) {
        if (const auto rank = count_in(pod.labels.text(key), 0))
            return is_in_pod_set(pod, leaf) ? rank_in_pod_set(pod, *rank) : *rank;
    }
    return kueue_rank(pod).value_or(-1);
}

// The revision or restart that the pod belongs to. Several controllers may make pods of one leaf, and a LeaderWorkerSet
// updates replica after replica: each counts attempts for itself (M1).
std::string read_attempt(const Field& labels) {
    if (const std::string revision = labels.text("leaderworkerset.sigs.k8s.io/template-revision-hash");
        !revision.empty())
        return fmt::format("{}/{}={}", labels.text("leaderworkerset.sigs.k8s.io/name"),
                           labels.text("leaderworkerset.sigs.k8s.io/group-index"), revision);
    if (const std::string restart = labels.text("jobset.sigs.k8s.io/restart-attempt"); !restart.empty())
        return fmt::format("{}={}/{}", labels.text("jobset.sigs.k8s.io/jobset-name"),
                           labels.text("jobset.sigs.k8s.io/jobset-uid"), restart);
    return {};
}

// A supplement for an object that the pod names beside its group. It keeps the object from being a gang without pods
// (Z5).
model::Group supplement_of_second_object(const model::GroupKey& key) {
    model::Group group = supplement_to(key);
    group.policy.needs_pods = true;
    return group;
}

std::optional<Membership> first_named(const Field& object, const Metadata& metadata, UnservedKinds unserved) {
    std::optional<Membership> first;
    const auto take = [&first](std::optional<Membership> named) {
        if (!first) {
            first = std::move(named);
        } else if (named) {
            first->declared.push_back(supplement_of_second_object(named->leaf));
        }
    };
    const Field spec = object.at("spec");
    if (!unserved.has(pod_group_kind))
        take(pod_group_membership(spec, metadata.ns));
    if (!unserved.has(workload_kind))
        take(workload_membership(spec, metadata.ns));
    for (const Source& source : sources) {
        if ((!first || source.is_gang_by_itself) && !unserved.has(source.kind))
            take(source.read(metadata));
    }
    return first;
}

void add_supplement(model::Group group, const model::GroupKey& key, Membership& out) {
    group.key = key;
    group.only_supplements = true;
    out.declared.push_back(std::move(group));
}

// Kueue's topology request.
void add_topology_request(const Metadata& pod, Membership& out) {
    const std::string kind = out.leaf.kind;
    if (kind == "kueue-pod-group")
        return;
    const bool is_job = is_job_of_job_set(out.leaf);
    // Most sub-groups aren't PodSets: the request applies to the whole replica. All Jobs of a replicated job are one.
    model::GroupKey requested_by = is_job ? replicated_job_of(out.leaf) : out.leaf;
    if (kind == "lws-subgroup" && !has_leaf_for_pod_set(pod))
        requested_by = *out.declared.front().parent;
    model::Group request;
    request.topology_group = kueue_group;  // The request of the PodSet must agree with it (Z30).
    std::string unsized;                   // A level of slices whose size only the PodSet or the Job states.
    if (read_kueue_topology_request(pod.annotations, std::nullopt, request,
                                    kind == "kueue-podset" || is_job ? &unsized : nullptr)) {
        if (is_job) {
            count_ranks_across_jobs(request);
        } else {
            leave_slice_size_open(unsized, request);
        }
        if (is_unconstrained(pod.annotations))
            request.required.emplace_back(model::whole_cluster_level);
        add_supplement(std::move(request), requested_by, out);
    }
    if (is_job && !unsized.empty()) {  // Its size is that of a Job.
        model::Group job;
        job.required.push_back(std::move(unsized));
        add_supplement(std::move(job), out.leaf, out);
    }
}

// Adds what other controllers state about the group.
void add_supplements(const Metadata& pod, UnservedKinds unserved, Membership& out) {
    add_topology_request(pod, out);
    if (!is_leaf_of_leader_worker_set(out.leaf)) {
        for (model::Group& group : supplements_of_replica(pod)) {
            if (!out.leaf.kind.starts_with("volcano"))
                group.minimum.reset();
            add_supplement(std::move(group), out.leaf, out);
        }
    }
    if (std::optional<model::Group> job = supplement_of_job(pod, out.leaf, !unserved.has(job_set_kind)))
        out.declared.push_back(std::move(*job));
}

}  // namespace

std::optional<Membership> read_membership(const Field& object, const Metadata& metadata, UnservedKinds unserved) {
    std::optional<Membership> out = first_named(object, metadata, unserved);
    if (!out)
        return out;
    if (out->rank < 0)
        out->rank = read_rank(metadata, out->leaf);
    if (out->attempt.empty())
        out->attempt = read_attempt(metadata.labels);
    add_supplements(metadata, unserved, *out);
    return out;
}

std::optional<model::GroupKey> object_of_part(const model::GroupKey& part) {
    constexpr std::pair<std::string_view, std::string_view> kinds[] = {{"grove-podgroup", "grove-podgang"},
                                                                       {"kai-subgroup", "kai-podgroup"},
                                                                       {"jobset-job", "jobset"},
                                                                       {"kueue-podset", "kueue-workload"}};
    const auto* const found =
        std::ranges::find(kinds, part.kind, &std::pair<std::string_view, std::string_view>::first);
    if (found == std::end(kinds))
        return std::nullopt;
    const std::string name = part.name;
    return model::GroupKey{std::string(found->second), name.substr(0, name.find('/', name.find('/') + 1))};
}

model::Labels read_sorting_labels(const Field& object, const Metadata& metadata) {
    model::Labels labels = metadata.labels.texts();
    add_replica_key(object.at("spec"), labels);
    add_volcano_selector_keys(metadata, labels);
    return labels;
}

}  // namespace echelon::kube

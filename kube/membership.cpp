#include "kube/membership.hpp"

#include "kube/group_reading.hpp"
#include "kube/grove.hpp"
#include "kube/kai.hpp"
#include "kube/koordinator.hpp"
#include "kube/label_gang.hpp"
#include "kube/leader_worker_set.hpp"
#include "kube/scheduler_plugins.hpp"
#include "kube/upstream.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace echelon::kube {

namespace {

using model::Membership;

constexpr std::optional<Membership> (*sources[])(const Metadata&) = {
    label_membership,
    grove_membership,
    kai_membership,
    scheduler_plugins_membership,
    koordinator_membership,
    koordinator_annotated_membership,
    leader_worker_set_membership,
};

// The place that a controller gave to the pod; -1: none, or not a number.
std::int64_t read_rank(const Metadata& pod) {
    if (const auto index = count_in(pod.annotations.text("gang.scheduling.koordinator.sh/network-topology-index"), 0))
        return *index;
    for (const char* key : {"leaderworkerset.sigs.k8s.io/worker-index", "batch.kubernetes.io/job-completion-index",
                            "apps.kubernetes.io/pod-index"}) {
        if (const auto rank = count_in(pod.labels.text(key), 0))
            return *rank;
    }
    return -1;
}

// Restarts and revisions: members of an earlier one don't count (M1).
std::string read_attempt(const Field& labels) {
    for (const char* key :
         {"leaderworkerset.sigs.k8s.io/template-revision-hash", "jobset.sigs.k8s.io/restart-attempt"}) {
        if (std::string attempt = labels.text(key); !attempt.empty())
            return attempt;
    }
    return {};
}

std::optional<Membership> first_named(const Field& object, const Metadata& metadata) {
    if (std::optional<model::GroupKey> leaf = upstream_leaf(object.at("spec"), metadata.ns)) {
        std::optional<Membership> out(std::in_place);
        out->leaf = std::move(*leaf);
        return out;
    }
    for (const auto source : sources) {
        if (std::optional<Membership> out = source(metadata))
            return out;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Membership> read_membership(const Field& object, const Metadata& metadata) {
    std::optional<Membership> out = first_named(object, metadata);
    if (!out)
        return out;
    if (out->rank < 0)
        out->rank = read_rank(metadata);
    if (out->attempt.empty())
        out->attempt = read_attempt(metadata.labels);
    return out;
}

}  // namespace echelon::kube

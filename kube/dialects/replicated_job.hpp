#pragma once

// What do groups of other dialects learn from a JobSet about the pods that it creates later? (H1 to H7)
//
// Pure. `kube/dialects/job_set.cpp` reads the object.

#include "kube/json/field.hpp"
#include "model/facts/group.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace echelon::kube {

struct ReplicatedJob {
    model::Group group;  // The composite over its Jobs.
    model::Group job;    // Template of the leaves: one leaf per Job.
    std::int64_t replicas = 1;
    std::int64_t succeeded = 0;  // Jobs.
    std::string name;
    std::set<std::string> ended;  // Replicated jobs whose pods have ended before the pods of this one are created.
    std::string group_name;
    std::string pod_group;                     // The PodGroup of scheduler-plugins that its pods name; empty: none.
    std::optional<model::GroupKey> pods_name;  // The group of another dialect in the pod template.
    bool is_exclusive = false;                 // The pods of a Job are created after its first one has a node.
    bool asks_for_no_level = false;
};

// Supplements for PodGroups that the pods name, which assume that all pods are created at once. A JobSet that restarts
// resets its counts before it creates new pods.
[[nodiscard]] std::vector<model::Group> read_supplements(const std::vector<ReplicatedJob>& jobs,
                                                         const Metadata& metadata);
// The group that counts the pods of each Job for groups of other dialects (`model/gang/pods_to_come.hpp`).
[[nodiscard]] model::GroupKey pod_count_key(const model::GroupKey& replicated_job);
// These groups of all replicated jobs; empty: the JobSet creates all pods at once, or creates no more.
[[nodiscard]] std::vector<model::Group> read_pod_counts(const std::vector<ReplicatedJob>& jobs);

}  // namespace echelon::kube

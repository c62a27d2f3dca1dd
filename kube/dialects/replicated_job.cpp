#include "kube/dialects/replicated_job.hpp"

#include "kube/dialects/scheduler_plugins.hpp"
#include "model/gang/sub_group_selection.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace echelon::kube {

namespace {

using model::Group;
using model::GroupKey;

constexpr const char* pod_count_kind = "jobset-pods";

bool has_late_pods(const std::vector<ReplicatedJob>& jobs) {
    return std::ranges::any_of(jobs, [](const ReplicatedJob& job) { return job.job.start_set.has_value(); });
}

bool starts_later(const ReplicatedJob& job) {
    return job.job.start_set == 0;
}

// True if all late pods of one group are created once all its first pods have ended. `is_of`: true for the replicated
// jobs whose pods are in the group.
template <typename Predicate>
bool comes_in_two_stages(const std::vector<ReplicatedJob>& jobs, const Predicate& is_of) {
    std::set<std::string> first;
    for (const ReplicatedJob& job : jobs) {
        if (is_of(job) && !job.job.start_set)
            first.insert(job.name);
    }
    const auto fits = [&](const ReplicatedJob& job) {
        return !is_of(job) || !job.job.start_set || (*job.job.start_set == 0 && job.ended == first);
    };
    return !first.empty() && std::ranges::all_of(jobs, fits);
}

}  // namespace

std::vector<Group> read_supplements(const std::vector<ReplicatedJob>& jobs, const Metadata& metadata) {
    std::map<std::string, Group> groups;
    for (const ReplicatedJob& job : jobs) {
        if (job.pod_group.empty() || !has_late_pods(jobs))
            continue;
        Group& group = groups[job.pod_group];
        group.key = {std::string(scheduler_plugins_leaf), metadata.ns + "/" + job.pod_group};
        group.only_supplements = true;
        const auto pods = job.job.expected.value_or(0);
        group.expected = group.expected.value_or(0) + job.replicas * pods;
        group.start_set = group.start_set.value_or(0) + job.replicas * job.job.start_set.value_or(pods);
        group.ended += job.succeeded * pods;
        group.take_late_template(job.job);
    }
    for (auto& [name, group] : groups) {
        const auto is_of = [&](const ReplicatedJob& job) { return job.pod_group == name; };
        if (comes_in_two_stages(jobs, is_of))
            group.sorts.push_back(model::selector_after(group.key.kind, {group.key.name}));
    }
    std::vector<Group> out;
    out.reserve(groups.size());
    for (auto& [name, group] : groups) {
        out.push_back(std::move(group));
    }
    return out;
}

GroupKey pod_count_key(const GroupKey& replicated_job) {
    return {pod_count_kind, replicated_job.name};
}

namespace {

// All pods of later replicated jobs whose template names the same group; nullopt: there are none.
std::optional<Group> pods_created_later(const std::vector<ReplicatedJob>& jobs, const ReplicatedJob& beside) {
    Group later;
    std::int64_t pods = 0;
    for (const ReplicatedJob& job : jobs) {
        if (job.pods_name != beside.pods_name)
            continue;
        if (later.key.kind.empty())  // The first one is the same for all of them.
            later.key = pod_count_key(job.group.key);
        if (!starts_later(job))
            continue;
        pods += (job.replicas - job.succeeded) * job.job.expected.value_or(0);
        later.take_late_template(job.job);
    }
    if (pods == 0)
        return std::nullopt;
    later.expected = pods;
    return later;
}

Group pod_count_of(const ReplicatedJob& job, const std::vector<ReplicatedJob>& jobs) {
    Group count;
    count.key = pod_count_key(job.group.key);
    count.policy.needs_pods = true;
    count.expected = job.job.expected;
    count.start_set = job.job.start_set;
    count.minimum =
        std::min<std::int64_t>(job.is_exclusive ? 1 : job.job.expected.value_or(0), job.job.expected.value_or(0));
    count.take_late_template(job.job);
    if (std::optional<Group> later = pods_created_later(jobs, job))
        count.sorts.push_back(model::selector_of_parts(std::move(*later), {.first = 0, .end = 1}));
    const auto is_beside = [&job](const ReplicatedJob& other) { return other.pods_name == job.pods_name; };
    if (comes_in_two_stages(jobs, is_beside))
        count.sorts.push_back(model::selector_after(count.key.kind, {count.key.name}));
    return count;
}

}  // namespace

std::vector<Group> read_pod_counts(const std::vector<ReplicatedJob>& jobs) {
    std::vector<Group> counts;
    if (!has_late_pods(jobs))
        return counts;
    counts.reserve(jobs.size());
    for (const ReplicatedJob& job : jobs)
        counts.push_back(pod_count_of(job, jobs));
    return counts;
}

}  // namespace echelon::kube

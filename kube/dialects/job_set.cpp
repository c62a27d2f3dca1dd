#include "kube/dialects/job_set.hpp"

#include "base/kubernetes_names.hpp"
#include "kube/core/pod_decoder.hpp"
#include "kube/dialects/group_reading.hpp"
#include "kube/dialects/kueue.hpp"
#include "kube/dialects/replicated_job.hpp"
#include "kube/json/quoted_text.hpp"
#include "kube/membership.hpp"
#include "model/gang/sub_group_selection.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;

constexpr std::string_view exclusive_key = "alpha.jobset.sigs.k8s.io/exclusive-topology";
constexpr const char* job_key_label = "jobset.sigs.k8s.io/job-key";
constexpr const char* job_kind = "jobset-job";
constexpr std::string_view node_selector_key = "alpha.jobset.sigs.k8s.io/node-selector";

GroupKey root_key(std::string name) {
    return {"jobset", std::move(name)};
}

GroupKey job_key(std::string_view replicated_job, std::string_view index) {
    return {job_kind, fmt::format("{}/{}", replicated_job, index)};
}

// Sets `succeeded` from the status.
void count_succeeded(const Field& status, std::vector<ReplicatedJob>& jobs) {
    std::map<std::string_view, ReplicatedJob*> by_name;
    for (ReplicatedJob& job : jobs)
        by_name.emplace(job.name, &job);
    for (const Field& row : status.at("replicatedJobsStatus").items(group_bound(status.limits()))) {
        const auto count = row.integer("succeeded", 0, most_int32);
        const auto job = by_name.find(row.text("name"));
        if (count && job != by_name.end())
            job->second->succeeded = std::min(*count, job->second->replicas);
    }
}

bool has_ended(const Field& status) {
    if (!status.text("terminalState").empty())
        return true;
    const auto conditions = status.at("conditions").items(group_bound(status.limits()));
    return std::ranges::any_of(conditions, [](const Field& condition) {
        const std::string type = condition.text("type");
        return (type == "Completed" || type == "Failed") && condition.text("status") == "True";
    });
}

// The controller creates no pods for a JobSet that is suspended or has ended. Its succeeded pods stay, so nothing else
// says that the others don't come (H1).
void expect_no_more_pods(std::vector<ReplicatedJob>& jobs, bool have_ended) {
    for (ReplicatedJob& job : jobs) {
        job.job.start_set.reset();
        job.job.expected = 0;
        if (!have_ended)
            continue;
        job.job.minimum = 0;
        job.succeeded = job.replicas;
    }
}

void read_exclusive(const Field& annotations, Group& job, bool& is_late) {
    if (std::optional<std::string> level = level_in(annotations, exclusive_key, job, base::is_label_key)) {
        job.required = {std::move(*level)};
        is_late = annotations.text(node_selector_key) != "true";
    }
}

GroupKey replicated_key(const Metadata& metadata, const std::string& name) {
    return {"jobset-replicated-job", metadata.full_name() + "/" + name};
}

// The group that the template names for its pods; nullopt: none, or a controller adds it to each pod.
std::optional<GroupKey> group_in_template(const Field& pod, const std::string& ns) {
    const Field texts = pod.at("metadata");
    const Metadata metadata{
        .ns = ns, .name = {}, .uid = {}, .labels = texts.at("labels"), .annotations = texts.at("annotations")};
    std::optional<model::Membership> named = read_membership(pod, metadata);
    return named ? std::optional(std::move(named->leaf)) : std::nullopt;
}

ReplicatedJob read_replicated_job(const Field& item, const Metadata& metadata, bool starts_later) {
    ReplicatedJob out;
    out.name = item.required_text("name");
    out.group_name = item.text("groupName");
    out.replicas = item.groups("replicas", 0).value_or(1);
    out.group.key = replicated_key(metadata, out.name);
    out.group.kind = GroupKind::composite;
    out.job.parent = out.group.key;

    const Field job_template = item.at("template");
    const Field job = job_template.at("spec");
    const Field pod = job.at("template");
    const auto parallelism = job.integer("parallelism", 0, most_int32).value_or(1);
    const auto completions = job.integer("completions", 0, most_int32).value_or(parallelism);
    out.job.minimum = std::min(parallelism, completions);
    if (const Bound bound = member_bound(item.limits()); out.replicas * *out.job.minimum > bound.most) {
        item.excessive(beyond(out.replicas * *out.job.minimum, bound, " pods of all its Jobs"));
        out.job.minimum = 0;
    }
    out.job.expected = out.job.minimum;
    bool is_late = false;
    read_exclusive(pod.at("metadata").at("annotations"), out.job, is_late);
    read_exclusive(metadata.annotations, out.job, is_late);
    read_exclusive(job_template.at("metadata").at("annotations"), out.job, is_late);
    out.is_exclusive = is_late;
    if (starts_later) {
        out.job.start_set = 0;
    } else if (is_late) {
        out.job.start_set = 1;
    }
    if (out.job.start_set && pod.exists())
        read_late_template(pod, out.job);
    out.pod_group = pod.at("metadata").at("labels").text("scheduling.x-k8s.io/pod-group");
    out.pods_name = group_in_template(pod, metadata.ns);
    // For Kueue all Jobs together are one PodSet, and a slice without a size is a Job. Its pods must agree (Z30).
    out.group.topology_group = kueue_group;
    const Field wishes = pod.at("metadata").at("annotations");
    std::string slice;
    read_kueue_topology_request(wishes, out.replicas * *out.job.minimum, out.group, &slice);
    out.asks_for_no_level = is_unconstrained(wishes);
    if (!slice.empty())
        out.job.required.push_back(std::move(slice));
    count_ranks_across_jobs(out.group);
    return out;
}

bool is_in_order(const Field& policy) {
    const std::string order = policy.text("startupPolicyOrder");
    if (!order.empty() && order != "InOrder" && order != "AnyOrder")
        policy.wrong("startupPolicyOrder", fmt::format("must be InOrder or AnyOrder, not {}", shown(order)));
    return order == "InOrder";
}

constexpr std::size_t most_ended = 16;  // Beyond it, replicated jobs count as still running.

// The replicated jobs that have ended before this one starts: its dependencies with status Complete, and everything
// that had ended before those.
std::set<std::string> ended_before(const Field& item, const std::vector<ReplicatedJob>& known) {
    std::set<std::string> ended;
    for (const Field& dependency : item.at("dependsOn").items(group_bound(item.limits()))) {
        const std::string name = dependency.text("name");
        const auto job = std::ranges::find(known, name, &ReplicatedJob::name);
        if (job == known.end())
            continue;
        if (dependency.text("status") == "Complete")
            ended.insert(name);
        ended.insert(job->ended.begin(), job->ended.end());
    }
    while (ended.size() > most_ended)
        ended.erase(ended.begin());
    return ended;
}

model::SubGroupSelector selector_after_ended(const std::set<std::string>& ended, const Metadata& metadata) {
    std::vector<std::string> names;
    names.reserve(ended.size());
    for (const std::string& name : ended)
        names.push_back(replicated_key(metadata, name).name.str());
    return model::selector_after(replicated_key(metadata, "").kind, std::move(names));
}

std::vector<ReplicatedJob> read_replicated_jobs(const Field& spec, const Metadata& metadata) {
    std::vector<ReplicatedJob> jobs;
    std::set<std::string> names;
    const bool in_order = is_in_order(spec.at("startupPolicy"));
    const Bound most_groups = group_bound(spec.limits());
    std::int64_t count = 1;  // Groups: the root, and for each replicated job itself and its Jobs.
    for (const Field& item : spec.at("replicatedJobs").items(most_groups)) {
        const bool starts_later = (in_order && !jobs.empty()) || !item.at("dependsOn").items().empty();
        ReplicatedJob job = read_replicated_job(item, metadata, starts_later);
        if (!names.insert(job.name).second) {
            item.wrong("name", fmt::format("{} is given twice", shown(job.name)));
            continue;
        }
        if (const auto room = most_groups.most - count - 1; job.replicas > room) {
            item.excessive("replicas", beyond(count + 1 + job.replicas, most_groups, " groups with its Jobs"));
            // Pods name their Job. Without it they would wait for it, and the gang wouldn't be Invalid.
            job.replicas = std::min(job.replicas, std::max<std::int64_t>(room, 1));
        }
        count += 1 + job.replicas;
        job.ended = ended_before(item, jobs);
        if (!job.ended.empty())
            job.group.sorts.push_back(selector_after_ended(job.ended, metadata));
        jobs.push_back(std::move(job));
    }
    return jobs;
}

// The composites for groupName, and the parents of the replicated jobs.
std::vector<Group> read_groups(std::vector<ReplicatedJob>& jobs, const GroupKey& root) {
    std::vector<Group> groups;
    std::set<GroupKey> known;
    const bool is_used = std::ranges::any_of(jobs, [](const auto& job) { return !job.group_name.empty(); });
    for (ReplicatedJob& job : jobs) {
        job.group.parent = root;
        if (!is_used)
            continue;
        Group group;
        group.key = {"jobset-group", root.name + "/" + (job.group_name.empty() ? "default" : job.group_name)};
        group.kind = GroupKind::composite;
        group.parent = root;
        job.group.parent = group.key;
        if (known.insert(group.key).second)
            groups.push_back(std::move(group));
    }
    return groups;
}

}  // namespace

model::GroupSet read_job_set(const Field& object, const Metadata& metadata) {
    Group root;
    root.key = root_key(metadata.full_name());
    root.kind = GroupKind::composite;
    root.policy.needs_pods = true;
    read_identity(object, metadata, root);
    auto jobs = read_replicated_jobs(object.at("spec"), metadata);
    const Field status = object.at("status");
    count_succeeded(status, jobs);
    if (const bool have_ended = has_ended(status); have_ended || object.at("spec").flag("suspend", false))
        expect_no_more_pods(jobs, have_ended);

    model::GroupSet out{.owner = root.key, .uid = metadata.uid, .created = metadata.created};
    std::vector<Group> groups = read_groups(jobs, root.key);
    out.shared = read_supplements(jobs, metadata);
    std::vector<Group> counts = read_pod_counts(jobs);
    out.groups.push_back(std::move(root));
    std::ranges::move(groups, std::back_inserter(out.groups));
    for (ReplicatedJob& job : jobs) {
        job.group.minimum = job.replicas - job.succeeded;
        if (job.asks_for_no_level)
            out.shared.push_back(supplement_without_level(job.group.key));
        for (std::int64_t index = 0; index < job.replicas; ++index) {
            Group leaf = job.job;
            leaf.key = job_key(job.group.key.name, std::to_string(index));
            out.groups.push_back(std::move(leaf));
        }
        out.groups.push_back(std::move(job.group));
    }
    std::ranges::move(counts, std::back_inserter(out.groups));
    return out;
}

std::optional<model::Membership> job_set_membership(const Metadata& pod) {
    const auto label = [&pod](std::string_view key) { return pod.labels.text(key); };
    const std::string name = label("jobset.sigs.k8s.io/jobset-name");
    const std::string job = label("jobset.sigs.k8s.io/replicatedjob-name");
    const std::string index = label("jobset.sigs.k8s.io/job-index");
    if (name.empty() || job.empty() || index.empty())
        return std::nullopt;
    model::Membership out;
    out.leaf = job_key(fmt::format("{}/{}/{}", pod.ns, name, job), index);
    out.attempt =
        fmt::format("{}/{}/{}", label("jobset.sigs.k8s.io/jobset-uid"), label("jobset.sigs.k8s.io/restart-attempt"),
                    label("jobset.sigs.k8s.io/job-restart-attempt"));
    return out;
}

GroupKey replicated_job_of(const GroupKey& job) {
    return {"jobset-replicated-job", job.name.str().substr(0, job.name.str().rfind('/'))};
}

void count_ranks_across_jobs(Group& replicated_job) {
    if (!replicated_job.multiples.empty())
        replicated_job.sorts = {model::selector_across_children()};
}

bool is_job_of_job_set(const GroupKey& key) {
    return key.kind == job_kind;
}

std::optional<Group> supplement_of_job(const Metadata& pod, const GroupKey& leaf, bool are_job_sets_served) {
    const bool is_exclusive = pod.annotations.has(exclusive_key);
    const std::optional<model::Membership> job = are_job_sets_served ? job_set_membership(pod) : std::nullopt;
    const bool has_siblings =
        pod.labels.has(job_key_label) && pod.labels.text("jobset.sigs.k8s.io/global-replicas") != "1";
    const bool is_own_leaf = is_job_of_job_set(leaf);
    if (!is_exclusive && (is_own_leaf || (!job && !has_siblings)))
        return std::nullopt;
    Group group = supplement_to(leaf);
    bool is_late = false;
    read_exclusive(pod.annotations, group, is_late);
    if (!is_own_leaf) {
        group.about = model::LabelledPods{job_key_label, pod.labels.text(job_key_label)};
        model::LabelledPods& about = group.about.edit();
        if (job && about.value.empty())
            about.value = job->leaf.name;
        if (job)  // In other dialects only the JobSet knows how many pods will come.
            group.described_by = pod_count_key(replicated_job_of(job->leaf));
    } else if (is_late) {
        group.start_set = 1;
    }
    return group;
}

}  // namespace echelon::kube

// When do running pods end, as far as anybody has declared it? (Q17)

#include "model/cluster/cluster_state.hpp"

#include <algorithm>

namespace echelon::model {

namespace {

constexpr std::int64_t longest_deadline = 1'000'000'000'000;  // Seconds; sums stay small.

}  // namespace

void Cluster::State::on(const JobSeen& event, Change& change) {
    if (event.ends == 0)
        return on(JobGone{event.uid}, change);
    auto& known = job_ends[event.uid];
    change.may_free_room = known != event.ends;  // Gangs that wait may get another promise.
    known = event.ends;
}

void Cluster::State::on(const JobGone& event, Change&) {
    job_ends.erase(event.uid);
}

std::int64_t Cluster::declared_end(const Pod& pod) const {
    std::int64_t end = 0;
    const auto take = [&](std::int64_t at) {
        if (at > 0)
            end = end == 0 ? at : std::min(end, at);
    };
    if (pod.active_deadline > 0 && pod.started > 0 && !pod.node.empty())
        take(pod.started + std::min(pod.active_deadline, longest_deadline));
    if (!pod.job->empty()) {
        if (const auto job = state_->job_ends.find(*pod.job); job != state_->job_ends.end())
            take(job->second);
    }
    if (state_->have_groups_ends && pod.membership) {
        if (const auto* group = state_->forest.find(pod.membership->leaf))
            take(group->ends);
    }
    return end;
}

std::vector<Cluster::DeclaredEnd> Cluster::declared_ends() const {
    std::vector<DeclaredEnd> ends;
    for (const auto& row : state_->pods) {
        if (!row->pod.occupies())
            continue;
        if (const auto at = declared_end(row->pod); at > 0)
            ends.push_back({&row->pod, at});
    }
    return ends;
}

std::vector<const Pod*> Cluster::pods_of_nodes() const {
    std::vector<const Pod*> pods;
    for (const auto& row : state_->pods) {
        if (row->pod.occupies() && row->pod.is_of_node)
            pods.push_back(&row->pod);
    }
    return pods;
}

}  // namespace echelon::model

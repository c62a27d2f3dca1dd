// What does a gang take from the GangPlan of an earlier run or leader?

#include "engine/records/plan_records.hpp"
#include "model/gang/gang_facts.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr std::int64_t last_epoch = INT64_MAX / 2;  // A record may name any epoch; a next one must exist.

// Members that ran before the commit of the record: the record marks them. A member that has ended ran before, unless
// the record names it.
model::RunningBefore ran_before_of(const model::PlanRecord& record, const model::Cluster& cluster) {
    model::RunningBefore before;
    std::set<std::string_view> recorded;
    for (const auto& seat : record.seats) {
        recorded.insert(seat.uid);
        if (seat.ran_before)
            before.insert(seat.uid);
    }
    for (const auto* pod : cluster.members_of(record.root)) {
        if (!recorded.contains(pod->uid) && pod->is_finished())
            before.insert(pod->uid);
    }
    return before;
}

// The groups of a member, its leaf first, without the root.
std::vector<model::GroupKey> groups_below_root(const model::Cluster& cluster, const model::GroupKey& root,
                                               const model::Pod& member) {
    std::vector<model::GroupKey> groups;
    auto key = member.membership->leaf;
    while (key != root && std::ranges::find(groups, key) == groups.end()) {
        groups.push_back(key);
        const auto* group = cluster.group(key);
        if (group == nullptr || !group->parent)
            break;
        key = *group->parent;
    }
    return groups;
}

// Groups below the root with a bound member. None if a group counts only waiting members: a bound one says nothing
// about a commit there.
std::set<model::GroupKey> begun_groups(const model::Cluster& cluster, const model::GroupKey& root) {
    std::set<model::GroupKey> begun;
    for (const auto* member : cluster.members_of(root)) {
        const auto* leaf = cluster.group(member->membership->leaf);
        if (leaf != nullptr && leaf->policy.counts_only_waiting)
            return {};
        if (!member->node.empty()) {
            const auto groups = groups_below_root(cluster, root, *member);
            begun.insert(groups.begin(), groups.end());
        }
    }
    return begun;
}

}  // namespace

// Any client with write access to GangPlans may name pods of other gangs there: only members count.
bool PlanRecords::is_member(const GangState& gang, const base::Text& uid) const {
    const auto* pod = facts_.cluster.pod(uid);
    return pod != nullptr && facts_.cluster.root_of(*pod) == gang.root();
}

bool PlanRecords::is_waiting(const GangState& gang, const base::Text& uid) const {
    const auto* pod = facts_.cluster.pod(uid);
    return is_member(gang, uid) && pod->node.empty() && !pod->deleting && !pod->is_finished();
}

void PlanRecords::expect_adoption(GangState& gang) {
    gang.record(Key<PlanRecords>()).is_adopted = false;
    not_adopted_.insert(gang.root());
}

bool PlanRecords::adopt(GangState& gang) {
    auto& state = gang.record(Key<PlanRecords>());
    if (std::exchange(state.is_adopted, true))
        return false;
    not_adopted_.erase(gang.root());
    const auto found = seen_records_.find(gang.root());
    if (found == seen_records_.end())
        return false;
    const auto& record = found->second.record;
    state.name = record.name;
    state.uid = found->second.uid;
    state.written = record;
    const bool is_over = is_completed(gang, record);
    state.kept_epoch = std::min(record.epoch, last_epoch);
    if (!is_over) {
        state.epoch = state.kept_epoch;
        state.completed_epoch = -1;
    }
    event_reporter_.note_reported(gang, record);
    // If all recorded pods are gone, the record is about an earlier attempt and means nothing any more.
    const auto is_its = [&](const model::RecordedSeat& seat) { return is_member(gang, seat.uid); };
    if (std::ranges::none_of(record.seats, is_its))
        return true;
    if (is_over) {
        gang.lifecycle.found_bound(gang.roster);
    } else if (record.phase == model::Phase::committed) {
        if (gang.lifecycle.was_bound())
            gang.lifecycle.attempt_ended(gang.roster);
        adopt_commit(gang, record, record.seats);
    } else if (const auto open = begun_seats(gang, record); !open.empty()) {
        adopt_commit(gang, record, open);
    } else if (record.phase == model::Phase::bound || record.phase == model::Phase::degraded) {
        gang.lifecycle.found_bound(gang.roster);
    } else if (gang.lifecycle.was_bound()) {
        gang.lifecycle.attempt_ended(gang.roster);
    }
    return true;
}

// The record is of this process, or that of another one whose commit it took up. Other leaders have later epochs in the
// same GangPlan.
bool PlanRecords::is_completed(const GangState& gang, const model::PlanRecord& record) const {
    const auto& state = gang.record();
    const bool is_own = !record.holder.empty() && record.holder == facts_.options.identity;
    return record.phase == model::Phase::committed && record.epoch <= state.completed_epoch &&
           (is_own || record.epoch == state.kept_epoch);
}

std::vector<model::RecordedSeat> PlanRecords::begun_seats(const GangState& gang,
                                                          const model::PlanRecord& record) const {
    if (record.phase != model::Phase::bound || gang.lifecycle.stage() == Stage::degraded)
        return {};
    const auto begun = begun_groups(facts_.cluster, gang.root());
    auto seats = record.seats;
    std::erase_if(seats, [&](const model::RecordedSeat& seat) {
        if (!is_waiting(gang, seat.uid))
            return true;
        const auto groups = groups_below_root(facts_.cluster, gang.root(), *facts_.cluster.pod(seat.uid));
        return std::ranges::none_of(groups, [&](const auto& group) { return begun.contains(group); });
    });
    return seats;
}

void PlanRecords::adopt_commit(GangState& gang, const model::PlanRecord& record,
                               std::span<const model::RecordedSeat> open) {
    auto& state = gang.record(Key<PlanRecords>());
    state.was_commit_adopted = true;
    state.committed_epoch = state.epoch;
    seating_.set_timeout(gang, model::timeout_of(facts_.cluster.facts(gang.root())));
    gang.roster.set_ran_before(ran_before_of(record, facts_.cluster));
    for (const auto& seat : open) {
        if (!is_waiting(gang, seat.uid))
            continue;
        const auto& pod = *facts_.cluster.pod(seat.uid);
        if (room_.fits(seat.node, pod.pod_class.requests))
            seating_.restore(gang, pod, seat.node);
    }
    seating_.extend(gang);
    gang.lifecycle.record_found(gang.roster);
    outbox_.note(Note::Level::info, gang.root(),
                 fmt::format("found its commit record, rolling forward: {} of {} seats to bind",
                             gang.roster.seats().size(), record.seats.size()));
}

}  // namespace echelon::engine

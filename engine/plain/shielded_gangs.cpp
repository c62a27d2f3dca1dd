#include "engine/plain/shielded_gangs.hpp"

#include "model/gang/gang_facts.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace echelon::engine {

namespace {

using model::GroupFacts;
using model::MemberStatus;

model::RunningGroup running_group(const GroupFacts& facts, bool is_root) {
    model::RunningGroup group;
    group.parent = is_root ? model::nowhere : facts.branch.parent;
    group.is_leaf = facts.is_leaf();
    group.minimum = facts.minimum();
    if (group.is_leaf)
        group.finished = std::ranges::count(facts.pods, MemberStatus::finished, &model::PodFacts::status);
    group.floor = facts.floor();
    if (const auto* declared = facts.group())
        group.goes_whole = declared->disruption == model::DisruptionMode::all;
    return group;
}

// If the declaration is wrong, nothing says which members are extras: the gang goes as a whole.
bool is_faulty(const model::GangFacts& facts) {
    return facts.is_cycle || std::ranges::any_of(facts.groups, [](const GroupFacts& group) {
               return group.group() != nullptr && !group.group()->problem.empty();
           });
}

model::RunningGang running_gang(const model::GangFacts& facts) {
    model::RunningGang gang;
    for (const auto& group : facts.groups) {
        auto& here = gang.groups.emplace_back(running_group(group, gang.groups.empty()));
        here.first_pod = static_cast<std::uint32_t>(gang.pods.size());
        for (const auto& row : group.pods) {
            if (here.is_leaf && row.status == MemberStatus::bound)
                gang.pods.emplace_back().uid = row.pod->uid;
        }
        here.last_pod = static_cast<std::uint32_t>(gang.pods.size());
    }
    for (std::size_t index = gang.groups.size(); index-- > 1;) {  // Pre-order: a subtree ends with its last group.
        auto& parent = gang.groups[gang.groups[index].parent];
        parent.last_pod = std::max(parent.last_pod, gang.groups[index].last_pod);
    }
    if (is_faulty(facts) && !gang.groups.empty())
        gang.groups.front().goes_whole = true;
    return gang;
}

}  // namespace

void ShieldedGangs::note(const model::GroupKey& root, Cause cause) {
    is_noted_ = true;
    // A gang that has no bound members yet has nothing to lose.
    is_urgent_ = is_urgent_ || cause == Cause::members || (cause == Cause::facts && uids_.contains(root));
    if (cause != Cause::unrelated)
        changed_.insert(root);
}

void ShieldedGangs::refresh() {
    if (due() > facts_.now)
        return;
    last_ = facts_.now;
    is_noted_ = is_urgent_ = false;
    // A pod may have moved from one gang to another: old entries are removed first.
    for (const auto& root : changed_)
        forget(root);
    for (const auto& root : std::exchange(changed_, {}))
        update(root);
}

void ShieldedGangs::update(const model::GroupKey& root) {
    if (!facts_.cluster.has_root(root))
        return;
    auto gang = std::make_shared<const model::RunningGang>(running_gang(facts_.cluster.facts(root)));
    if (gang->pods.empty())
        return;
    auto& uids = uids_[root];
    for (const auto& pod : gang->pods) {
        uids.push_back(pod.uid);
        const auto shard = Shield::shard_of(pod.uid);
        gangs_[shard][pod.uid] = gang;
        is_stale_.set(shard);
    }
}

void ShieldedGangs::forget(const model::GroupKey& root) {
    const auto uids = uids_.extract(root);
    if (uids.empty())
        return;
    for (const auto& uid : uids.mapped()) {
        const auto shard = Shield::shard_of(uid);
        gangs_[shard].erase(uid);
        is_stale_.set(shard);
    }
}

std::shared_ptr<const Shield> ShieldedGangs::publish() {
    if (shield_ != nullptr && is_stale_.none())
        return shield_;
    for (std::size_t at = 0; at < shards_.size(); ++at) {
        if (is_stale_.test(at))
            shards_[at] = std::make_shared<const Shield::Shard>(gangs_[at]);
    }
    is_stale_.reset();
    return shield_ = std::make_shared<const Shield>(shards_);
}

}  // namespace echelon::engine

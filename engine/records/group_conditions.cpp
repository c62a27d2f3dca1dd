#include "engine/records/group_conditions.hpp"

#include "base/split.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr Time rewrite_interval{10'000};  // The sentence on one object isn't changed more often.
constexpr Time conflict_retry{1000};      // By then the watch shows what others have written.
constexpr Time unknown_retry{5000};
constexpr Time rejected_retry{300'000};  // A right may have been granted, or this echelon leads again.
// For one gang: writes for other gangs must not wait for thousands of groups.
constexpr std::size_t most_under_way = 32;

constexpr std::string_view placed_reason = "Scheduled";
constexpr std::string_view refused_reason = "Unschedulable";

// Why groups of a gang aren't placed.
class Causes {
public:
    explicit Causes(const GangState& gang) : plan_(gang.plan()), was_bound_(gang.lifecycle.was_bound()) {
        has_culprit_ = plan_.refusal && std::ranges::any_of(gang.conditions().groups, [this](const auto& row) {
                           return row.key.name == plan_.refusal->group;
                       });
    }

    // Empty: there is nothing to say yet.
    [[nodiscard]] std::string of(const model::GroupKey& group) const {
        if (!plan_.refusal)
            return was_bound_ && plan_.has_unseated_members ? plan_.message : std::string();
        if (!has_culprit_ || group.name == plan_.refusal->group)
            return plan_.refusal->sentence;
        return fmt::format("waits for group {}, which is unschedulable", plan_.refusal->group);
    }

private:
    const PlanState& plan_;
    bool was_bound_;
    bool has_culprit_;  // The group that causes the refusal has a condition itself.
};

}  // namespace

void GroupConditions::update_groups(GangState& gang, const model::Gang& built, Tree tree) {
    const auto& profiles = facts_.options.profiles;
    const bool is_on_somewhere = std::ranges::any_of(profiles, [](const auto& each) { return each.second.conditions; });
    if (!is_on_somewhere && !gang.has_conditions())
        return;
    std::vector<ConditionState::Row> rows;
    std::set<std::string_view> uids;
    for (std::uint32_t g = 0; g < built.groups.size(); ++g) {
        const auto* group = facts_.cluster.group(built.groups[g].key);
        if (group == nullptr || !group->placed || group->uid.empty())
            continue;
        uids.insert(group->uid);
        rows.push_back({built.groups[g].key, tree == Tree::as_counted ? g : model::nowhere});
    }
    if (rows.empty() && !gang.has_conditions())
        return;
    auto& state = gang.conditions(Key<GroupConditions>());
    state.groups = std::move(rows);
    std::erase_if(state.written,
                  [&](const auto& each) { return !each.second.is_under_way && !uids.contains(each.first); });
}

void GroupConditions::schedule(GangState& gang) {
    if (gang.has_conditions())
        gang.conditions(Key<GroupConditions>()).due = Time{0};
}

void GroupConditions::write(GangState& gang) {
    if (!gang.has_conditions())
        return;
    auto& state = gang.conditions(Key<GroupConditions>());
    state.due = never;
    if (state.groups.empty() || !facts_.may_act() || !is_on(gang))
        return;
    const auto& roster = gang.roster;
    const auto placed = roster.quorum().satisfied_as_declared(roster.counts().bound());
    const Causes causes(gang);
    state.has_more = false;
    for (const auto& row : state.groups) {
        state.has_more = state.under_way >= most_under_way;
        if (state.has_more)
            return;
        const bool was_whole = row.key == gang.root() && gang.lifecycle.was_bound();
        const bool is_met = was_whole || (row.group < placed.size() && placed[row.group] != 0);
        write_one(state, gang, row, is_met, is_met ? std::string() : causes.of(row.key));
    }
}

void GroupConditions::write_one(ConditionState& state, const GangState& gang, const ConditionState::Row& row,
                                bool is_met, std::string sentence) {
    using Status = model::PlacedCondition::Status;
    const auto* group = facts_.cluster.group(row.key);
    if (group == nullptr || !group->placed || (!is_met && sentence.empty()))
        return;
    const auto& shown = *group->placed;
    if (shown.status == Status::met)
        return;
    const auto before = state.written.find(group->uid);
    const bool was_written = before != state.written.end();
    if (was_written) {
        const auto& last = before->second;
        const bool is_same = last.is_met == is_met && last.message == sentence && last.generation == group->generation;
        if (last.is_met || last.is_under_way || is_same)
            return;
        if (!is_met && facts_.now < last.at + rewrite_interval) {
            state.due = std::min(state.due, last.at + rewrite_interval);
            return;
        }
    } else if (!is_met && shown.status == Status::not_met && shown.message == sentence &&
               shown.generation == group->generation) {
        return;  // An earlier echelon has written it.
    }
    const auto [ns, name] = base::split_at_slash(row.key.name);
    model::WriteGroupCondition write{.api_version = group->api_version,
                                     .api_kind = group->api_kind,
                                     .ns = std::string(ns),
                                     .name = std::string(name),
                                     .uid = group->uid,
                                     // Another echelon may have written that the group was placed. That must stay.
                                     .version = is_met ? std::string() : shown.version,
                                     .type = shown.type,
                                     .is_met = is_met,
                                     .reason = std::string(is_met ? placed_reason : refused_reason),
                                     .message = sentence,
                                     .generation = group->generation,
                                     .is_transition = is_met || (shown.status == Status::absent && !was_written)};
    state.written.insert_or_assign(group->uid, ConditionState::Written{.is_met = is_met,
                                                                       .message = std::move(sentence),
                                                                       .generation = group->generation,
                                                                       .at = facts_.now,
                                                                       .is_under_way = true});
    ++state.under_way;
    outbox_.write({WriteTarget::Purpose::condition, gang.root(), group->uid}, std::move(write));
}

void GroupConditions::on_written(GangState& gang, const base::Text& uid, const model::Outcome& outcome) {
    using Kind = model::Outcome::Kind;
    auto& state = gang.conditions(Key<GroupConditions>());
    const auto last = state.written.find(uid);
    if (last == state.written.end() || !std::exchange(last->second.is_under_way, false))
        return;  // An earlier gang of that name wrote it.
    --state.under_way;
    if (state.has_more && state.under_way == 0)
        state.due = facts_.now;
    if (outcome.kind == Kind::conflict || outcome.kind == Kind::unknown || outcome.kind == Kind::rejected) {
        state.written.erase(last);
        const auto delay = outcome.kind == Kind::conflict  ? conflict_retry
                           : outcome.kind == Kind::unknown ? unknown_retry
                                                           : rejected_retry;
        state.due = std::min(state.due, facts_.now + delay);
    }
    // What was not sent, since the lead has ended, is rejected too.
    if (outcome.kind == Kind::rejected && facts_.leads && !std::exchange(is_refused_, true))
        outbox_.note(Note::Level::warning, gang.root(),
                     fmt::format("the conditions of its groups can't be written: {}", outcome.sentence));
}

// The profile is not known before a member exists.
bool GroupConditions::is_on(const GangState& gang) const {
    for (const auto& row : gang.roster.members()) {
        const auto* pod = facts_.cluster.pod(row.uid);
        if (pod == nullptr)
            continue;
        const auto profile = facts_.options.profiles.find(pod->scheduler_name);
        return profile != facts_.options.profiles.end() && profile->second.gang && profile->second.conditions;
    }
    return false;
}

}  // namespace echelon::engine

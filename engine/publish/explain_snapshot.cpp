// Copies what a verdict is based on out of the engine's state; changes nothing.

#include "engine/publish/explain_snapshot.hpp"

#include "engine/state.hpp"
#include "engine/surroundings.hpp"
#include "model/gang/gang_facts.hpp"
#include "model/gang/member_names.hpp"

#include <algorithm>
#include <utility>

namespace echelon::engine {

namespace {

// Members with a seat count as bound there, placeholders too.
void seat_members(const GangState& gang, ExplainSnapshot& result) {
    const auto& placeholders = gang.hold().placeholders;
    for (std::uint32_t m = 0; m < result.gang.members.size(); ++m) {
        auto& member = result.gang.members[m];
        if (member.state != model::Member::State::waiting || (member.is_placeholder && placeholders.empty()))
            continue;
        const auto uid = model::uid_of(result.gang, m);
        const auto* seat = gang.roster.seat(uid);
        const auto placeholder = placeholders.find(uid);
        std::optional<model::NodeId> node;
        if (seat != nullptr) {
            node = result.snapshot.node(seat->node);
        } else if (placeholder != placeholders.end()) {
            node = result.snapshot.node(placeholder->second.node);
        }
        if (node) {
            member.state = model::Member::State::bound;
            member.node = *node;
        }
    }
}

}  // namespace

std::optional<ExplainSnapshot> Engine::State::explain_snapshot(const model::GroupKey& root) const {
    const auto* gang = gangs_.find(root);
    if (gang == nullptr)
        return std::nullopt;
    const auto& cluster = facts_.cluster;
    ExplainSnapshot result;
    result.snapshot = room_.snapshot();
    static_cast<void>(refused_nodes_.close(result.snapshot, root));
    result.gang = gang_planner_.build(*gang, result.snapshot);
    result.context = context_of(cluster, result.snapshot);
    auto nominated = room_.take_nominated(result.snapshot, result.gang.priority);
    append_nominated(result.context, cluster, result.snapshot, nominated);
    nominated.keep();
    // Asked first, since members with a seat aren't bound yet.
    const bool ignores_all = GangPlanner::ignores_reservations(*gang, result.gang);
    seat_members(*gang, result);
    const auto passes = [&](const DomainReservation& each) {
        return ignores_all || may_pass(facts_, result.gang, each);
    };
    const auto closed = reservations_.closed_to(root, result.snapshot, passes);
    PossibleVictims victims;
    for (const auto* held : ledger_.holds()) {
        const auto& [uid, hold] = *held;
        const auto node = result.snapshot.node(hold.node);
        if (!node || hold.owner == root)
            continue;
        const auto* other = gangs_.find(hold.owner);
        if (other != nullptr && !closed.contains(*node) && YieldingSeats::yields(*other, uid, result.gang.priority))
            victims.yielding.push_back(result.context.occupants.size());
        append_hold(result.context, cluster, uid, hold, *node);
    }
    for (const auto& [owner, reservation] : reservations_.all()) {
        if (owner != root && !passes(reservation))
            take_reservation(result.context, result.snapshot, owner, reservation);
    }
    if (gang->plan().refusal)
        result.refused = gang->plan().refusal->reason;
    result.record = records_.record_of(*gang);
    const bool has_begun = std::ranges::any_of(
        result.gang.members, [](const model::Member& member) { return member.state == model::Member::State::bound; });
    if (result.refused == model::Reason::no_room && !has_begun && model::preempts(cluster.facts(root))) {
        victims.running = preemptor_.running(result.snapshot, result.gang);
        closed.protect_pods(victims.running);
        victims.most_pods = facts_.options.preemption.most_victims;
        result.victims = std::move(victims);
    }
    return result;
}

}  // namespace echelon::engine

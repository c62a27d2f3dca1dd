#include "engine/preempt/yielding_seats.hpp"

#include "engine/texts.hpp"

#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

namespace echelon::engine {

namespace {

using Which = YieldingSeats::Which;

bool may_yield(const GangState& gang, std::int64_t priority, Which which) {
    const auto stage = gang.lifecycle.stage();
    const bool is_held = stage == Stage::held || stage == Stage::clearing;
    const bool has_seats = stage == Stage::bound || (which == Which::with_holds && is_held);
    return has_seats && !gang.lifecycle.is_committing() && gang.tree().priority < priority;
}

}  // namespace

bool YieldingSeats::yields(const GangState& gang, const base::Text& uid, std::int64_t priority) {
    const auto* seat = gang.roster.seat(uid);
    const bool is_unbound = seat == nullptr ? gang.hold().placeholders.contains(uid) : !is_under_way(*seat);
    return is_unbound && may_yield(gang, priority, Which::with_holds);
}

std::vector<YieldingSeat> YieldingSeats::below(std::int64_t priority, const ClosedNodes& closed,
                                               const model::Snapshot& snapshot, Which which) {
    std::vector<YieldingSeat> seats;
    const auto add = [&](GangState& gang, const base::Text& uid, const std::string& on) {
        // Room that victims have yet to leave is no room for anybody else.
        const auto node = ledger_.has_leaving(gang.root(), on) ? std::nullopt : snapshot.node(on);
        if (node && !closed.contains(*node))
            seats.push_back({&gang, uid, on});
    };
    std::size_t owners = 0;
    ledger_.for_each_owner([&](const model::GroupKey& root) {
        ++owners;
        auto* gang = gangs_.find(root);
        if (gang == nullptr || !may_yield(*gang, priority, which))
            return;
        for (const auto& uid : gang->roster.not_under_way())
            add(*gang, uid, gang->roster.seat(uid)->node);
        for (const auto& [name, seat] : gang->hold().placeholders)
            add(*gang, name, seat.node);
    });
    work_.add(1 + owners / 16);
    return seats;
}

YieldingSeats::Opened YieldingSeats::open(model::Snapshot& snapshot, const std::vector<YieldingSeat>& seats) const {
    return {snapshot, ledger_, seats};
}

void YieldingSeats::Opened::shift(std::int64_t sign) {
    for (const auto& one : seats_) {
        const auto* hold = ledger_.find(one.uid);
        if (hold == nullptr)
            continue;
        if (const auto node = snapshot_.node(hold->node))
            shift_hold(snapshot_, *node, *hold, sign);
    }
}

void YieldingSeats::end_on_nodes_of(const solver::Plan& plan, const model::Snapshot& snapshot,
                                    const std::vector<YieldingSeat>& seats) {
    std::set<std::string_view> nodes;
    for (const auto& seat : plan.seats)
        nodes.insert(snapshot.node_names[seat.node]);
    for (const auto& one : seats) {
        if (!nodes.contains(one.node))
            continue;
        if (one.gang->hold().placeholders.contains(one.uid)) {
            seating_.end_placeholder(*one.gang, one.uid);
        } else {
            seating_.end(*one.gang, one.uid, texts::yielded);
        }
        queue_.mark(*one.gang);
    }
}

}  // namespace echelon::engine

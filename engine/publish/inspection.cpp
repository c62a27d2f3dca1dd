#include "engine/publish/inspection.hpp"

#include "engine/engine.hpp"
#include "engine/state.hpp"

#include <algorithm>
#include <tuple>

namespace echelon::engine {

namespace {

std::string_view state_of(const GangState& gang, const SeatState* seat) {
    if (seat == nullptr)
        return "expected";
    if (is_under_way(*seat))
        return "binding";
    if (seat->binding == SeatState::Binding::arrived)
        return "waiting";
    if (gang.lifecycle.is_clearing())
        return "clearing";
    return gang.lifecycle.is_committing() ? "committed" : "held";
}

}  // namespace

std::vector<HeldSeat> Engine::State::held_seats() const {
    std::vector<HeldSeat> seats;
    for (const auto* held : ledger_.holds()) {
        const auto& [uid, hold] = *held;
        HeldSeat seat{.pod = uid, .gang = hold.owner.name, .node = hold.node, .state = "binding", .requests = {}};
        seat.requests = hold.requests;
        if (const auto* pod = facts_.cluster.pod(uid))
            seat.pod = pod->full_name();
        if (const auto* gang = gangs_.find(hold.owner)) {
            const auto* own = gang->roster.seat(uid);
            seat.state = state_of(*gang, own);
            const auto end = own == nullptr ? end_of_placeholder(*gang, uid.str()) : gang->hold().expires_at;
            if (end != never && !gang->lifecycle.is_committing())
                seat.ends_in = std::max(end - facts_.now, Time{0});
        }
        seats.push_back(std::move(seat));
    }
    std::ranges::sort(seats, {}, [](const HeldSeat& seat) { return std::tie(seat.node, seat.pod); });
    return seats;
}

TopologyView Engine::State::topology_view() const {
    TopologyView view{.snapshot = room_.snapshot(), .nodes = {}, .faults = facts_.cluster.topology_faults()};
    view.nodes.reserve(view.snapshot.node_count());
    for (const auto& name : view.snapshot.node_names)
        view.nodes.push_back(facts_.cluster.node(name).value_or(model::Node{}));
    return view;
}

}  // namespace echelon::engine

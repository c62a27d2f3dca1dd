#include "engine/survey.hpp"

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
    return gang.commit == GangState::Commit::none ? "held" : "committed";
}

}  // namespace

std::vector<HeldSeat> Engine::held_seats() const {
    std::vector<HeldSeat> seats;
    for (const auto& [uid, hold] : state_->ledger.holds()) {
        HeldSeat seat{.pod = uid, .gang = hold.owner.name, .node = hold.node, .state = "binding", .requests = {}};
        seat.requests = hold.requests;
        if (const auto* pod = state_->cluster.pod(uid))
            seat.pod = pod->full_name();
        if (const auto found = state_->gangs.find(hold.owner); found != state_->gangs.end()) {
            const auto& gang = found->second;
            const auto own = gang.seats.find(uid);
            seat.state = state_of(gang, own == gang.seats.end() ? nullptr : &own->second);
            const auto end = own == gang.seats.end() ? gang.placeholders_until : gang.expires_at;
            if (end != never && gang.commit == GangState::Commit::none)
                seat.ends_in = std::max(end - state_->now, Time{0});
        }
        seats.push_back(std::move(seat));
    }
    std::ranges::sort(seats, {}, [](const HeldSeat& seat) { return std::tie(seat.node, seat.pod); });
    return seats;
}

Survey Engine::survey() const {
    Survey survey{.snapshot = state_->planning_snapshot(), .nodes = {}, .faults = state_->cluster.topology_faults()};
    survey.nodes.reserve(survey.snapshot.node_count());
    for (const auto& name : survey.snapshot.node_names) {
        survey.nodes.push_back(state_->cluster.node(name).value_or(model::Node{}));
    }
    return survey;
}

}  // namespace echelon::engine

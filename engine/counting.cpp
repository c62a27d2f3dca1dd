// Figures for /metrics: how long members waited, what is counted by level, which promise was found broken.

#include "engine/state.hpp"

#include <utility>

namespace echelon::engine {

namespace {

constexpr Time census_delay{10'000};  // Counting takes a snapshot: not for every node that changes.
}  // namespace

void Engine::State::count(GangState& gang) {
    if (!gang.seats.empty() && gang.commit == GangState::Commit::none && gang.expires_at == never)
        violated(Invariant::holds_finite, &gang, "it holds seats that have no end");
    GangShare share{.is_counted = true, .phase = phase(gang), .reason = {}, .level = {}};
    if (gang.refusal) {
        share.reason = gang.refusal->reason;
        share.level = gang.refusal->level;
    }
    const auto seats = static_cast<std::uint32_t>(gang.seats.size() + gang.placeholders.size());
    (gang.commit == GangState::Commit::none ? share.held_seats : share.committed_seats) = seats;
    figures.replace(gang.counted, std::move(share));
}

void Engine::State::end_wait(SeatState& seat, WaitResult result) {
    if (seat.arrived_at == never)
        return;
    figures.waited(result, now - std::exchange(seat.arrived_at, never));
}

void Engine::State::schedule_topology_counts(const model::Event& event, const model::Change& change) {
    const bool is_new_room = std::holds_alternative<model::NodeSeen>(event) && change.may_free_room;
    const bool is_about_topology =
        !change.nodes.empty() || is_new_room || std::holds_alternative<model::TopologySeen>(event) ||
        std::holds_alternative<model::TopologyGone>(event) || std::holds_alternative<model::DomainSeen>(event) ||
        std::holds_alternative<model::DomainGone>(event);
    if (is_about_topology && census_at == never && unsynced.empty())
        census_at = now + census_delay;
}

void Engine::State::count_topology() {
    if (census_at > now)
        return;
    census_at = never;
    work(work_of_snapshot());
    figures.count_topology(cluster.snapshot());
}

void Engine::State::violated(Invariant invariant, const GangState* gang, std::string sentence) {
    figures.violated(invariant, gang != nullptr ? gang->root : model::GroupKey{}, std::move(sentence));
}

}  // namespace echelon::engine

// Figures for /metrics: how long members waited, what is counted by level, which promise was found broken.

#include "engine/state.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr Time census_delay{10'000};  // Counting takes a snapshot: not for every node that changes.
constexpr std::string_view host_level = "kubernetes.io/hostname";

// Distinct domains of each level. A key that several trees list counts each path once; hosts are the nodes.
std::map<std::string, std::uint32_t> domains_by_level(const model::Snapshot& snapshot) {
    std::map<std::string, std::set<std::string_view>> paths;
    for (const auto& tree : snapshot.trees) {
        for (std::size_t depth = 0; depth < tree.keys.size(); ++depth) {
            auto& of_key = paths[tree.keys[depth]];
            if (tree.keys[depth] == host_level)
                continue;
            for (const auto& domain : tree.domains[depth])
                of_key.insert(domain.path);
        }
    }
    std::map<std::string, std::uint32_t> counts;
    for (const auto& [key, of_key] : paths)
        counts[key] = static_cast<std::uint32_t>(key == host_level ? snapshot.node_count() : of_key.size());
    return counts;
}

std::uint32_t unmapped_nodes(const model::Snapshot& snapshot) {
    const auto& tree = snapshot.trees.front();
    std::uint32_t unmapped = 0;
    for (model::NodeId node = 0; node < snapshot.node_count(); ++node) {
        const auto lacks = [node](const auto& domain_of) { return domain_of[node] == model::nowhere; };
        unmapped += std::ranges::any_of(tree.domain_of, lacks) ? 1U : 0U;
    }
    return unmapped;
}

}  // namespace

void Engine::State::uncount(GangState& gang) {
    const auto& counted = gang.counted;
    if (!counted.is_counted)
        return;
    --stats.gangs_by_phase[static_cast<std::size_t>(counted.phase)];
    if (counted.reason) {
        --stats.unplaced_by_reason[static_cast<std::size_t>(*counted.reason)];
        const auto row = census.unplaced.find({*counted.reason, counted.level});
        if (--row->second == 0)
            census.unplaced.erase(row);
        published_census.reset();
    }
    stats.held_seats -= counted.held_seats;
    stats.committed_seats -= counted.committed_seats;
    gang.counted = {};
}

void Engine::State::count(GangState& gang) {
    uncount(gang);
    auto& counted = gang.counted;
    counted.is_counted = true;
    counted.phase = phase(gang);
    if (gang.refusal) {
        counted.reason = gang.refusal->reason;
        counted.level = gang.refusal->level;
    }
    const auto seats = static_cast<std::uint32_t>(gang.seats.size() + gang.ghosts.size());
    if (!gang.seats.empty() && gang.commit == GangState::Commit::none && gang.expires_at == never)
        violated(Invariant::holds_finite, &gang, "it holds seats that have no end");
    (gang.commit == GangState::Commit::none ? counted.held_seats : counted.committed_seats) = seats;
    ++stats.gangs_by_phase[static_cast<std::size_t>(counted.phase)];
    if (counted.reason) {
        ++stats.unplaced_by_reason[static_cast<std::size_t>(*counted.reason)];
        ++census.unplaced[{*counted.reason, counted.level}];
        published_census.reset();
    }
    stats.held_seats += counted.held_seats;
    stats.committed_seats += counted.committed_seats;
}

void Engine::State::end_wait(SeatState& seat, WaitResult result) {
    if (seat.arrived_at == never)
        return;
    stats.waits[static_cast<std::size_t>(result)].add(now - std::exchange(seat.arrived_at, never));
}

void Engine::State::want_census(const model::Event& event, const model::Change& change) {
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
    const auto snapshot = cluster.snapshot();
    census.domains = domains_by_level(snapshot);
    census.unmapped_nodes = unmapped_nodes(snapshot);
    published_census.reset();
}

void Engine::State::violated(Invariant invariant, const GangState* gang, std::string sentence) {
    ++stats.violations[static_cast<std::size_t>(invariant)];
    note(Note::Level::bug, gang, std::move(sentence));
}

}  // namespace echelon::engine

#pragma once

// What does the engine count for /metrics? Counters, gauges, the counts of the topology, and violated invariants.
//
// Plain values, no clock. Not thread-safe.

#include "engine/publish/outbox.hpp"
#include "engine/publish/published_state.hpp"
#include "model/facts/plan_record.hpp"
#include "model/topology/snapshot.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace echelon::engine {

// What one gang adds to the gauges.
struct GaugeShare {
    bool is_counted = false;
    model::Phase phase = model::Phase::pending;
    std::optional<model::Reason> reason;
    std::string level;  // Level that the reason names.
    std::uint32_t held_seats = 0;
    std::uint32_t committed_seats = 0;

    bool operator==(const GaugeShare&) const = default;
};

class Figures {
public:
    explicit Figures(Outbox& outbox) : outbox_(&outbox) {}

    using Counter = std::uint64_t Stats::*;
    void add(Counter counter) { ++(stats_.*counter); }
    void solved(SolveResult result, std::chrono::nanoseconds took);
    void waited(WaitResult result, std::chrono::milliseconds time);
    void cleared(ClearingResult result, std::chrono::milliseconds time);
    void bound_after(std::chrono::milliseconds time) { stats_.to_bound.add(time); }
    // An invariant was violated, which only a bug of echelon does. `gang`: an empty name for none.
    void violated(Invariant invariant, const model::GroupKey& gang, std::string sentence);

    // Replaces what the gang adds to the gauges.
    void replace(GaugeShare& share, GaugeShare now);
    // Counts levels and domains again; costs a walk over all nodes.
    void count_topology(const model::Snapshot& snapshot);

    [[nodiscard]] const Stats& stats() const { return stats_; }
    // Shared by published states until it changes.
    [[nodiscard]] std::shared_ptr<const TopologyCounts> topology_counts();

private:
    void add(const GaugeShare& share);
    void remove(const GaugeShare& share);

    Outbox* outbox_;
    Stats stats_;
    TopologyCounts topology_counts_;
    std::shared_ptr<const TopologyCounts> published_counts_;  // Null: to be published again.
};

}  // namespace echelon::engine

#pragma once

// What may filter, prioritize and the admin port read? The published state: an immutable view that the engine replaces
// after each step.
//
// Thread-safe, since it is constant. It has verdicts only on members that have no node yet. A pod without a verdict is
// outside every gang or not known yet; the caller finds out which from the pod itself.

#include "base/duration_histogram.hpp"
#include "base/enum_count.hpp"
#include "engine/invariant.hpp"
#include "engine/publish/gang_views.hpp"
#include "engine/publish/promises.hpp"
#include "engine/publish/verdicts.hpp"
#include "model/gang/gang.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::engine {

class NodeScores;

// The result of a planning; a fixed set, used as a metric label (docs/metrics.md).
enum class SolveResult : std::uint8_t { placed, infeasible, budget_exhausted, stale };
inline constexpr std::size_t solve_result_count = base::count_up_to(SolveResult::stale);
[[nodiscard]] std::string_view to_string(SolveResult result);

// How a member's wait at the barrier ended; a metric label, too.
enum class WaitResult : std::uint8_t { released, timeout, client_gone, aborted };
inline constexpr std::size_t wait_result_count = base::count_up_to(WaitResult::aborted);
[[nodiscard]] std::string_view to_string(WaitResult result);

// How a clearing ended; a metric label, too.
enum class ClearingResult : std::uint8_t {
    placed,   // Every victim went, and the gang holds its seats.
    cheaper,  // Room came before every victim was evicted.
    refused,  // An eviction was refused before any victim was gone.
    timed_out,
    changed,  // The gang has changed, or may not preempt any more.
    gone,     // The gang is gone.
};
inline constexpr std::size_t clearing_result_count = base::count_up_to(ClearingResult::gone);
[[nodiscard]] std::string_view to_string(ClearingResult result);

// Counts for /metrics. Counters only grow; gauges are as of this published state.
struct Stats {
    std::uint64_t solves_placed = 0, solves_infeasible = 0, solves_out_of_budget = 0, plans_rejected_by_referee = 0;
    std::uint64_t holds_expired = 0, holds_broken = 0, barrier_timeouts = 0, commits = 0, members_bound = 0;
    std::uint64_t nominations = 0, gates_removed = 0, kicks = 0, records_written = 0;
    std::array<std::uint32_t, model::phase_count> gangs_by_phase{};       // By model::Phase.
    std::array<std::uint32_t, model::reason_count> unplaced_by_reason{};  // By model::Reason.
    std::uint32_t held_seats = 0, committed_seats = 0, barrier_waiting = 0;
    std::uint32_t nodes = 0, pods = 0, groups = 0;
    std::array<base::DurationHistogram<100, 16>, solve_result_count>
        solves{};  // By SolveResult; with a stopwatch alone.
    std::array<base::DurationHistogram<1000, 16>, wait_result_count> waits{};  // By WaitResult.
    base::DurationHistogram<10'000, 19> to_bound;  // From the first sight of a gang until every minimum was bound.
    std::array<std::uint64_t, clearing_result_count> clearings{};    // By ClearingResult.
    std::uint64_t victims = 0;                                       // Evictions that the API server accepted.
    base::DurationHistogram<10'000, 19> clearing_times;              // From the record of the victims to the end.
    std::array<std::uint64_t, invariant_names.size()> violations{};  // By Invariant.
};

// Counts by name of a level. Copied only when they change.
struct TopologyCounts {
    // By reason and key of the level; "": none.
    std::map<std::pair<model::Reason, std::string>, std::uint32_t> unplaced;
    std::map<std::string, std::uint32_t> domains;  // By key of the level.
    std::uint32_t unmapped_nodes = 0;              // Nodes that lack a level of the topology that reports use.
};

class PublishedState {
public:
    [[nodiscard]] const Verdict* verdict(std::string_view uid) const { return verdicts.find(uid); }

    Verdicts verdicts;
    Promises promises;                         // Promised room, by node.
    std::shared_ptr<const NodeScores> scores;  // Null: nothing is scored.
    std::vector<std::string> unsynced;         // Resources that aren't listed yet; empty: synced.
    bool draining = false;
    std::uint64_t version = 0;
    Stats stats;
    std::shared_ptr<const TopologyCounts> topology_counts;  // Null: nothing counted yet.
    GangViews gangs;

    [[nodiscard]] bool is_synced() const { return unsynced.empty(); }
};

}  // namespace echelon::engine

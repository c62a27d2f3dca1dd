#pragma once

// What filter, prioritize and the admin port may read: an immutable picture that the engine publishes after each step.
//
// Thread-safe by being constant. Only members of gangs that have no node yet stand in it; a pod that isn't found is
// either outside every gang or not known yet, which the caller judges from the pod itself.

#include "model/gang.hpp"
#include "model/plan_record.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace echelon::engine {

// What filter answers for one pod.
struct Verdict {
    enum class Kind : std::uint8_t {
        pinned,   // Exactly `node`, if it was offered.
        refused,  // No node, and `text` says why.
    };
    Kind kind = Kind::refused;
    std::string node;
    std::string text;  // Constant for as long as reason and level stay (rule R15), with "echelon: ". Refused only.
    std::string gang;  // "namespace/name" of the root.

    bool operator==(const Verdict&) const = default;
};

// Counts for /metrics. Counters only grow; gauges are as of the picture.
struct Stats {
    std::uint64_t solves_placed = 0, solves_infeasible = 0, solves_out_of_budget = 0, plans_rejected_by_referee = 0;
    std::uint64_t holds_expired = 0, holds_broken = 0, barrier_timeouts = 0, commits = 0, members_bound = 0;
    std::uint64_t nominations = 0, gates_removed = 0, kicks = 0, records_written = 0;
    std::array<std::uint32_t, 5> gangs_by_phase{};      // By model::Phase.
    std::array<std::uint32_t, 5> unplaced_by_reason{};  // By model::Reason.
    std::uint32_t held_seats = 0, committed_seats = 0, barrier_waiting = 0;
    std::uint32_t nodes = 0, pods = 0, groups = 0;
};

// One gang for /v1/explain and /debug.
struct GangView {
    model::PlanRecord record;
    std::size_t members = 0;  // Pods that exist.
    std::size_t waiting_at_barrier = 0;
};

class Picture {
public:
    static constexpr std::size_t shard_count = 64;
    using Shard = std::unordered_map<std::string, Verdict>;  // By pod UID.

    [[nodiscard]] const Verdict* verdict(const std::string& uid) const;

    std::array<std::shared_ptr<const Shard>, shard_count> shards;  // Null: empty.
    std::vector<std::string> unsynced;                             // Resources that aren't listed yet; empty: synced.
    bool draining = false;
    std::uint64_t version = 0;
    Stats stats;
    std::shared_ptr<const std::map<std::string, std::shared_ptr<const GangView>>> gangs;  // By root name; never null.

    [[nodiscard]] static std::size_t shard_of(std::string_view uid);
    [[nodiscard]] bool is_synced() const { return unsynced.empty(); }
};

}  // namespace echelon::engine

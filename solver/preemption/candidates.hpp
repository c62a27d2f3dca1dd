#pragma once

// What may be evicted for a gang, and what would it cost? Units of lower priority, and the loss that a set of them
// causes.
//
// Pods have numbers in the order of their names, so that two losses of equal cost compare by names. Single-threaded,
// belongs to one choice of victims.

#include "model/gang/running_gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/preemption/units.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace echelon::solver::preemption {

using PodNumber = std::uint32_t;
using UnitNumber = std::uint32_t;

// A pod that may be evicted.
struct CandidatePod {
    std::uint32_t gang = 0;   // Index into RunningGangs::gangs.
    std::uint32_t index = 0;  // Into RunningGang::pods.
    model::NodeId node = 0;
    std::vector<std::int64_t> amounts;  // [resource] what its eviction frees.
    std::vector<UnitNumber> units;      // The units that hold it.
};

struct CandidateUnit {
    std::uint32_t gang = 0;
    std::int64_t priority = 0;    // Of the root (U3).
    std::vector<PodNumber> pods;  // Sorted.
    bool fells_root = false;      // Alone, its eviction takes the root below its minimum.
    std::int64_t started = 0;     // Sum over its pods.
};

// What is evicted, and what that costs (V3). Compared field by field, by names last.
struct Loss {
    std::int64_t priority = std::numeric_limits<std::int64_t>::min();  // The highest.
    std::int64_t roots = 0;                                            // How many roots fall below their minimum.
    std::vector<PodNumber> pods;                                       // Sorted.
    std::int64_t started = 0;  // Sum over the pods: the later they started, the less work is lost.

    [[nodiscard]] bool is_less_than(const Loss& other) const;
    bool operator==(const Loss&) const = default;
};

class Candidates {
public:
    // Units of gangs below `priority` that hold no protected pod, and that every budget allows by themselves.
    // Requires: the arguments outlive it, and the pods' nodes belong to the snapshot.
    Candidates(const model::RunningGangs& running, const model::Snapshot& snapshot, std::int64_t priority);

    [[nodiscard]] std::span<const CandidateUnit> units() const { return units_; }
    [[nodiscard]] const CandidateUnit& unit(UnitNumber number) const { return units_[number]; }
    [[nodiscard]] std::size_t pod_count() const { return pods_.size(); }
    // Pods that are in no unit, and would be in one if disruption budgets allowed it.
    [[nodiscard]] std::size_t kept_by_budgets() const { return kept_by_budgets_; }
    [[nodiscard]] const CandidatePod& pod(PodNumber number) const { return pods_[number]; }
    [[nodiscard]] std::span<const PodNumber> pods_on(model::NodeId node) const { return on_node_[node]; }
    [[nodiscard]] const model::RunningPod& facts(PodNumber number) const;
    [[nodiscard]] const model::RunningGang& gang_of(PodNumber number) const {
        return running_.gangs[pods_[number].gang];
    }

    // What is lost with these units. Several units of one gang may cause a larger loss than each alone.
    [[nodiscard]] Loss loss_of(std::span<const UnitNumber> units) const;
    // False if the loss has a protected pod, or more pods than some budget allows (U3).
    [[nodiscard]] bool is_allowed(const Loss& loss) const;

private:
    struct NumberedGang {  // The numbers of one gang's pods.
        std::vector<PodNumber> numbers;
        bool kept_minimum = false;  // Before any loss.
    };

    void number_pods(const model::Snapshot& snapshot, std::int64_t priority);
    void add_units();

    const model::RunningGangs& running_;
    std::vector<CandidatePod> pods_;
    std::vector<CandidateUnit> units_;
    std::vector<NumberedGang> numbered_gangs_;     // [gang]
    std::vector<std::vector<PodNumber>> on_node_;  // [node] pods of units.
    std::size_t kept_by_budgets_ = 0;
};

}  // namespace echelon::solver::preemption

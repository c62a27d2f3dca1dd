#pragma once

// Would the minimums of a gang fit if these pods were gone?
//
// For one leaf of equal pods it counts slots per domain, and only on the nodes that changed. For any other gang it
// searches. Steps are counted. Single-threaded, belongs to one choice of victims.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/packing/search_budget.hpp"
#include "solver/preemption/barred_nodes.hpp"
#include "solver/preemption/candidates.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace echelon::solver::preemption {

class Probe {
public:
    // Requires: the arguments outlive it, and `gang` was built against `snapshot`.
    Probe(const model::Snapshot& snapshot, const model::Gang& gang, const Candidates& candidates,
          const BarredNodes& barred, SearchBudget& budget);

    // `gone`: sorted. False if it does not fit, or if the budget ended first. Monotone in `gone`, unless the budget
    // ends.
    [[nodiscard]] bool fits(std::span<const PodNumber> gone);
    // The snapshot without the pods of the last call of `fits`.
    [[nodiscard]] const model::Snapshot& snapshot() const { return snapshot_; }

private:
    // Slots of the one pod class that the gang needs, per domain of the required level.
    struct Count {
        model::PodClassId pod_class = 0;
        std::int64_t needed = 0;
        std::vector<std::uint32_t> domain_of;  // [node]
        std::vector<std::uint8_t> is_allowed;  // [domain] 0 if bound members pin another one.
        std::vector<std::int64_t> slots;       // [node]
        std::vector<std::int64_t> sums;        // [domain]
        std::int64_t domains_that_suffice = 0;
    };

    [[nodiscard]] static std::optional<Count> count_for(const model::Snapshot& snapshot, const model::Gang& gang);
    void recount(model::NodeId node);
    void move(PodNumber pod, std::int64_t sign);
    [[nodiscard]] bool search();
    [[nodiscard]] bool search_for(const model::Gang& gang);

    model::Snapshot snapshot_;
    const model::Gang& gang_;
    const Candidates& candidates_;
    const BarredNodes& barred_;
    SearchBudget& budget_;
    std::optional<Count> count_;
    std::vector<PodNumber> gone_;
};

}  // namespace echelon::solver::preemption

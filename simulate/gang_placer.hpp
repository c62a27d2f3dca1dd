#pragma once

// Where does a gang of the trace go? The solver of the service decides.
//
// That a gang doesn't fit is seen by counting seats, wherever counting is a proof: equal pods that need at most one
// level. The solver is asked about all others, and for every plan. Pure.

#include "model/gang/gang.hpp"
#include "simulate/machines.hpp"
#include "simulate/seat_counts.hpp"
#include "simulate/waiting_jobs.hpp"
#include "simulate/world.hpp"
#include "solver/solve.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace echelon::simulate {

// The gang as the model would build it, for a snapshot with its pods' shape alone.
[[nodiscard]] model::Gang gang_of(const JobClass& asked, const World& world);

// The rule of another scheduler, for measurements: the node of each pod. Asked only when enough seats are in one domain
// of each required level; nullopt: it doesn't fit all the same.
using GangRule = std::function<std::optional<std::vector<model::NodeId>>(const JobClass& gang, const Machines& machines,
                                                                         const SeatCounts& seats)>;

class GangPlacer {
public:
    // `rule`: in place of the solver; empty: none.
    GangPlacer(const World& world, solver::SolveOptions budget, GangRule rule)
        : world_(&world), budget_(budget), rule_(std::move(rule)) {}

    // The node of each pod; nullopt: it doesn't fit now. `seats` are up to date.
    [[nodiscard]] std::optional<std::vector<model::NodeId>> place(const JobClass& gang, Machines& machines,
                                                                  SeatCounts& seats) const;
    // False: not even a cluster without pods could take it.
    [[nodiscard]] bool may_ever_fit(const JobClass& gang, const Machines& machines) const;

private:
    const World* world_;
    solver::SolveOptions budget_;
    GangRule rule_;
};

}  // namespace echelon::simulate

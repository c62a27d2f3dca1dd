#pragma once

// Where does a gang of the trace go? The solver of the service decides.
//
// Counting seats proves that some gangs don't fit: those of equal pods that require at most one level. The solver
// decides about all other gangs, and makes every plan. Pure.

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

// The gang as the model would build it. The snapshot has one pod class: that of the gang's pods.
[[nodiscard]] model::Gang gang_of(const JobClass& asked, const World& world);

// The rule of another scheduler, for measurements: the node of each pod. Called only if one domain of each required
// level has enough seats; nullopt: the gang doesn't fit anyway.
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
    // False: the gang would not fit even in an empty cluster.
    [[nodiscard]] bool may_ever_fit(const JobClass& gang, const Machines& machines) const;

private:
    const World* world_;
    solver::SolveOptions budget_;
    GangRule rule_;
};

}  // namespace echelon::simulate

#pragma once

// Which waiting gangs get a promised start, when, and on which nodes? (Q5, Q7, Q17)
//
// A gang that has waited for `claim_after` reserves the nodes on which it can start first, by the limits of what runs.
// How long a job really runs is never looked at. Only gangs of more pods than a hundredth of the nodes reserve;
// docs/simulate.md says why. Pure.

#include "simulate/machines.hpp"
#include "simulate/reserved_nodes.hpp"
#include "simulate/running_pods.hpp"
#include "simulate/trace.hpp"
#include "simulate/waiting_jobs.hpp"
#include "simulate/world.hpp"
#include "solver/solve.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace echelon::simulate {

// A promise was made, or another one in its place.
using OnPromise = std::function<void(std::uint32_t job, const Promise& promise, Seconds now)>;

struct PromiseOptions {
    Seconds claim_after = 0;  // 0: nothing is promised.
    solver::SolveOptions budget = {};
    OnPromise on_promise = {};
};

class Promises {
public:
    // The arguments must outlive it.
    Promises(const World& world, const Trace& trace, PromiseOptions options, Machines& machines,
             const RunningPods& running, WaitingJobs& waiting);

    [[nodiscard]] ReservedNodes& reserved() { return reserved_; }
    void on_arrival(std::uint32_t job);
    void on_placed(std::uint32_t job);
    // Pods of the job have started. A job of higher priority may break promises, which are made anew then.
    void on_started(std::uint32_t job, std::span<const model::NodeId> nodes, Seconds now);
    // A pod ended before its limit, so that gangs may start sooner than promised.
    void on_early_end() { had_early_end_ = true; }
    // Makes the promises that are due, before anything is decided at this moment.
    void update(Seconds now);

private:
    [[nodiscard]] std::optional<Promise> earliest(std::uint32_t job, Seconds now);
    void make(Seconds now);
    void put(std::uint32_t job, Promise promise, Seconds now);
    void renew(Seconds now);
    void make_broken_anew();

    const World* world_;
    const Trace* trace_;
    PromiseOptions options_;
    Machines* machines_;
    const RunningPods* running_;
    WaitingJobs* waiting_;
    ReservedNodes reserved_;
    bool is_used_ = false;
    std::vector<std::uint8_t> placed_;   // [job]
    std::deque<std::uint32_t> aging_;    // Gangs that have not waited long enough, in order of submit.
    std::set<std::uint32_t> due_;        // Ranks of gangs that may reserve, but found nothing so far.
    std::vector<std::uint32_t> job_of_;  // [rank]
    std::set<std::uint32_t> broken_;     // Jobs.
    Seconds retry_at_ = 0;
    Seconds renew_at_ = 0;
    bool had_early_end_ = false;
};

}  // namespace echelon::simulate

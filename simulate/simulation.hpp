#pragma once

// What becomes of the jobs of a trace? In virtual time, pods end, jobs come, and decisions are made.
//
// The solver, the order of the queue and the scores are those of the service; barrier and commit take no time. Equal
// arguments give equal results. No decision depends on later lines of the trace. Pure.

#include "simulate/gang_placer.hpp"
#include "simulate/plain_placer.hpp"
#include "simulate/promises.hpp"
#include "simulate/report.hpp"
#include "simulate/stock_scoring.hpp"
#include "simulate/trace.hpp"
#include "simulate/world.hpp"
#include "solver/solve.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace echelon::simulate {

struct Options {
    StockScoring scoring = StockScoring::least_allocated;
    bool packs = false;  // `scores: pack`: prioritize answers, too.
    std::optional<Seconds> until = {};
    solver::SolveOptions budget = {};
    Seconds claim_after = 0;  // A large gang that waits for so long gets a promised start; 0: never (Q5).
    OnPromise on_promise = {};
    PlainRule plain_rule = {};
    GangRule gang_rule = {};
};

// One line of the file of placements.
struct PodEvent {
    enum class Kind : std::uint8_t { start, end, refused };
    Kind kind = Kind::start;
    Seconds time = 0;
    std::string_view job;
    std::uint32_t pod = 0;  // Number in the job, from 0.
    std::string_view node;  // Refused: the reason.
    std::span<const std::uint32_t> devices = {};
};
using OnPodEvent = std::function<void(const PodEvent& event)>;

// Requires: `world` was made for this trace. `on_event` may be empty.
[[nodiscard]] Report simulate(const World& world, const Trace& trace, const Options& options,
                              const OnPodEvent& on_event);

}  // namespace echelon::simulate

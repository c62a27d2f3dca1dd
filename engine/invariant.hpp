#pragma once

// Which promises does the engine check while it runs? Their names are the values of the label `invariant` in /metrics.
// Only a bug of echelon breaks one. Values are I1 to I14 in order. One without a comment is checked from outside: by
// tests and the simulator.
//
// Constant data.

#include "solver/violation.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace echelon::engine {

enum class Invariant : std::uint8_t {
    no_partial_gang,    // I1: a binding is asked for only after the commit, and no plan is below a minimum.
    no_double_hold,     // I2: no plan overcommits a node.
    bind_matches_plan,  // I3: seats only where their members may be.
    no_lost_bind,       // I4: no binding is posted again before its outcome is known.
    topology_held,      // I5: no plan breaks a level.
    no_late_commit,     // I6: no member without a waiting call counts, and no begun commit is given up.
    holds_finite,       // I7: every hold that isn't committed has an end.
    restart_neutral,
    one_writer,   // I9: only the leader binds members of gangs.
    cache_truth,  // I10: no pod is seen on two nodes.
    liveness,
    bounded,    // I12: no gang is planned without end at one time.
    isolation,  // I13: no pod of another scheduler is bound.
    determinism,
};

inline constexpr std::array<std::string_view, 14> invariant_names = {
    "no-partial-gang", "no-double-hold", "bind-matches-plan", "no-lost-bind", "topology-held",
    "no-late-commit",  "holds-finite",   "restart-neutral",   "one-writer",   "cache-truth",
    "liveness",        "bounded",        "isolation",         "determinism"};

[[nodiscard]] constexpr std::string_view to_string(Invariant invariant) {
    return invariant_names[static_cast<std::size_t>(invariant)];
}

[[nodiscard]] constexpr Invariant broken_by(solver::Violation::Kind kind) {
    using Kind = solver::Violation::Kind;
    switch (kind) {
        case Kind::room:
            return Invariant::no_double_hold;
        case Kind::minimum:
            return Invariant::no_partial_gang;
        case Kind::level:
            return Invariant::topology_held;
        case Kind::seat:
        case Kind::affinity:
            return Invariant::bind_matches_plan;
    }
    return Invariant::bind_matches_plan;
}

}  // namespace echelon::engine

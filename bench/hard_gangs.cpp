// What does a step of the solver's budget cost? Measures a family of hard gangs, each with the whole budget.
//
//     build/release/bench/hard-gangs [SEEDS] [NAME]

#include "unit-tests/solver/support/hard_gangs.hpp"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <variant>

#include <fmt/format.h>

namespace {

using namespace echelon;         // NOLINT(google-build-using-namespace)
using namespace echelon::bench;  // NOLINT(google-build-using-namespace)

double cpu_milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

}  // namespace

int main(int count, char** arguments) {
    const std::uint32_t seeds = count > 1 ? static_cast<std::uint32_t>(std::strtoul(arguments[1], nullptr, 10)) : 3;
    const std::string only = count > 2 ? arguments[2] : "";
    fmt::print("{:<28} {:>4} {:>12} {:>9} {:>9} {:>9}\n", "gang", "seed", "verdict", "steps", "ms", "ns/step");
    for (const HardGang& hard : hard_gangs()) {
        for (std::uint32_t seed = 1; seed <= seeds && (only.empty() || only == hard.name); ++seed) {
            model::Snapshot snapshot = half_full(5'000, seed);
            const model::Gang gang = hard_gang(snapshot, hard, seed);
            const double begin = cpu_milliseconds();
            const solver::Answer answer = solver::solve(snapshot, gang);
            const double spent = cpu_milliseconds() - begin;
            const auto* plan = std::get_if<solver::Plan>(&answer);
            const std::uint64_t steps = plan != nullptr ? plan->steps : std::get<solver::Refusal>(answer).steps;
            const std::string verdict = plan != nullptr
                                            ? fmt::format("{} seats", plan->seats.size())
                                            : std::string(model::to_string(std::get<solver::Refusal>(answer).reason));
            fmt::print("{:<28} {:>4} {:>12} {:>9} {:>9.1f} {:>9.0f}\n", hard.name, seed, verdict, steps, spent,
                       spent * 1e6 / static_cast<double>(steps));
            std::fflush(stdout);
        }
    }
    return 0;
}

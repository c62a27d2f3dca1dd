#include "unit-tests/simulator/campaign.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echelon::simulator {

namespace {

constexpr std::uint32_t runs_to_minimise = 250;
constexpr std::size_t lines_shown = 120;

std::string command(const Order& order) {
    auto text = fmt::format("test-simulator --seed {} --steps {}", order.seed, order.steps);
    if (order.most != UINT32_MAX)
        text += fmt::format(" --most {}", order.most);
    if (!order.left_out.empty())
        text += fmt::format(" --leave-out {}", fmt::join(order.left_out, ","));
    if (order.sabotage != Sabotage::none)
        text += fmt::format(" --sabotage {}", static_cast<int>(order.sabotage));
    return text + " --trace";
}

}  // namespace

std::string told(const Order& order, const Report& failed) {
    if (!failed.violation)
        return "no violation";
    auto text = fmt::format("seed {}, step {}, {} ms: {}: {}\n", order.seed, failed.violation->step,
                            failed.violation->at.count(), failed.violation->invariant, failed.violation->sentence);
    auto shorter = minimised(order, failed, runs_to_minimise);
    shorter.is_tracing = true;
    const auto again = simulate(shorter);
    text += fmt::format("{} of {} injections suffice:\n", again.injected.size(), failed.injected.size());
    for (const auto& injection : again.injected)
        text += fmt::format("  {:>4} {}\n", injection.number, row_of(injection.fault).name);
    text += command(shorter) + "\n";
    const auto shown = std::min(again.trace.size(), lines_shown);
    for (auto at = again.trace.size() - shown; at < again.trace.size(); ++at)
        text += "  " + again.trace[at] + "\n";
    return text;
}

bool run_one(const Order& order) {
    const auto report = simulate(order);
    for (const auto& line : report.trace)
        fmt::print("{}\n", line);
    fmt::print("seed {}: {} steps, {} injections, {} s; gangs bound {}, waiting {}; {}\n", order.seed, report.steps,
               report.injected.size(), report.lasted.count() / 1000, report.gangs_bound, report.gangs_waiting,
               report.violation ? "VIOLATION" : "no violation");
    if (report.violation && !order.is_tracing)
        fmt::print("{}", told(order, report));
    return !report.violation;
}

bool run_many(Order order, std::uint64_t first, std::uint64_t count) {
    std::uint64_t steps = 0;
    std::uint64_t injections = 0;
    std::uint64_t bound = 0;
    std::uint64_t waiting = 0;
    std::map<std::string, std::vector<std::uint64_t>> failures;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        order.seed = seed;
        order.lives_again = seed % 8 == 0;
        const auto report = simulate(order);
        steps += report.steps;
        injections += report.injected.size();
        bound += report.gangs_bound;
        waiting += report.gangs_waiting;
        if (report.violation) {
            failures[report.violation->invariant].push_back(seed);
            fmt::print("seed {} step {}: {}: {}\n", seed, report.violation->step, report.violation->invariant,
                       report.violation->sentence);
        }
    }
    fmt::print("{} seeds, {} steps, {} injections; gangs bound in the end {}, waiting {}\n", count, steps, injections,
               bound, waiting);
    for (const auto& [invariant, seeds] : failures)
        fmt::print("{}: {} seeds\n", invariant, seeds.size());
    return failures.empty();
}

Found hunt(Sabotage sabotage, std::uint64_t most_seeds) {
    Found found{sabotage, 0, {}};
    for (std::uint64_t seed = 1; seed <= most_seeds; ++seed) {
        Order order;
        order.seed = seed;
        order.sabotage = sabotage;
        order.watched = invariant_of(sabotage);  // Its own check must find it, not another one.
        order.lives_again = sabotage == Sabotage::decides_by_chance;
        const auto report = simulate(order);
        if (!report.violation)
            continue;
        found.seeds = seed;
        found.violation = *report.violation;
        break;
    }
    return found;
}

void print_bugs() {
    fmt::print("| deliberate bug | invariant | found as | at seed | step |\n|---|---|---|---|---|\n");
    for (std::size_t kind = 1; kind < sabotage_count; ++kind) {
        const auto found = hunt(static_cast<Sabotage>(kind), 1000);
        fmt::print("| {} | {} | {} | {} | {} |\n", name_of(found.sabotage), invariant_of(found.sabotage),
                   found.violation.invariant, found.seeds, found.violation.step);
    }
}

}  // namespace echelon::simulator

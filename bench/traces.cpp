// How well are the GPUs and hosts of public traces used? Prints the part "On traces" of docs/placement-quality.md.
//
//     build/release/bench/traces FOLDER [SEEDS [ONLY]]
//
// One run of this program simulates echelon and the other rules. The same arguments give the same text. ONLY: "openb"
// or "philly".

#include "bench/gang_rules.hpp"
#include "bench/plain_rules.hpp"
#include "bench/trace_data.hpp"
#include "simulate/simulation.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace {

using namespace echelon;  // NOLINT(google-build-using-namespace)

constexpr double load = 0.70;
constexpr simulate::Seconds claim_after = 600;  // As configured by default.
constexpr const char* gpus = "nvidia.com/gpu";

struct Prepared {
    simulate::Trace trace;
    simulate::World world;
};

std::optional<Prepared> prepared(model::Cluster cluster, const std::string& csv) {
    auto trace = simulate::read_trace(csv);
    if (!trace)
        return std::nullopt;
    auto world = simulate::world_of(std::move(cluster), *trace);
    if (!world)
        return std::nullopt;
    return Prepared{std::move(*trace), std::move(*world)};
}

// One row: the share of allocated GPUs after the last pod, as the mean over all seeds.
void print_openb(const std::string& folder, const std::string& title, const std::string& file, bool whole_only,
                 std::uint64_t seeds, bool has_heads) {
    const bench::Openb openb(folder, file, whole_only);
    std::vector<std::string> names;
    std::map<std::string, double> sums;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const auto ready = prepared(openb.cluster(), openb.trace(seed));
        if (!ready)
            return;
        const auto run = [&](const std::string& name, const simulate::Options& options) {
            if (seed == 1)
                names.push_back(name);
            const auto report = simulate::simulate(ready->world, ready->trace, options, {});
            sums[name] += report.allocated.at(gpus).last / static_cast<double>(seeds);
        };
        for (auto& [name, rule] : bench::plain_rules(ready->trace, seed))
            run(name, {.plain_rule = rule});
        run("echelon", {.packs = true});
    }
    std::string heads = "| trace |";
    std::string line = "|---|";
    std::string row = fmt::format("| {} |", title);
    for (const auto& name : names) {
        heads += fmt::format(" {} |", name);
        line += "---|";
        const auto share = fmt::format("{:.2f} %", 100 * sums[name]);
        row += name == "echelon" ? fmt::format(" **{}** |", share) : fmt::format(" {} |", share);
    }
    if (has_heads)
        fmt::print("{}\n{}\n", heads, line);
    fmt::print("{}\n", row);
    std::fflush(stdout);
}

struct GangFigures {
    double allocated = 0;
    double blocked = 0;
    double wait_of_one = 0;   // Hours, mean.
    double wait_of_many = 0;  // Hours, 99th percentile of 9 to 32 hosts.

    void add(const simulate::Report& report, double part) {
        allocated += part * report.allocated.at(gpus).while_gangs_wait.value_or(1);
        blocked += part * report.blocked;
        wait_of_one += part * report.by_pods[0].second->mean / 3600;
        wait_of_many += part * report.by_pods[2].second->p99 / 3600;
    }
};

using GangRow = std::pair<std::string, GangFigures>;

void print_philly(const std::string& folder, std::uint64_t seeds) {
    const bench::Philly philly(folder);
    std::vector<GangRow> rows;
    const auto part = 1.0 / static_cast<double>(seeds);
    const auto run = [&](const std::string& name, const Prepared& ready, const simulate::Options& options) {
        auto row = std::ranges::find(rows, name, &GangRow::first);
        if (row == rows.end())
            row = rows.insert(rows.end(), {name, {}});
        row->second.add(simulate::simulate(ready.world, ready.trace, options, {}), part);
    };
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const auto ready = prepared(philly.cluster(), philly.trace(seed, load, true, false));
        const auto free = prepared(philly.cluster(), philly.trace(seed, load, false, false));
        const auto ending = prepared(philly.cluster(), philly.trace(seed, load, true, true));
        if (!ready || !free || !ending)
            return;
        for (auto& [name, rule] : bench::gang_rules(ready->world))
            run(name, *ready, {.gang_rule = rule});
        run("**echelon**", *ready, {});
        run("no levels at all", *free, {});
        run("**echelon, with declared ends**", *ending, {.claim_after = claim_after});
    }
    fmt::print(
        "\nThe goals were 96.0, 99.5 and 97.4 %. The last one is missed, and FGD comes closer to it. What decided most "
        "was how soon\nthe mix of requests is learnt: 96.89 % when it was that of thousands of pods, the figure above "
        "since it is that of 256 at most.\n"
        "\n*Philly* (Microsoft, ATC'19) on the 847 hosts in 119 racks of *Lingjun* (Alibaba): 82,247 gangs of 1 to 64 "
        "whole hosts, up to\n8 in one rack, more in one plane; arrivals scaled to a load of 0.70; small gangs pass "
        "large ones that wait. Mean of {} seeds.\nWith declared ends each job says how long it runs, and gangs that "
        "wait for 10 minutes get a [promised start](simulate.md#promised-starts).\n",
        seeds);
    fmt::print(
        "\n| rule | hosts allocated while a gang waits | share of time blocked | mean wait of one host | p99 wait of 9 "
        "to 32 hosts |\n|---|---|---|---|---|\n");
    for (const auto& [name, figures] : rows) {
        fmt::print("| {} | {:.3f} | {:.1f} % | {:.2f} h | {:.0f} h |\n", name, figures.allocated, 100 * figures.blocked,
                   figures.wait_of_one, figures.wait_of_many);
    }
}

// Measured once, by variants of the rules that are no part of the repository.
void print_bounds() {
    std::fputs(R"(
The goal was a fifth of the gap between best fit and no levels (0.959), and 0.88 of best fit's blocked time (16.9 %).
Both are missed. A program that restates the rules, and simulates hosts, racks and planes alone, gives the figures
above to the last digit. It ran 16 seeds at each load; hosts allocated while a gang waits, and blocked:

| load | best fit | all levels widest first (O4) | echelon (O6) | always whole racks |
|---|---|---|---|---|
| 0.62 | 0.953, 13.9 % | 0.944, 15.9 % | **0.958, 12.7 %** | 0.952, 14.5 % |
| 0.66 | 0.948, 16.5 % | 0.940, 18.3 % | **0.952, 15.6 %** | 0.949, 16.6 % |
| 0.70 | 0.948, 17.2 % | 0.943, 18.0 % | **0.953, 16.8 %** | 0.956, 16.2 % |
| 0.74 | 0.954, 16.9 % | 0.946, 18.2 % | **0.962, 15.5 %** | 0.951, 16.9 % |
| 0.78 | 0.951, 18.1 % | 0.954, 18.2 % | **0.963, 16.3 %** | 0.930, 21.8 % |
| 0.82 | 0.935, 19.8 % | 0.929, 21.5 % | **0.936, 20.2 %** | 0.931, 21.5 % |
| 0.90 | 0.923, 22.3 % | 0.914, 23.7 % | **0.924, 22.4 %** | 0.918, 23.4 % |

- Gangs over several racks decide most. Whole racks for all of them come close to the goal at 0.70 and lose at 0.78.
- Rules for one rack differ by less than the seeds: odd sizes first, room for four hosts kept, the mix of gangs so far.
- Knowing when each job ends does not help. Racks whose last job ends late, first, gave 0.955 to 0.958 where the same
  rule without that knowledge gave 0.958. One-host jobs pass, and take what would have become a whole rack.
)",
               stdout);
}

}  // namespace

int main(int count, char** arguments) {
    const std::string folder = count > 1 ? arguments[1] : "../shared/traces";
    const std::uint64_t seeds = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 10;
    const std::string only = count > 3 ? arguments[3] : "";
    if (!bench::Openb(folder, "openb-pods-default.csv", false).is_there() || !bench::Philly(folder).is_there()) {
        fmt::print(stderr, "traces: skipped, {} has no traces\n", folder);
        return 3;
    }
    fmt::print(
        "## On traces\n\n"
        "Written by `./dev quality traces` from public traces, which are no part of this repository. All rules run in "
        "one\n[simulation](simulate.md); those of others are restated, not runs of their programs.\n\n");
    if (only != "philly") {
        fmt::print(
            "*openb* (Alibaba cluster-trace-gpu-v2023): 1,213 nodes with 6,212 GPUs; pods in random order until 130 % "
            "of the GPUs\nhave been asked for; nobody leaves. GPUs that are allocated at the end, mean of {} seeds. "
            "echelon: `scores: pack`.\n\n",
            seeds);
        print_openb(folder, "openb", "openb-pods-default.csv", false, seeds, true);
        print_openb(folder, "openb, pods of whole GPUs only", "openb-pods-default.csv", true, seeds, false);
        print_openb(folder, "openb multigpu50", "openb-pods-multigpu50.csv", false, seeds, false);
    }
    if (only != "openb") {
        print_philly(folder, std::min<std::uint64_t>(seeds, 4));
        print_bounds();
    }
    return 0;
}

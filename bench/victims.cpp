// How few pods does a preemption evict, and how long does the choice take?
//
//     build/release/bench/victims [WORLDS] [SEED]
//
// The first part has clusters of 16 racks of 8 hosts, 95 % full of whole-host pods of one priority, and a gang of 4
// hosts in one rack. It compares echelon with two others. One is the minimum over all choices of 4 hosts in a rack. The
// other is a scheduler that places the gang as if no pod of lower priority ran, and evicts the pods in the way
// (KEP-5710). The second part is the time of one choice in a cluster of 5,000 nodes with 700 candidate gangs. Equal
// arguments give equal counts.

#include "solver/preemption/victims.hpp"

#include "solver/preemption/units.hpp"
#include "unit-tests/solver/preemption/running.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace {

using namespace echelon::solver;                       // NOLINT(google-build-using-namespace)
using namespace echelon::solver::preemption;           // NOLINT(google-build-using-namespace)
using namespace echelon::solver::preemption::testing;  // NOLINT(google-build-using-namespace)
using namespace echelon::solver::testing;              // NOLINT(google-build-using-namespace)
namespace model = echelon::model;

constexpr std::int64_t hosts_per_rack = 8;
constexpr std::int64_t racks = 16;
constexpr std::int64_t wanted = 4;

// How the hosts are filled: with whole-host pods, in gangs of up to `largest` pods; 1: pods of no gang.
struct Filling {
    std::string name;
    std::int64_t largest = 1;
    bool elastic = false;    // Half of each gang are extras.
    bool scattered = false;  // Gangs lie anywhere, not on neighbouring hosts.
};

World hosts_world(std::int64_t in_racks, std::int64_t per_rack, const GroupSpec& gang) {
    std::vector<NodeSpec> nodes;
    for (std::int64_t r = 0; r < in_racks; ++r) {
        add_rack(nodes, fmt::format("b{:03}", r / 16), fmt::format("r{:03}", r), fmt::format("r{:03}h", r),
                 std::vector<std::int64_t>(static_cast<std::size_t>(per_rack), 8));
    }
    return WorldBuilder({block, rack}, nodes).with(gang);
}

// Puts pods of lower priority on these hosts, and subtracts their requests.
model::RunningGangs fill(World& world, std::vector<model::NodeId> hosts, const Filling& filling, Random& random) {
    model::RunningGangs running;
    if (filling.scattered) {
        std::ranges::shuffle(hosts, random);
    }
    for (std::size_t at = 0; at < hosts.size();) {
        const auto size =
            std::min<std::int64_t>(pick(random, 1, filling.largest), std::ssize(hosts) - static_cast<std::int64_t>(at));
        const std::string name = fmt::format("g{:04}", running.gangs.size());
        RunningSpec spec{.minimum = filling.elastic ? (size + 1) / 2 : size, .pods = {}};
        for (std::int64_t p = 0; p < size; ++p, ++at) {
            spec.pods.push_back(running_pod(fmt::format("{}-{}", name, p), hosts[at], 8, pick(random, 0, 1'000'000)));
        }
        running.gangs.push_back(filling.largest == 1 ? plain_pod(spec.pods.front(), 1) : running_gang(name, 1, spec));
    }
    for (const model::RunningGang& gang : running.gangs) {
        for (const model::RunningPod& pod : gang.pods) {
            for (std::size_t r = 0; r < world.snapshot.resources.size(); ++r) {
                world.snapshot.room[r][pod.node] -= pod.requests.of(world.snapshot.resources[r]);
            }
        }
    }
    return running;
}

// Random hosts, `percent` of `count`.
std::vector<model::NodeId> full_hosts(std::size_t count, std::int64_t percent, Random& random) {
    std::vector<model::NodeId> hosts(count);
    std::iota(hosts.begin(), hosts.end(), model::NodeId{0});
    std::ranges::shuffle(hosts, random);
    hosts.resize(static_cast<std::size_t>(static_cast<std::int64_t>(count) * percent / 100));
    std::ranges::sort(hosts);
    return hosts;
}

// The cost of freeing these hosts: gangs that lose their minimum, and pods.
std::pair<std::int64_t, std::int64_t> loss_on(const model::RunningGangs& running,
                                              const std::set<model::NodeId>& hosts) {
    std::pair<std::int64_t, std::int64_t> loss{0, 0};
    for (const model::RunningGang& gang : running.gangs) {
        std::vector<std::uint8_t> lost;
        for (const model::RunningPod& pod : gang.pods) {
            lost.push_back(hosts.contains(pod.node) ? 1 : 0);
        }
        if (std::ranges::count(lost, std::uint8_t{1}) == 0) {
            continue;
        }
        spread_loss(gang, lost);
        loss.first += keeps_minimum(gang, {}) && !keeps_minimum(gang, lost) ? 1 : 0;
        loss.second += std::ranges::count(lost, std::uint8_t{1});
    }
    return loss;
}

// Tries every choice of hosts in every rack.
std::pair<std::int64_t, std::int64_t> least_loss(const model::RunningGangs& running) {
    std::pair<std::int64_t, std::int64_t> least{1 << 20, 1 << 20};
    for (std::int64_t r = 0; r < racks; ++r) {
        for (unsigned mask = 0; mask < 1U << hosts_per_rack; ++mask) {
            if (std::popcount(mask) != wanted) {
                continue;
            }
            std::set<model::NodeId> hosts;
            for (std::int64_t h = 0; h < hosts_per_rack; ++h) {
                if ((mask >> h & 1U) != 0) {
                    hosts.insert(static_cast<model::NodeId>(r * hosts_per_rack + h));
                }
            }
            least = std::min(least, loss_on(running, hosts));
        }
    }
    return least;
}

struct Sums {
    std::int64_t worlds = 0;
    std::int64_t ours = 0;
    std::int64_t least = 0;
    std::int64_t emptied = 0;
    std::int64_t as_least = 0;
};

void one_world(const Filling& filling, std::uint32_t seed, Sums& sums) {
    Random random(seed);
    World world = hosts_world(racks, hosts_per_rack,
                              {.name = "g", .minimum = wanted, .pods = {pods(wanted, 8)}, .required = {rack}});
    world.gang.priority = 10;
    const World emptied = world;
    const auto running = fill(world, full_hosts(world.snapshot.node_count(), 95, random), filling, random);
    if (!std::holds_alternative<Refusal>(world.solve())) {
        return;
    }
    const auto answer = choose_victims(world.snapshot, world.gang, running);
    const auto* eviction = std::get_if<Eviction>(&answer);
    if (eviction == nullptr) {
        fmt::print(stderr, "seed {}: no victims\n", seed);
        std::exit(1);
    }
    const auto least = least_loss(running);
    const Answer placed = emptied.solve();
    std::set<model::NodeId> hosts;
    for (const Seat& seat : std::get<Plan>(placed).seats) {
        hosts.insert(seat.node);
    }
    ++sums.worlds;
    sums.ours += std::ssize(eviction->victims);
    sums.least += least.second;
    sums.as_least += std::pair(eviction->roots, static_cast<std::int64_t>(eviction->victims.size())) == least ? 1 : 0;
    sums.emptied += loss_on(running, hosts).second;
}

void whole_hosts(std::uint32_t worlds, std::uint32_t seed) {
    const Filling fillings[] = {
        {.name = "pods of no gang"},
        {.name = "gangs of 1 to 4 neighbours", .largest = 4},
        {.name = "gangs of 1 to 16 neighbours", .largest = 16},
        {.name = "gangs of 1 to 16, half extras", .largest = 16, .elastic = true},
        {.name = "gangs of 1 to 8 anywhere", .largest = 8, .scattered = true},
    };
    fmt::print("| victims | worlds | echelon | least | least in | placed as if empty |\n|---|---|---|---|---|---|\n");
    for (const Filling& filling : fillings) {
        Sums sums;
        for (std::uint32_t world = 0; world < worlds; ++world) {
            one_world(filling, seed + world, sums);
        }
        const auto mean = [&](std::int64_t sum) { return static_cast<double>(sum) / static_cast<double>(sums.worlds); };
        fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.1f} % | {:.2f} |\n", filling.name, sums.worlds, mean(sums.ours),
                   mean(sums.least), 100.0 * mean(sums.as_least), mean(sums.emptied));
    }
}

void timing() {
    GroupSpec tree{.name = "tree", .minimum = 4, .required = {block}};
    GroupSpec loose{.name = "loose", .minimum = 4};
    for (int child = 0; child < 4; ++child) {
        const GroupSpec group{
            .name = fmt::format("c{}", child), .minimum = 8, .pods = {pods(8, 8)}, .required = {rack}};
        tree.children.push_back(group);
        loose.children.push_back(group);
    }
    const std::pair<std::string, GroupSpec> gangs[] = {
        {"16 hosts in one rack", {.name = "g", .minimum = 16, .pods = {pods(16, 8)}, .required = {rack}}},
        {"64 hosts in one block", {.name = "g", .minimum = 64, .pods = {pods(64, 8)}, .required = {block}}},
        {"256 hosts anywhere", {.name = "g", .minimum = 256, .pods = {pods(256, 8)}}},
        {"4 x 8 hosts, each in a rack, all in a block", tree},
        {"4 x 8 hosts, each in a rack", loose},
    };
    fmt::print(
        "\n| gang, in 5,000 nodes with 700 candidate gangs | victims | roots | steps | ms |\n|---|---|---|---|---|\n");
    for (const auto& [name, gang] : gangs) {
        Random random(7);
        World world = hosts_world(313, 16, gang);
        world.gang.priority = 10;
        // Fills 98 % of the hosts with about 700 gangs.
        const auto running = fill(world, full_hosts(world.snapshot.node_count(), 98, random),
                                  {.name = {}, .largest = 13, .elastic = false, .scattered = false}, random);
        std::optional<double> best;
        const EvictionAnswer* last = nullptr;
        EvictionAnswer answer;
        for (int run = 0; run < 5; ++run) {
            const auto begin = std::chrono::steady_clock::now();
            answer = choose_victims(world.snapshot, world.gang, running);
            const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
            best = std::min(best.value_or(took.count()), took.count());
            last = &answer;
        }
        const auto* eviction = std::get_if<Eviction>(last);
        fmt::print("| {} ({} gangs) | {} | {} | {} | {:.1f} |\n", name, running.gangs.size(),
                   eviction == nullptr ? 0 : eviction->victims.size(), eviction == nullptr ? 0 : eviction->roots,
                   eviction == nullptr ? std::get<NoEviction>(*last).steps : eviction->steps, *best);
    }
}

}  // namespace

int main(int count, char** words) {
    const auto argument = [&](int at, std::uint32_t usual) {
        return at < count ? static_cast<std::uint32_t>(std::strtoul(words[at], nullptr, 10)) : usual;
    };
    whole_hosts(argument(1, 2000), argument(2, 1));
    timing();
    return 0;
}

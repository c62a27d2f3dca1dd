// Victims against every set of pods of small random worlds.
//
// ECHELON_VICTIM_WORLDS sets how many worlds of each style are tried.

#include "solver/preemption/victims.hpp"
#include "solver/violations.hpp"
#include "unit-tests/solver/preemption/running.hpp"

#include <bit>
#include <cstdlib>
#include <optional>
#include <set>
#include <tuple>
#include <variant>

#include <doctest/doctest.h>

namespace echelon::solver::preemption::testing {
namespace {

using Set = std::uint32_t;  // Of the pods of all gangs, as bits.

struct Price {
    std::int64_t priority = 0;
    std::int64_t roots = 0;
    std::int64_t pods = 0;
    std::int64_t started = 0;  // Negative.
    std::vector<std::string> names;

    auto operator<=>(const Price&) const = default;
};

// The rules of U1 as they are written, set by set; no line of it is the chooser's.
class Judge {
public:
    Judge(const World& world, const model::RunningGangs& running) : world_(world), running_(running) {
        for (const model::RunningGang& gang : running.gangs) {
            first_.push_back(count_);
            count_ += gang.pods.size();
        }
    }

    std::size_t pods() const { return count_; }

    bool is_allowed(Set set) const {
        std::vector<std::int64_t> left;
        for (const auto& budget : running_.budgets) {
            left.push_back(budget.allowed);
        }
        for (std::size_t g = 0; g < running_.gangs.size(); ++g) {
            const model::RunningGang& gang = running_.gangs[g];
            const Set here = part(set, g);
            if (here != 0 && gang.priority >= world_.gang.priority) {
                return false;
            }
            if (!is_whole_units(gang, here, 0)) {
                return false;
            }
            for (std::size_t p = 0; p < gang.pods.size(); ++p) {
                if ((here >> p & 1U) == 0) {
                    continue;
                }
                if (gang.pods[p].is_protected) {
                    return false;
                }
                for (const std::uint32_t budget : gang.pods[p].budgets) {
                    if (--left[budget] < 0) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    Price price(Set set) const {
        Price price{.priority = -1'000'000, .roots = 0, .pods = std::popcount(set), .started = 0, .names = {}};
        for (std::size_t g = 0; g < running_.gangs.size(); ++g) {
            const model::RunningGang& gang = running_.gangs[g];
            const Set here = part(set, g);
            if (here == 0) {
                continue;
            }
            price.priority = std::max(price.priority, gang.priority);
            price.roots += keeps(gang, 0, 0) && !keeps(gang, here, 0) ? 1 : 0;
            for (std::size_t p = 0; p < gang.pods.size(); ++p) {
                if ((here >> p & 1U) != 0) {
                    price.started -= gang.pods[p].started;
                    price.names.push_back(gang.pods[p].pod);
                }
            }
        }
        std::ranges::sort(price.names);
        return price;
    }

    World without(Set set) const {
        World cleared = world_;
        for (std::size_t g = 0; g < running_.gangs.size(); ++g) {
            for (std::size_t p = 0; p < running_.gangs[g].pods.size(); ++p) {
                if ((part(set, g) >> p & 1U) == 0) {
                    continue;
                }
                const model::RunningPod& pod = running_.gangs[g].pods[p];
                for (std::size_t r = 0; r < cleared.snapshot.resources.size(); ++r) {
                    cleared.snapshot.room[r][pod.node] += pod.requests.of(cleared.snapshot.resources[r]);
                }
            }
        }
        return cleared;
    }

    bool fits(Set set) const { return std::holds_alternative<Plan>(without(set).solve()); }

    Set set_of(const Eviction& eviction) const {
        Set set = 0;
        for (std::size_t g = 0; g < running_.gangs.size(); ++g) {
            for (std::size_t p = 0; p < running_.gangs[g].pods.size(); ++p) {
                const auto& uid = running_.gangs[g].pods[p].uid;
                if (std::ranges::find(eviction.victims, uid, &Victim::uid) != eviction.victims.end()) {
                    set |= Set{1} << (first_[g] + p);
                }
            }
        }
        return set;
    }

private:
    Set part(Set set, std::size_t gang) const {
        return set >> first_[gang] & ((Set{1} << running_.gangs[gang].pods.size()) - 1);
    }

    static std::vector<std::uint32_t> children_of(const model::RunningGang& gang, std::uint32_t group) {
        std::vector<std::uint32_t> children;
        for (std::uint32_t g = 0; g < gang.groups.size(); ++g) {
            if (gang.groups[g].parent == group) {
                children.push_back(g);
            }
        }
        return children;
    }

    static std::int64_t left_in(const model::RunningGang& gang, Set lost, std::uint32_t group) {
        std::int64_t left = gang.groups[group].finished;
        if (gang.groups[group].is_leaf) {
            for (std::uint32_t p = gang.groups[group].first_pod; p < gang.groups[group].last_pod; ++p) {
                left += (lost >> p & 1U) == 0 ? 1 : 0;
            }
        }
        for (const std::uint32_t child : children_of(gang, group)) {
            left += left_in(gang, lost, child);
        }
        return left;
    }

    static bool keeps(const model::RunningGang& gang, Set lost, std::uint32_t group) {
        const model::RunningGroup& here = gang.groups[group];
        if (here.is_leaf) {
            return left_in(gang, lost, group) >= here.minimum;
        }
        std::int64_t satisfied = 0;
        for (const std::uint32_t child : children_of(gang, group)) {
            satisfied += keeps(gang, lost, child) ? 1 : 0;
        }
        return satisfied >= here.minimum && left_in(gang, lost, group) >= here.floor;
    }

    // Every group is untouched, or gone, or keeps its minimum and is not of mode `all`.
    static bool is_whole_units(const model::RunningGang& gang, Set lost, std::uint32_t group) {
        const model::RunningGroup& here = gang.groups[group];
        const Set all = ((Set{1} << here.last_pod) - 1) & ~((Set{1} << here.first_pod) - 1);
        const bool is_touched = (lost & all) != 0;
        const bool is_gone = (lost & all) == all;
        if (is_touched && !is_gone && (here.goes_whole || !keeps(gang, lost, group))) {
            return false;
        }
        return std::ranges::all_of(children_of(gang, group),
                                   [&](std::uint32_t child) { return is_whole_units(gang, lost, child); });
    }

    const World& world_;
    const model::RunningGangs& running_;
    std::vector<std::size_t> first_;
    std::size_t count_ = 0;
};

struct Tally {
    std::int64_t worlds = 0;
    std::int64_t evictions = 0;
    std::int64_t none = 0;
};

// The least set that is allowed and suffices, by trying all of them in the order of their price.
std::optional<Set> least(const Judge& judge) {
    std::vector<std::pair<Price, Set>> sets;
    for (Set set = 1; set < Set{1} << judge.pods(); ++set) {
        if (judge.is_allowed(set)) {
            sets.emplace_back(judge.price(set), set);
        }
    }
    std::ranges::sort(sets);
    std::vector<Set> refuted;
    for (const auto& [price, set] : sets) {
        const auto is_within = [only = set](Set large) { return (only & ~large) == 0; };
        if (std::ranges::any_of(refuted, is_within)) {
            continue;
        }
        if (judge.fits(set)) {
            return set;
        }
        refuted.push_back(set);
    }
    return std::nullopt;
}

void check_eviction(const Judge& judge, const World& world, const Eviction& eviction, Set wanted) {
    const Set set = judge.set_of(eviction);
    CHECK(std::popcount(set) == std::ssize(eviction.victims));
    CHECK(judge.is_allowed(set));
    const World cleared = judge.without(set);
    CHECK(violations(cleared.snapshot, world.gang, eviction.plan).empty());
    CHECK(eviction.is_least);
    CHECK(judge.price(set) == judge.price(wanted));
    for (Set fewer = (set - 1) & set; fewer != set; fewer = (fewer - 1) & set) {  // V2
        if (judge.is_allowed(fewer)) {
            CHECK(!judge.fits(fewer));
        }
        if (fewer == 0) {
            break;
        }
    }
}

void compare(std::uint32_t seed, const solver::testing::Style& style, const RunningStyle& running_style, Tally& tally) {
    Random random(seed * 7919U + 13U);
    const auto drawn = solver::testing::random_world(seed, style);
    World world = solver::testing::build(drawn);
    world.gang.priority = 10;
    const model::RunningGangs running = random_running(random, running_style, world.snapshot.node_count());
    make_room_for(world, running);
    const Answer before = world.solve();
    const auto* refusal = std::get_if<Refusal>(&before);
    if (refusal == nullptr || refusal->reason != model::Reason::no_room) {
        return;
    }
    CAPTURE(seed);
    CAPTURE(solver::testing::draw(drawn));
    ++tally.worlds;
    const Judge judge(world, running);
    const auto wanted = least(judge);
    const EvictionAnswer answer = choose_victims(world.snapshot, world.gang, running);
    if (const auto* none = std::get_if<NoEviction>(&answer)) {
        ++tally.none;
        CAPTURE(none->sentence);
        CHECK(none->why != NoEviction::Why::out_of_budget);
        CHECK(!wanted);
        return;
    }
    ++tally.evictions;
    REQUIRE(wanted);
    check_eviction(judge, world, std::get<Eviction>(answer), *wanted);
}

TEST_CASE("the victims of a preemption are the least set that makes the gang fit, or there are none (V1, V2, V3)") {
    struct Row {
        std::string name;
        solver::testing::Style style;
        RunningStyle running;
    };
    const Row rows[] = {
        {"equal pods", {}, {}},
        {"mixed pods", {.mixed = true}, {}},
        {"running members", {.bound = true}, {}},
        {"two trees", {.two_trees = true}, {}},
        {"groups among the victims", {}, {.groups = true}},
        {"groups, mixed pods", {.mixed = true}, {.groups = true}},
        {"budgets", {}, {.budgets = true}},
        {"budgets, groups, mixed pods, running members",
         {.mixed = true, .bound = true},
         {.groups = true, .budgets = true}},
        {"floors, groups", {.floors = true}, {.groups = true}},
        {"multiples", {.multiples = true}, {.ages = false}},
    };
    const char* option = std::getenv("ECHELON_VICTIM_WORLDS");
    const auto seeds = static_cast<std::uint32_t>(option == nullptr ? 700 : std::atoi(option));
    for (const Row& row : rows) {
        CAPTURE(row.name);
        Tally tally;
        for (std::uint32_t seed = 0; seed < seeds; ++seed) {
            compare(seed, row.style, row.running, tally);
        }
        MESSAGE(row.name << ": " << tally.worlds << " worlds, " << tally.evictions << " with victims, " << tally.none
                         << " without");
        CHECK(tally.evictions > tally.worlds / 10);
        CHECK(tally.none > 0);
    }
}

}  // namespace
}  // namespace echelon::solver::preemption::testing

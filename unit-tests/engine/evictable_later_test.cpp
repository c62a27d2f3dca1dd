// No pods could be evicted when the gang came, and facts change later: the gang is not left waiting (U1, U3).

#include "unit-tests/engine/support/clearing_world.hpp"

#include <set>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using namespace test;

const std::vector<std::string> all_pods = {"low-0", "low-1", "other-0", "other-1"};

void protect(Rig& rig, const std::vector<std::string>& pods, bool is_protected) {
    for (const auto& name : pods)
        rig.change_pod(name, [is_protected](model::Pod& pod) { pod.is_protected = is_protected; });
}

// Within two minutes.
bool evicts(Rig& rig) {
    for (int i = 0; i < 12 && rig.evicted.empty(); ++i)
        rig.advance(Time{10'000});
    return !rig.evicted.empty();
}

// The bindings of these pods of "low" have no answer until `rig.is_late` is empty again.
void comes_while_low_is_bound(Rig& rig, const std::set<std::string>& late = {"low-1"}) {
    rig.fabric(1, 1, 2);
    rig.synced();
    rig.gang({"low", 2, {}, 1, 1});
    rig.pods("low", 0, 2);
    rig.is_late = [late](const model::Write& write) {
        const auto* bind = std::get_if<model::BindPod>(&write);
        return bind != nullptr && late.contains(bind->pod.name);
    };
    rig.live(3);
    REQUIRE(rig.bound().size() == 2 - late.size());
    comes(rig);
}

Options without_reservations() {
    auto options = preempting();
    options.claim_after = Time{0};
    return options;
}

TEST_CASE("pods whose protection is taken away are evicted") {
    Rig rig(without_reservations());
    full_rack(rig);
    protect(rig, all_pods, true);
    comes(rig);
    CHECK_FALSE(evicts(rig));
    protect(rig, all_pods, false);
    CHECK(evicts(rig));
}

TEST_CASE("pods whose gang comes to have a lower priority are evicted") {
    Rig rig(without_reservations());
    rig.fabric(1, 1, 2);
    rig.step(Observed{model::PriorityClassSeen{"some", 1000, true}});
    rig.synced();
    rig.gang({"low", 2, {}, {}, 1});
    rig.change_gang("low", [](model::Group& group) { group.priority_class = "some"; });
    rig.pods("low", 0, 2);
    rig.live(3);
    REQUIRE(rig.bound().size() == 2);
    comes(rig);
    CHECK_FALSE(evicts(rig));
    rig.step(Observed{model::PriorityClassSeen{"some", 1, true}});
    CHECK(evicts(rig));
}

TEST_CASE("pods that come to be extras are evicted") {
    Rig rig(without_reservations());
    rig.fabric(1, 1, 4);
    rig.synced();
    rig.gang({"low", 4, {}, 1, 1});
    rig.pods("low", 0, 4);
    rig.live(3);
    REQUIRE(rig.bound().size() == 4);
    protect(rig, {"low-3"}, true);
    comes(rig);
    CHECK_FALSE(evicts(rig));
    rig.change_gang("low", [](model::Group& group) {
        group.minimum = 1;
        ++group.generation;
    });
    CHECK(evicts(rig));
}

TEST_CASE("a gang that is being bound when another one comes may have to make way afterwards") {
    for (const std::set<std::string>& late : {std::set<std::string>{"low-1"}, {"low-0", "low-1"}}) {
        Rig rig(without_reservations());
        comes_while_low_is_bound(rig, late);
        CHECK(rig.evicted.empty());
        rig.is_late = {};
        rig.live(3);
        REQUIRE(rig.bound().size() == 2);
        CHECK(evicts(rig));
    }
}

TEST_CASE("while the binding of a gang hangs, its pods are judged once a minute") {
    Rig rig(without_reservations());
    comes_while_low_is_bound(rig);
    const auto solves = rig.engine.published()->stats.solves_infeasible;
    rig.advance(Time{3'600'000});
    CHECK(rig.engine.published()->stats.solves_infeasible <= solves + 61);
}

TEST_CASE("a gang without victims is not planned again while nothing changes") {
    Rig rig(without_reservations());
    full_rack(rig);
    protect(rig, all_pods, true);
    comes(rig);
    const auto solves = rig.engine.published()->stats.solves_infeasible;
    rig.advance(Time{3'600'000});
    CHECK(rig.engine.published()->stats.solves_infeasible == solves);
}

TEST_CASE("a gang that got room by itself isn't woken to look for victims") {
    Rig rig(without_reservations());
    full_rack(rig);
    protect(rig, all_pods, true);
    comes(rig);
    rig.remove_pod("low-0");
    rig.remove_pod("low-1");
    rig.live(5);
    REQUIRE(rig.bound().size() == 4);
    rig.advance(Time{600'000});
    CHECK_FALSE(rig.engine.wakes_at().has_value());
}

}  // namespace
}  // namespace echelon::engine

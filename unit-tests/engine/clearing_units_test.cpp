// Victims are judged again by whole units before they are evicted (rules U1, U3, P4).

#include "unit-tests/engine/support/clearing_world.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::Rig;

bool is_eviction(const model::Write& write) {
    return std::holds_alternative<model::EvictPod>(write);
}

// "low" has one pod more than its minimum of three, on a rack of four hosts. That pod has to go for "top", and its
// eviction ends without an answer.
std::string extra_has_to_go(Rig& rig) {
    rig.fabric(1, 1, 4);
    rig.synced();
    rig.gang({"low", 3, {}, 1, 1});
    rig.pods("low", 0, 4);
    rig.live(4);
    REQUIRE(rig.bound().size() == 4);
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        return is_eviction(write) ? std::optional(test::answer(model::Outcome::Kind::unknown)) : std::nullopt;
    };
    test::comes(rig, "top", 1);
    REQUIRE(test::phase_of(rig, "top") == model::Phase::clearing);
    REQUIRE(rig.record("top")->victims.size() == 1);
    return rig.record("top")->victims.front().pod.substr(std::string("default/").size());
}

// A new pod of "low" is bound to a host that "top" doesn't tolerate.
void comes_again(Rig& rig) {
    rig.node("b0-r0-h09", "b0", "r0");
    rig.change_node("b0-r0-h09", [](model::Node& node) {
        node.taints = {{"example.com/low", "", model::TaintEffect::no_schedule}};
    });
    rig.pod("low-2", "low");
    rig.change_pod("low-2", [](model::Pod& pod) {
        pod.pod_class.tolerations = {{"example.com/low", true, "", model::TaintEffect::no_schedule}};
    });
    rig.live(3);
    REQUIRE(rig.bound().contains("low-2"));
}

TEST_CASE("a pod that its gang needs by now is not evicted as an extra (U1)") {
    for (const bool restarts : {false, true}) {
        CAPTURE(restarts);
        Rig rig(test::preempting());
        const auto victim = extra_has_to_go(rig);
        // A pod that is no victim ends, and its host is of no use.
        const std::string sibling = victim == "low-0" ? "low-1" : "low-0";
        rig.change_node(rig.bound().at(sibling), [](model::Node& node) { node.unschedulable = true; });
        rig.fate = nullptr;
        if (restarts) {
            rig.forget_silently(sibling);
            rig.restart();
        } else {
            rig.remove_pod(sibling);
        }
        rig.advance(Time{20'000});
        CHECK(rig.evicted.empty());
        CHECK(rig.bound().size() == 3);
        CHECK(test::phase_of(rig, "low") == model::Phase::bound);
        CHECK(test::phase_of(rig, "top") == model::Phase::pending);
    }
}

TEST_CASE("an extra is evicted while its gang keeps its minimum (U1)") {
    Rig rig(test::preempting());
    const auto victim = extra_has_to_go(rig);
    rig.fate = nullptr;
    rig.advance(Time{20'000});
    CHECK(rig.evicted == std::vector<std::string>{victim});
}

TEST_CASE("a gang that may not be evicted any more is spared (U3)") {
    Rig rig(test::preempting());
    static_cast<void>(extra_has_to_go(rig));
    rig.change_gang("low", [](model::Group& group) { group.protected_from = 0; });
    rig.fate = nullptr;
    rig.advance(Time{20'000});
    CHECK(rig.evicted.empty());
    CHECK(test::phase_of(rig, "top") == model::Phase::pending);
    CHECK(rig.record("top")->message.find("may not be evicted any more") != std::string::npos);
}

TEST_CASE("once a pod of a gang was evicted the others follow, also if a new pod is bound in its place (P4)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    rig.change_gang("other", [](model::Group& group) { group.priority = 50; });
    for (const char* pod : {"low-0", "low-1"})
        rig.label_pod(pod, {{"app", "web"}});
    test::budget(rig, "web", {{"app", "web"}}, 2);
    bool is_refused = false;
    rig.fate = [&is_refused](const model::Write& write) -> std::optional<model::Outcome> {
        if (is_eviction(write) && std::exchange(is_refused, true))
            return test::answer(model::Outcome::Kind::unknown);
        return std::nullopt;
    };
    test::comes(rig);
    REQUIRE(rig.evicted.size() == 1);
    const auto first = rig.evicted.front();
    rig.remove_pod(first);
    comes_again(rig);
    rig.fate = nullptr;
    rig.advance(Time{20'000});
    CHECK(rig.evicted.size() == 2);
}

TEST_CASE("a gang whose pods went by themselves and came again is judged as it is now (U1)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    rig.change_gang("other", [](model::Group& group) { group.priority = 50; });
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        return is_eviction(write) ? std::optional(test::answer(model::Outcome::Kind::unknown)) : std::nullopt;
    };
    test::comes(rig);
    REQUIRE(test::phase_of(rig, "top") == model::Phase::clearing);
    rig.remove_pod("low-0");
    comes_again(rig);
    rig.fate = nullptr;
    rig.advance(Time{20'000});
    CHECK(rig.evicted.empty());
    CHECK(test::phase_of(rig, "low") == model::Phase::bound);
}

}  // namespace
}  // namespace echelon::engine

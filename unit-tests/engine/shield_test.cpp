// Which pods of gangs kube-scheduler may evict by its own preemption (PR6).

#include "unit-tests/engine/support/rig.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::Rig;

// A gang with this number of pods, all bound.
void run(Rig& rig, const std::string& gang, std::int64_t minimum, int pods) {
    rig.gang({gang, minimum, test::rack_key});
    rig.pods(gang, 0, pods);
    rig.live(3);
    REQUIRE(rig.racks_of(gang).size() == 1);
}

bool allows(Rig& rig, const std::vector<std::string>& names) {
    std::vector<std::vector<std::string>> victims(1);
    for (const auto& name : names)
        victims.front().push_back(rig.pod_of(name).uid);
    return rig.engine.may_evict(victims).front();
}

TEST_CASE("a gang may lose any extras, and nothing else (PR6)") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.synced();
    run(rig, "train", 2, 3);
    for (int i = 0; i < 3; ++i)
        CHECK(allows(rig, {fmt::format("train-{}", i)}));
    CHECK_FALSE(allows(rig, {"train-0", "train-1"}));
    CHECK_FALSE(allows(rig, {"train-0", "train-1", "train-2"}));
}

TEST_CASE("what goes together goes from one node, or not at all (PR6)") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.synced();
    run(rig, "train", 1, 3);
    rig.change_gang("train", [](model::Group& group) { group.disruption = model::DisruptionMode::all; });
    rig.advance(Time{1000});
    CHECK_FALSE(allows(rig, {"train-0"}));
    CHECK_FALSE(allows(rig, {"train-0", "train-1"}));
}

model::Group composite(const std::string& name) {
    model::Group group;
    group.key = {"compositepodgroup", "default/" + name};
    group.kind = model::GroupKind::composite;
    group.minimum = 1;
    return group;
}

TEST_CASE("a gang whose groups contradict each other is one unit (PR6, U2)") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.synced();
    const auto root = composite("serve");
    auto replicas = composite("replicas");
    replicas.parent = root.key;
    rig.add_group("serve", root);
    rig.add_group("replicas", replicas);
    for (const auto& [leaf, parent] : {std::pair("replica", replicas.key), std::pair("router", root.key)}) {
        rig.gang({leaf, 1});
        rig.change_gang(leaf, [&](model::Group& group) { group.parent = parent; });
        rig.pods(leaf, 0, 2);
    }
    rig.advance(Time{1000});
    rig.live(3);
    REQUIRE(rig.bound().size() == 4);
    rig.change_gang("replicas", [](model::Group& group) { group.disruption = model::DisruptionMode::all; });
    CHECK(allows(rig, {"router-0"}));
    rig.change_gang("replica", [](model::Group& group) { group.disruption = model::DisruptionMode::single; });
    CHECK_FALSE(allows(rig, {"router-0"}));
}

TEST_CASE("plain pods may go, and gangs are judged as they are now (PR6)") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.synced();
    run(rig, "train", 2, 2);
    rig.pod("plain", "", false);
    CHECK(allows(rig, {"plain"}));
    CHECK(allows(rig, {}));
    CHECK_FALSE(allows(rig, {"plain", "train-0"}));
    rig.pods("train", 2, 3);
    rig.live(3);
    CHECK(allows(rig, {"plain", "train-0"}));
    rig.remove_pod("train-1");  // At once: the next preemptor may come before any time has passed.
    CHECK_FALSE(allows(rig, {"train-0"}));
    for (const auto* name : {"train-0", "train-2"})
        rig.change_pod(name, [](model::Pod& pod) { pod.deleting = true; });
    rig.advance(Time{1000});
    CHECK(allows(rig, {"train-0"}));  // It goes already.
}

TEST_CASE("a member that was just bound, or has just left, counts at once (PR6)") {
    Rig rig;
    rig.fabric(1, 2, 4);
    rig.synced();
    run(rig, "other", 2, 3);
    rig.gang({"train", 2, test::rack_key});
    rig.pods("train", 0, 3);
    rig.advance(Time{1000});
    rig.remove_pod("other-0");
    rig.schedule_all();
    rig.settle();
    REQUIRE(rig.racks_of("train").size() == 1);
    rig.remove_pod("train-0");
    CHECK_FALSE(allows(rig, {"train-1"}));
    CHECK_FALSE(allows(rig, {"other-1"}));
}

}  // namespace
}  // namespace echelon::engine

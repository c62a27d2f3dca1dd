// Devices for the claims of members that don't exist yet, by the template that their group declares (H6, DR1).

#include "unit-tests/model/support/devices.hpp"
#include "unit-tests/model/support/same.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace devices_of_test;

// Three members with a claim each; the first one starts before the others.
Group late_group(const std::string& claim_template = "one") {
    auto group = leaf("a", 3);
    group.expected = 3;
    group.start_set = 1;
    group.late_pod_class = member("any", "a", 0).pod_class;
    group.late_claims = {{.name = "gpu", .claim = {}, .claim_template = claim_template}};
    return group;
}

// What each member that doesn't exist yet asks for.
std::int64_t asked_by_late_members(World& world, const std::string& what = of_class) {
    static_cast<void>(world.cluster.resolve());
    const auto snapshot = world.cluster.snapshot();
    const auto gang = world.cluster.gang(leaf_key("a"), snapshot);
    const auto late = std::ranges::find_if(gang.members, &Member::is_placeholder);
    REQUIRE(late != gang.members.end());
    return snapshot.pod_classes[late->pod_class].requests.of(what);
}

TEST_CASE("members that don't exist yet ask for the devices of their template's claims") {
    auto world = small_world();
    world.apply(GroupSeen{late_group()});
    world.apply(PodSeen{member("a-0", "a", 0)});
    CHECK(asked_by_late_members(world) == 1);
    CHECK(world.left("n0") == 4);
}

TEST_CASE("they still do when the first member has its devices, and is bound") {
    auto world = small_world();
    world.apply(GroupSeen{late_group()});
    auto first = from_template("a-0");
    world.apply(first);
    CHECK(asked_by_late_members(world) == 1);
    first.claims.front().claim = "a-0-gpu";
    world.apply(DeviceClaimSeen{allocated("a-0-gpu", 0)});
    first.pod.node = "n0";
    world.apply(first);
    CHECK(asked_by_late_members(world) == 1);
    CHECK(world.left("n0") == 3);
}

TEST_CASE("their gang is affected when what they ask for changes") {
    auto world = small_world();
    world.apply(GroupSeen{late_group("two")});
    world.apply(PodSeen{member("a-0", "a", 0)});
    CHECK(asked_by_late_members(world) == 0);
    CHECK(world.apply(DeviceTemplateSeen{{"default", "two", demand(2)}}).gangs.contains(leaf_key("a")));
    CHECK(asked_by_late_members(world) == 2);
    CHECK(world.apply(DeviceTemplateSeen{{"default", "two", demand(1)}}).gangs.contains(leaf_key("a")));
    CHECK(asked_by_late_members(world) == 1);
    CHECK(world.apply(GroupSeen{late_group("one")}).gangs.contains(leaf_key("a")));
    world.apply(DeviceTemplateGone{"default", "two"});
    CHECK(asked_by_late_members(world) == 1);
}

TEST_CASE("they ask for devices by an extended resource, whichever comes first (DR6)") {
    for (const bool class_comes_first : {true, false}) {
        World world;
        world.apply(NodeSeen{node("n0")});
        world.apply(DeviceSliceSeen{devices_of("n0", 4)});
        const DeviceClassSeen device_class{
            {"gpu.example.com", {"device.driver == \"gpu.example.com\""}, "example.com/gpu"}};
        auto group = late_group();
        group.late_claims.clear();
        auto late = *group.late_pod_class;
        late.requests.set("example.com/gpu", 2);
        group.late_pod_class = late;
        if (class_comes_first)
            world.apply(device_class);
        world.apply(GroupSeen{group});
        world.apply(PodSeen{member("a-0", "a", 0)});
        if (!class_comes_first)
            world.apply(device_class);
        CHECK(asked_by_late_members(world, "example.com/gpu") == 2);
        CHECK(world.left("n0", "example.com/gpu") == 4);
    }
}

TEST_CASE("a claim that all members share is not asked for once more by those that don't exist yet (DR2)") {
    auto world = small_world();
    auto group = late_group();
    group.late_claims = {{.name = "gpu", .claim = "shared", .claim_template = {}}};
    world.apply(GroupSeen{group});
    world.apply(
        DeviceClaimSeen{{.ns = "default", .name = "shared", .uid = "u", .demand = demand(2), .allocation = {}}});
    world.apply(claiming("a-0", "a", group.late_claims.front()));
    CHECK(world.wanted("a-0") == 2);
    CHECK(asked_by_late_members(world) == 0);
}

TEST_CASE("nothing is left of them after their group has gone") {
    auto world = small_world();
    const auto before = world.left("n0");
    const auto group = late_group();
    world.apply(GroupSeen{group});
    CHECK(world.left("n0") == 4);
    world.apply(GroupGone{group.key, group.uid});
    static_cast<void>(world.cluster.resolve());
    CHECK(world.cluster.snapshot().pod_classes.empty());
    CHECK(world.left("n0") == before);
}

namespace {

class Dice {
public:
    explicit Dice(std::uint32_t seed) : engine_(seed) {}
    std::size_t below(std::size_t bound) { return engine_() % bound; }
    std::string any(std::initializer_list<const char*> texts) { return std::data(texts)[below(texts.size())]; }

private:
    std::mt19937 engine_;
};

Group random_group(Dice& dice, const std::string& name) {
    auto group = leaf(name, 3);
    group.expected = 3;
    group.start_set = 1;
    if (dice.below(5) == 0)
        return group;
    auto late = member("any", "a", 0).pod_class;
    if (dice.below(2) == 0)
        late.requests.set("example.com/gpu", 1);
    group.late_pod_class = late;
    if (dice.below(3) > 0)
        group.late_claims = {{.name = "gpu", .claim = {}, .claim_template = dice.any({"one", "two", "none"})}};
    return group;
}

Event random_pod(Dice& dice) {
    const auto group = dice.any({"a", "b"});
    const bool is_first = dice.below(2) == 0;
    auto seen = from_template(group + (is_first ? "-0" : "-1"), group);
    seen.claims.front().claim_template = is_first ? "one" : "two";
    if (dice.below(3) == 0)
        seen.claims.front().claim = is_first ? "c" : "d";
    if (dice.below(4) == 0)
        seen.pod.pod_class.requests.set("example.com/gpu", 1);
    if (dice.below(4) == 0)
        seen.pod.node = "n0";
    if (dice.below(4) == 0)
        seen.pod.membership->declared.edit() = {random_group(dice, group)};
    if (dice.below(8) == 0)
        seen.pod.scheduler_name = "other";
    return seen;
}

DeviceDemand random_demand(Dice& dice) {
    auto asked = demand(static_cast<std::int64_t>(1 + dice.below(2)));
    auto& request = asked.requests.front();
    request.wants_all = dice.below(4) == 0;
    if (dice.below(3) == 0)
        request.selectors = {"device.attributes[\"gpu.example.com\"].size == \"large\""};
    if (dice.below(4) == 0)
        asked.constraints = {{.attribute = "gpu.example.com/size", .requests = {}}};
    return asked;
}

Event random_event(Dice& dice) {
    switch (dice.below(9)) {
        case 0:
            return DeviceClassSeen{{"gpu.example.com",
                                    {"device.driver == \"gpu.example.com\""},
                                    dice.any({"", "example.com/gpu", "example.com/other"})}};
        case 1:
            return dice.below(3) == 0 ? Event(DeviceClassGone{"gpu.example.com"})
                                      : Event(DeviceSliceSeen{devices_of("n0", static_cast<int>(dice.below(5)))});
        case 2:
            return DeviceTemplateSeen{{"default", dice.any({"one", "two"}), random_demand(dice)}};
        case 3:
            return DeviceTemplateGone{"default", dice.any({"one", "two"})};
        case 4:
            return dice.below(2) == 0 ? Event(DeviceClaimSeen{allocated(dice.any({"c", "d"}), 0)})
                                      : Event(DeviceClaimGone{"default", dice.any({"c", "d"})});
        case 5:
            return GroupGone{leaf_key(dice.any({"a", "b"})), {}};
        case 6:
            return dice.below(3) == 0 ? Event(PodGone{dice.any({"uid-a-0", "uid-a-1", "uid-b-0"})}) : random_pod(dice);
        case 7:
            return random_pod(dice);
        default:
            return GroupSeen{random_group(dice, dice.any({"a", "b"}))};
    }
}

// What the members of each gang ask for.
std::map<GroupKey, std::string> asked_by_gangs(const Cluster& cluster) {
    std::map<GroupKey, std::string> asked;
    const auto snapshot = cluster.snapshot();
    for (const auto& root : cluster.roots()) {
        for (const auto& each : cluster.gang(root, snapshot).members) {
            for (const auto& [name, amount] : snapshot.pod_classes[each.pod_class].requests.entries())
                asked[root] += name + "=" + std::to_string(amount) + " ";
        }
    }
    return asked;
}

}  // namespace

TEST_CASE("what late members ask for follows from the facts alone, and a change names their gangs (I10, I13, H6)") {
    for (std::uint32_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        World world;
        world.apply(NodeSeen{node("n0")});
        world.apply(DeviceSliceSeen{devices_of("n0", 4)});
        auto before = asked_by_gangs(world.cluster);
        for (int step = 0; step < 40; ++step) {
            CAPTURE(step);
            const auto change = world.apply(random_event(dice));
            static_cast<void>(world.cluster.resolve());
            auto copy = cluster(world.cluster.events());
            REQUIRE(written(copy) == written(world.cluster));
            auto after = asked_by_gangs(world.cluster);
            for (const auto& [root, asked] : after) {
                CAPTURE(root.name);
                CHECK((change.gangs.contains(root) || asked == before[root]));
            }
            before = std::move(after);
        }
        const Profiles both{{"default-scheduler", {}}, {"other", {}}};
        static_cast<void>(world.cluster.reprofile(both));
        Cluster copy(both);
        for (const auto& event : world.cluster.events())
            static_cast<void>(copy.apply(event));
        REQUIRE(written(copy) == written(world.cluster));
    }
}

}  // namespace
}  // namespace echelon::model

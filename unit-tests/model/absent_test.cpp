// Members that can't be scheduled yet: behind another controller's gate (M3), or not created yet (H1 to H7).

#include "model/gang/member_names.hpp"
#include "unit-tests/model/support/facts.hpp"

#include <cstdint>
#include <set>
#include <string>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace facts;

Group late(const std::string& name, std::int64_t size, std::int64_t start_set) {
    auto group = leaf(name, size);
    group.expected = size;
    group.start_set = start_set;
    return group;
}

PodClass worker_class(std::int64_t gpus = 2) {
    PodClass pod_class;
    pod_class.requests = {{"gpu", gpus}, {"pods", 1}};
    return pod_class;
}

std::int64_t placeholders_of(const Gang& gang) {
    return std::ranges::count_if(gang.members, &Member::is_placeholder);
}

TEST_CASE("members behind another controller's gate are gated members of their leaf, with their pod class (M3)") {
    auto gated = member("web-1", "web", 3);
    gated.gates = {"kueue.x-k8s.io/admission"};
    const auto known =
        cluster({NodeSeen{node("n0")}, GroupSeen{leaf("web", 1)}, PodSeen{member("web-0", "web")}, PodSeen{gated}});
    const auto snapshot = known.snapshot();
    const auto gang = known.gang(leaf_key("web"), snapshot);
    CHECK(gang.members.size() == 1);
    REQUIRE(gang.gated_members.size() == 1);
    CHECK(gang.gated_members[0].group == 0);
    CHECK(snapshot.pod_classes[gang.gated_members[0].pod_class].requests == gated.pod_class.requests);
    CHECK_FALSE(gang.problem);
}

TEST_CASE("declared members that don't exist become placeholders, gated pods aside (H1)") {
    auto group = late("lws", 8, 1);
    group.late_pod_class = worker_class();
    auto gated = member("lws-1", "lws");
    gated.gates = {"example.com/gate"};
    const auto known =
        cluster({NodeSeen{node("n0")}, GroupSeen{group}, PodSeen{member("lws-0", "lws")}, PodSeen{gated}});
    const auto snapshot = known.snapshot();
    const auto gang = known.gang(leaf_key("lws"), snapshot);
    CHECK(placeholders_of(gang) == 6);
    CHECK(gang.members.size() == 7);
    CHECK_FALSE(gang.members[0].is_placeholder);
    CHECK(snapshot.pod_classes[gang.members[1].pod_class] == worker_class());
    CHECK(gang.warnings.empty());
}

TEST_CASE("an expected size without a start set makes no placeholders (Z14)") {
    auto group = leaf("web", 1);
    group.expected = 8;
    const auto known = cluster({NodeSeen{node("n0")}, GroupSeen{group}, PodSeen{member("web-0", "web")}});
    CHECK(placeholders_of(gang_of(known, leaf_key("web"))) == 0);
}

TEST_CASE("an unreadable pod class is replaced by that of the start set, with a warning (H6)") {
    const auto known =
        cluster({NodeSeen{node("n0")}, GroupSeen{late("lws", 3, 1)}, PodSeen{member("lws-0", "lws", 5)}});
    const auto snapshot = known.snapshot();
    const auto gang = known.gang(leaf_key("lws"), snapshot);
    REQUIRE(placeholders_of(gang) == 2);
    CHECK(gang.members[1].pod_class == gang.members[0].pod_class);
    REQUIRE(gang.warnings.size() == 1);
    CHECK(contains(gang.warnings[0], "default/lws"));
}

TEST_CASE("one warning speaks for all groups whose pod class is unreadable (H6, BD1)") {
    std::vector<Event> events{NodeSeen{node("n0")}, GroupSeen{composite("root", 3)}};
    for (const char* name : {"a", "b", "c"}) {
        auto group = late(name, 3, 1);
        group.parent = composite_key("root");
        events.emplace_back(GroupSeen{group});
        events.emplace_back(PodSeen{member(std::string(name) + "-0", name)});
    }
    const auto gang = gang_of(cluster(events), composite_key("root"));
    CHECK(placeholders_of(gang) == 6);
    REQUIRE(gang.warnings.size() == 1);
    CHECK(contains(gang.warnings[0], "default/a\" and 2 more: the template of pods"));
}

TEST_CASE("the barrier counts the start set only (H3)") {
    const auto known = cluster({NodeSeen{node("n0")}, GroupSeen{late("lws", 3, 1)}, PodSeen{member("lws-0", "lws")}});
    const auto gang = gang_of(known, leaf_key("lws"));
    CHECK_FALSE(gang.problem);
    CHECK(gang.groups[0].minimum == 3);
    CHECK(gang.groups[0].at_barrier == 1);
}

TEST_CASE("the barrier stays closed if the members that exist and those to come are too few (H3)") {
    auto second = late("second", 4, 1);
    second.expected = 3;
    second.parent = composite_key("set");
    const auto gang = gang_of(
        cluster({NodeSeen{node("n0")}, GroupSeen{composite("set", 1)}, GroupSeen{leaf("first", 1, "set")},
                 GroupSeen{second}, PodSeen{member("first-0", "first")}, PodSeen{member("second-0", "second")}}),
        composite_key("set"));
    CHECK(placeholders_of(gang) == 2);
    CHECK(gang.groups[2].minimum == 4);
    CHECK(gang.groups[2].at_barrier == 2);
}

TEST_CASE("without its start set a gang is Incomplete, whatever it expects (H2)") {
    const auto none = cluster({NodeSeen{node("n0")}, GroupSeen{late("lws", 3, 1)}});
    CHECK(problem_of(none, leaf_key("lws")) == "Incomplete: group \"default/lws\" has no pod yet");
    const auto one = cluster({NodeSeen{node("n0")}, GroupSeen{late("lws", 4, 2)}, PodSeen{member("lws-0", "lws")}});
    CHECK(problem_of(one, leaf_key("lws")) ==
          "Incomplete: group \"default/lws\" has 1 of 2 pods that the others wait for");
}

TEST_CASE("a group that hasn't begun gets placeholders once its start set is whole (H2)") {
    auto second = late("second", 4, 2);
    second.parent = composite_key("set");
    std::vector<Event> events = {NodeSeen{node("n0")}, GroupSeen{composite("set", 1)},
                                 GroupSeen{leaf("first", 1, "set")}, GroupSeen{second},
                                 PodSeen{member("first-0", "first")}};
    const auto placeholders = [&] { return placeholders_of(gang_of(cluster(events), composite_key("set"))); };
    CHECK(placeholders() == 0);
    auto member_of_start = member("second-0", "second");
    events.emplace_back(PodSeen{member_of_start});
    CHECK(placeholders() == 0);
    events.emplace_back(PodSeen{member("second-1", "second")});
    CHECK(placeholders() == 2);
    // Once it has begun, a member that is being replaced costs the late ones no room.
    member_of_start.node = "n0";
    events.emplace_back(PodSeen{member_of_start});
    events.emplace_back(PodGone{"uid-second-1"});
    CHECK(placeholders() == 3);
}

TEST_CASE("a member that doesn't exist yet is called by its leaf and its number there (BD2)") {
    auto first = late("first", 3, 1);
    auto second = late("second", 2, 1);
    first.parent = composite_key("set");
    second.parent = composite_key("set");
    const auto gang =
        gang_of(cluster({NodeSeen{node("n0")}, GroupSeen{composite("set", 2)}, GroupSeen{first}, GroupSeen{second},
                         PodSeen{member("first-0", "first")}, PodSeen{member("second-0", "second")}}),
                composite_key("set"));
    REQUIRE(gang.members.size() == 5);
    std::set<std::string> uids;
    std::string pods;
    for (std::uint32_t m = 0; m < gang.members.size(); ++m) {
        uids.insert(uid_of(gang, m).str());
        pods += pod_of(gang, m) + " ";
        CHECK(gang.members[m].uid.empty() == gang.members[m].is_placeholder);
    }
    CHECK(uids.size() == 5);
    CHECK(pods ==
          "default/first-0 default/first/ghost-0 default/first/ghost-1 "
          "default/second-0 default/second/ghost-0 ");
}

TEST_CASE("a stage that begins later is all placeholders, with its own pod class (H2)") {
    auto first = leaf("first", 1, "set");
    auto second = leaf("second", 2, "set");
    second.expected = 2;
    second.start_set = 0;
    second.late_pod_class = worker_class();
    const auto known = cluster({NodeSeen{node("n0")}, GroupSeen{composite("set", 2)}, GroupSeen{first},
                                GroupSeen{second}, PodSeen{member("first-0", "first")}});
    const auto gang = gang_of(known, composite_key("set"));
    CHECK_FALSE(gang.problem);
    CHECK(placeholders_of(gang) == 2);
    CHECK(gang.groups[2].at_barrier == 0);
}

TEST_CASE("finished members count toward a minimum together with placeholders (H7)") {
    auto finished = member("lws-0", "lws");
    finished.phase = PodPhase::succeeded;
    const auto known = cluster({NodeSeen{node("n0")}, GroupSeen{late("lws", 3, 1)}, PodSeen{finished},
                                PodSeen{bound(member("lws-1", "lws"), "n0")}});
    const auto gang = gang_of(known, leaf_key("lws"));
    CHECK_FALSE(gang.problem);
    CHECK(placeholders_of(gang) == 1);
}

TEST_CASE("members that have ended and are gone lower the minimum (H7)") {
    auto group = late("lws", 4, 2);
    group.late_pod_class = worker_class();
    const auto after = [&](std::int64_t ended, const std::vector<Pod>& pods) {
        group.ended = ended;
        std::vector<Event> events = {NodeSeen{node("n0")}, GroupSeen{group}};
        for (const auto& pod : pods)
            events.emplace_back(PodSeen{pod});
        return cluster(events);
    };
    auto finished = member("lws-0", "lws");
    finished.phase = PodPhase::succeeded;
    const auto running = bound(member("lws-1", "lws"), "n0");
    struct Row {
        std::int64_t ended;
        std::vector<Pod> pods;
        std::int64_t minimum, placeholders, at_barrier;
    };
    const std::vector<Row> rows = {
        {1, {finished, running}, 4, 2, 2},  // Counted once.
        {1, {running}, 3, 2, 1},
        {2, {finished, running}, 3, 1, 2},
        {2, {}, 2, 2, 0},
        {3, {running}, 1, 0, -1},
        {9, {}, 0, 0, -1},
    };
    for (const auto& row : rows) {
        CAPTURE(row.ended);
        const auto known = after(row.ended, row.pods);
        const auto gang = gang_of(known, leaf_key("lws"));
        CHECK_FALSE(gang.problem);
        CHECK(gang.groups[0].minimum == row.minimum);
        CHECK(placeholders_of(gang) == row.placeholders);
        CHECK(gang.groups[0].at_barrier == row.at_barrier);
    }
    // One pod of the start set has ended, and the other doesn't exist.
    CHECK(problem_of(after(1, {}), leaf_key("lws")) ==
          "Incomplete: group \"default/lws\" has 0 of 1 pod that the others wait for");
}

TEST_CASE("leaves without pods get placeholders only as far as their parent needs them (H1)") {
    const auto known_with = [](std::int64_t minimum) {
        std::vector<Event> events = {NodeSeen{node("n0")}, GroupSeen{composite("set", minimum)}};
        for (const char* name : {"a", "b", "c"}) {
            auto stage = late(name, 2, 0);
            stage.parent = composite_key("set");
            stage.late_pod_class = worker_class();
            events.emplace_back(GroupSeen{stage});
        }
        events.emplace_back(PodSeen{member("b-0", "b")});
        return cluster(events);
    };
    // One of them has ended, by the owner's count; it is unknown which.
    CHECK(placeholders_of(gang_of(known_with(3), composite_key("set"))) == 5);
    CHECK(placeholders_of(gang_of(known_with(2), composite_key("set"))) == 3);
    CHECK(placeholders_of(gang_of(known_with(1), composite_key("set"))) == 1);
}

TEST_CASE("the pod class of late members is kept exactly as long as their group") {
    auto group = late("lws", 3, 1);
    group.late_pod_class = worker_class();
    auto known = cluster({NodeSeen{node("n0")}, GroupSeen{group}});
    CHECK(known.snapshot().pod_classes == std::vector{worker_class()});
    group.late_pod_class = worker_class(4);
    static_cast<void>(known.apply(GroupSeen{group}));
    CHECK(known.snapshot().pod_classes == std::vector{*group.late_pod_class});
    static_cast<void>(known.apply(GroupGone{group.key, group.uid}));
    CHECK(known.snapshot().pod_classes.empty());
}

TEST_CASE("late members of groups in one set have the pod class that the set declares (H1)") {
    GroupSet set{.owner = composite_key("set"), .uid = "u"};
    auto group = late("workers", 2, 0);
    group.late_pod_class = worker_class();
    set.groups = {composite("set", 1), group};
    set.groups.back().parent = set.owner;
    auto known = cluster({NodeSeen{node("n0")}, GroupSetSeen{set}});
    CHECK(known.snapshot().pod_classes == std::vector{worker_class()});
    // What the set declares about another object's members, in either order.
    GroupSet behind{.owner = composite_key("behind"), .uid = "b"};
    auto addition = late("train", 3, 1);
    addition.only_supplements = true;
    addition.late_pod_class = worker_class(4);
    behind.shared = {addition};
    static_cast<void>(known.apply(GroupSeen{leaf("train", 3)}));
    static_cast<void>(known.apply(GroupSetSeen{behind}));
    CHECK(known.snapshot().pod_classes.size() == 2);
    auto start = member("train-0", "train");
    start.phase = PodPhase::succeeded;
    static_cast<void>(known.apply(PodSeen{start}));
    CHECK(placeholders_of(gang_of(known, leaf_key("train"))) ==
          2);  // No other pod exists that could give the pod class.
    static_cast<void>(known.apply(GroupSetGone{behind.owner, "b"}));
    CHECK(known.snapshot().pod_classes.size() == 1);
    static_cast<void>(known.apply(GroupSetGone{set.owner, "u"}));
    CHECK(known.snapshot().pod_classes.empty());
}

}  // namespace
}  // namespace echelon::model

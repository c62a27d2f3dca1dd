// Which pods does a group have by their names alone? (Z36)

#include "model/gang/gang_facts.hpp"
#include "model/gang/sub_group_selection.hpp"
#include "unit-tests/model/support/facts.hpp"

#include <algorithm>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace facts;

Event naming(std::vector<std::string> names) {
    auto root = composite("serve", 1);
    root.sorts.push_back(selector_by_name(leaf_key("work"), std::move(names)));
    return GroupSeen{root};
}

Event seen(Pod pod) {
    return PodSeen{std::move(pod), {}};
}

std::string members(const Cluster& cluster) {
    std::string names;
    for (const auto& member : gang_of(cluster, composite_key("serve")).members)
        names += (names.empty() ? "" : " ") + member.pod;
    return names;
}

TEST_CASE("a group has the pods that it names, whichever comes first (Z36)") {
    std::vector<Event> events = {NodeSeen{node("n0")}, naming({"a", "b"}), GroupSeen{leaf("work", 1, "serve")},
                                 seen(pod("a")),       seen(pod("b")),     seen(pod("c"))};
    std::ranges::sort(events, {}, &Event::index);
    do {
        CHECK(members(cluster(events)) == "default/a default/b");
    } while (std::next_permutation(events.begin(), events.end(),
                                   [](const Event& x, const Event& y) { return x.index() < y.index(); }));
}

TEST_CASE("names come and go, and so do members (Z36)") {
    auto known = cluster({NodeSeen{node("n0")}, GroupSeen{leaf("work", 1, "serve")}, seen(pod("a")), seen(pod("b"))});
    CHECK_FALSE(known.root_of(*known.pod("uid-a")));
    const auto change = known.apply(naming({"a"}));
    CHECK(change.member_arrived);
    CHECK(change.gangs.contains(composite_key("serve")));
    CHECK(members(known) == "default/a");
    CHECK(known.root_of(pod("a")) == composite_key("serve"));
    CHECK(known.asks_as_before(*known.pod("uid-a"), PodSeen{pod("a"), {}}));
    static_cast<void>(known.apply(naming({"b"})));
    CHECK(members(known) == "default/b");
    CHECK_FALSE(known.root_of(pod("a")));
    static_cast<void>(known.apply(PodGone{"uid-b"}));
    CHECK(members(known).empty());
    auto again = pod("b");
    again.uid = "another";
    static_cast<void>(known.apply(seen(again)));
    CHECK(members(known) == "default/b");
    static_cast<void>(known.apply(GroupGone{composite_key("serve"), {}}));
    CHECK_FALSE(known.root_of(again));
}

TEST_CASE("a member by name has its whole pod class, and runs where it is bound (Z36)") {
    auto choosy = pod("a");
    choosy.pod_class.node_selector = {{"pool", "x"}};
    auto known = cluster({NodeSeen{node("n0")}, NodeSeen{node("n1", {{"pool", "x"}})}, seen(choosy),
                          GroupSeen{leaf("work", 1, "serve")}, naming({"a"})});
    auto snapshot = known.snapshot();
    auto gang = known.gang(composite_key("serve"), snapshot);
    REQUIRE(gang.members.size() == 1);
    CHECK(snapshot.eligible[gang.members[0].pod_class][*snapshot.node("n0")] == 0);
    CHECK(snapshot.eligible[gang.members[0].pod_class][*snapshot.node("n1")] == 1);
    static_cast<void>(known.apply(seen(bound(choosy, "n1"))));
    snapshot = known.snapshot();
    gang = known.gang(composite_key("serve"), snapshot);
    CHECK(gang.members[0].state == Member::State::bound);
    const auto gpu =
        static_cast<std::size_t>(std::ranges::find(snapshot.resources, "gpu") - snapshot.resources.begin());
    CHECK(snapshot.room[gpu][*snapshot.node("n1")] == snapshot.room[gpu][*snapshot.node("n0")] - 1);
}

TEST_CASE("a group that the pod names itself goes first, and pods of other schedulers are no members (Z36)") {
    auto other = pod("b");
    other.scheduler_name = "another";
    const auto known = cluster({NodeSeen{node("n0")}, GroupSeen{leaf("work", 1, "serve")}, GroupSeen{leaf("own", 1)},
                                seen(member("a", "own")), seen(other), seen(pod("c")), naming({"a", "b", "c"})});
    CHECK(members(known) == "default/c");
    CHECK(known.root_of(*known.pod("uid-a")) == leaf_key("own"));
}

TEST_CASE("a pod without an attempt belongs to the attempt of the others (Z36, M1)") {
    auto told = member("b", "work");
    told.membership->attempt = "new";
    auto old = member("c", "work");
    old.membership->attempt = "old";
    told.created = 2;
    old.created = 1;
    auto silent = pod("a");
    silent.created = 3;
    const auto known = cluster({NodeSeen{node("n0")}, GroupSeen{leaf("work", 1, "serve")}, naming({"a"}), seen(told),
                                seen(old), seen(silent)});
    CHECK(members(known) == "default/a default/b");
}

}  // namespace
}  // namespace echelon::model

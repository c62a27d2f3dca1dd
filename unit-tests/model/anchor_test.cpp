// Which nodes may a co-located gang use, and for which gangs does its anchor leave room? (X5)

#include "unit-tests/model/support/facts.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace facts;

// A member of a gang that is scaled up beside the gang "base".
Pod beside(const std::string& name, const std::string& group) {
    auto pod = member(name, group);
    Group more;
    more.key = leaf_key(group);
    more.only_supplements = true;
    more.anchor = leaf_key("base");
    pod.membership->declared = {more};
    return pod;
}

// Two blocks of two hosts; "base" asks for a block, "more" for nothing.
std::vector<Event> world() {
    auto base = leaf("base", 1);
    base.required = {block};
    return {NodeSeen{racked("a0", "a", "r0")},
            NodeSeen{racked("a1", "a", "r1")},
            NodeSeen{racked("b0", "b", "r0")},
            NodeSeen{racked("b1", "b", "r1")},
            TopologySeen{topology("fabric", {block, rack})},
            GroupSeen{base},
            GroupSeen{leaf("more", 1)},
            PodSeen{beside("more-0", "more"), {}}};
}

std::string open_to(const Cluster& cluster, const std::string& group, std::span<const ExpectedPod> elsewhere = {}) {
    const auto snapshot = cluster.snapshot();
    const auto gang = cluster.gang(leaf_key(group), snapshot, elsewhere);
    std::string names;
    for (NodeId node = 0; node < snapshot.node_count(); ++node) {
        if (!gang.affinity.is_barred(gang.members.front().affinity_class, node))
            names += (names.empty() ? "" : " ") + snapshot.node_names[node];
    }
    return names;
}

TEST_CASE("a gang goes to the domain of the gang that it is anchored to (X5)") {
    auto events = world();
    auto known = cluster(events);
    CHECK(open_to(known, "more") == "a0 a1 b0 b1");
    SUBCASE("bound") {
        static_cast<void>(known.apply(PodSeen{bound(member("base-0", "base"), "b1"), {}}));
        CHECK(open_to(known, "more") == "b0 b1");
        static_cast<void>(known.apply(PodGone{"uid-base-0"}));
        CHECK(open_to(known, "more") == "a0 a1 b0 b1");
    }
    SUBCASE("promised") {
        static_cast<void>(known.apply(PodSeen{member("base-0", "base"), {}}));
        const std::vector<ExpectedPod> promised = {{"uid-base-0", "a0"}};
        CHECK(open_to(known, "more", promised) == "a0 a1");
    }
    SUBCASE("the other way round, and beside one another") {
        static_cast<void>(known.apply(PodSeen{bound(beside("more-0", "more"), "a1"), {}}));
        static_cast<void>(known.apply(PodSeen{member("base-0", "base"), {}}));
        static_cast<void>(known.apply(GroupSeen{leaf("most", 1)}));
        static_cast<void>(known.apply(PodSeen{beside("most-0", "most"), {}}));
        CHECK(open_to(known, "base") == "a0 a1");
        CHECK(open_to(known, "most") == "a0 a1");
    }
    SUBCASE("members that run stay in their own domain") {
        static_cast<void>(known.apply(PodSeen{bound(member("base-0", "base"), "b1"), {}}));
        static_cast<void>(known.apply(PodSeen{bound(beside("more-1", "more"), "a1"), {}}));
        CHECK(open_to(known, "more") == "a0 a1 b0 b1");
    }
    SUBCASE("an anchor that asks for no level, or that is gone, has no effect") {
        static_cast<void>(known.apply(PodSeen{bound(member("base-0", "base"), "b1"), {}}));
        static_cast<void>(known.apply(GroupSeen{leaf("base", 1)}));
        CHECK(open_to(known, "more") == "a0 a1 b0 b1");
        static_cast<void>(known.apply(GroupGone{leaf_key("base"), "uid-base"}));
        CHECK(open_to(known, "more") == "a0 a1 b0 b1");
    }
    SUBCASE("without pods that declare it there is no anchor") {
        CHECK(known.depends_on_other_pods());
        static_cast<void>(known.apply(PodGone{"uid-more-0"}));
        CHECK_FALSE(known.depends_on_other_pods());
    }
}

TEST_CASE("an event of one co-located gang touches the others (X5)") {
    auto known = cluster(world());
    const auto change = known.apply(PodSeen{bound(member("base-0", "base"), "b1"), {}});
    CHECK(change.gangs == std::set<GroupKey>{leaf_key("base"), leaf_key("more")});
}

TEST_CASE("another level of the anchor, and its end, touch the gangs beside it (X5)") {
    auto known = cluster(world());
    const std::set<GroupKey> both = {leaf_key("base"), leaf_key("more")};
    auto base = leaf("base", 1);
    base.required = {rack};
    CHECK(known.apply(GroupSeen{base}).gangs == both);
    CHECK(known.apply(GroupGone{leaf_key("base"), base.uid}).gangs == both);
}

TEST_CASE("an event that co-located gangs see nothing of touches only its own gang (X5)") {
    auto known = cluster(world());
    const std::set<GroupKey> both = {leaf_key("base"), leaf_key("more")};
    const std::set<GroupKey> alone = {leaf_key("base")};
    auto pod = member("base-0", "base");
    CHECK(known.apply(PodSeen{pod, {}}).gangs == both);
    pod.priority = 5;
    CHECK(known.apply(PodSeen{pod, {}}).gangs == alone);
    CHECK(known.apply(PodSeen{pod, {{"app", "web"}}}).gangs == alone);
    pod.node = "b1";
    CHECK(known.apply(PodSeen{pod, {{"app", "web"}}}).gangs == both);
    pod.phase = PodPhase::running;
    CHECK(known.apply(PodSeen{pod, {{"app", "web"}}}).gangs == alone);
    pod.phase = PodPhase::failed;
    CHECK(known.apply(PodSeen{pod, {{"app", "web"}}}).gangs == both);
}

TEST_CASE("a gang leaves room for those that are anchored to it and wait, gated or not (X5, Z27)") {
    auto events = world();
    auto root = composite("base", 1);
    root.required = {block};
    events.emplace_back(GroupSeen{root});
    events.emplace_back(GroupSeen{leaf("work", 1, "base")});
    events.emplace_back(PodSeen{member("work-0", "work"), {}});
    auto gated = beside("more-1", "more");
    gated.gates = {"example.com/gate"};
    gated.membership->declared.edit()[0].anchor = composite_key("base");
    events.emplace_back(PodSeen{gated, {}});
    auto waiting = beside("more-0", "more");
    waiting.membership->declared.edit()[0].anchor = composite_key("base");
    events.emplace_back(PodSeen{waiting, {}});
    const auto gang = gang_of(cluster(events), composite_key("base"));
    REQUIRE(gang.co_located.size() == 1);
    CHECK(gang.co_located[0].pod_classes.size() == 2);
    CHECK(gang.co_located[0].minimum == 1);
    CHECK(gang.co_located[0].required.empty());
    CHECK(gang.affinity.empty());
}

}  // namespace
}  // namespace echelon::model

#include "model/gang/group_sets.hpp"

#include "model/cluster/cluster.hpp"
#include "unit-tests/model/support/facts.hpp"

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

// One gang of a group that is formed by lists: every leaf names the root that its own list spells.
GroupSet listing(const std::string& name, const std::vector<std::string>& list, std::int64_t created = 0) {
    Group root;
    root.kind = GroupKind::composite;
    root.inherits_widest_child_level = true;
    for (const auto& listed : list) {
        root.key.name += (root.key.name.empty() ? "" : ",") + leaf_key(listed).name;
        root.listed.push_back(leaf_key(listed));
    }
    root.key.kind = "list";
    auto own = leaf(name, 1);
    own.parent = root.key;
    return {.owner = {"Object", name}, .uid = "uid-" + name, .created = created, .groups = {own}, .shared = {root}};
}

}  // namespace

TEST_CASE("a group that leaves its object leaves the forest, and a younger object stays") {
    GroupForest forest;
    GroupSets sets;
    const GroupKey owner{"Object", "default/a"};
    CHECK(sets.see({.owner = owner,
                    .uid = "1",
                    .groups = {composite("root", 2), leaf("x", 1, "root"), leaf("y", 1, "root")}},
                   forest)
              .size() == 3);
    CHECK(forest.tree(composite_key("root")).size() == 3);
    CHECK(
        sets.see({.owner = owner, .uid = "1", .groups = {composite("root", 2), leaf("x", 1, "root")}}, forest).size() ==
        5);
    CHECK(forest.find(leaf_key("y")) == nullptr);
    CHECK(
        sets.see({.owner = owner, .uid = "1", .groups = {composite("root", 2), leaf("x", 1, "root")}}, forest).empty());
    CHECK(sets.forget(owner, "0", forest).empty());
    CHECK(forest.size() == 2);
    sets.forget(owner, "1", forest);
    CHECK(forest.size() == 0);
}

TEST_CASE("a shared group lives as long as one of its owners, and is as old as the oldest") {
    GroupForest forest;
    GroupSets sets;
    const auto a = listing("a", {"a", "b"}, 20);
    const auto b = listing("b", {"a", "b"}, 10);
    sets.see(a, forest);
    sets.see(b, forest);
    const auto root = a.shared.front().key;
    REQUIRE(forest.find(root) != nullptr);
    CHECK(forest.find(root)->created == 10);
    CHECK_FALSE(forest.is_disputed(root));
    CHECK(forest.tree(root).size() == 3);
    sets.forget(b.owner, {}, forest);
    CHECK(forest.find(root)->created == 20);
    sets.forget(a.owner, {}, forest);
    CHECK(forest.find(root) == nullptr);
}

TEST_CASE("lists that differ make every gang that they name Invalid until they agree") {
    Cluster cluster(Profiles{{"default-scheduler", {}}});
    cluster.apply(GroupSetSeen{listing("a", {"a", "b"})});
    const auto both = listing("a", {"a", "b"}).shared.front().key;
    auto gang = cluster.gang(both, cluster.snapshot());
    REQUIRE(gang.problem);
    CHECK(gang.problem->reason == Reason::incomplete);
    CHECK(gang.problem->sentence == "group \"default/b\", which is listed beside others, doesn't exist yet");

    const auto change = cluster.apply(GroupSetSeen{listing("b", {"b"})});
    CHECK(change.gangs.contains(both));
    for (const auto& root : cluster.roots()) {
        gang = cluster.gang(root, cluster.snapshot());
        REQUIRE(gang.problem);
        CHECK(gang.problem->reason == Reason::invalid);
        CHECK(gang.problem->sentence.find("its list of groups differs from that of") != std::string::npos);
    }
    CHECK(cluster.roots().size() == 2);

    cluster.apply(GroupSetSeen{listing("b", {"a", "b"})});
    CHECK(cluster.roots() == std::vector<GroupKey>{both});
    CHECK(cluster.gang(both, cluster.snapshot()).problem->reason == Reason::incomplete);  // No pods yet.
}

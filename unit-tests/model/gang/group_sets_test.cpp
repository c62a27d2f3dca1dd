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
    root.policy.inherits_widest_child_level = true;
    for (const auto& listed : list) {
        root.key.name = root.key.name + (root.key.name.empty() ? "" : ",") + leaf_key(listed).name;
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
    const GroupSet both{
        .owner = owner, .uid = "1", .groups = {composite("root", 2), leaf("x", 1, "root"), leaf("y", 1, "root")}};
    CHECK(sets.touched_by(both, forest).size() == 3);
    sets.see(both, forest);
    CHECK(sets.touched_by(both, forest).empty());
    CHECK(forest.tree(composite_key("root")).size() == 3);
    const GroupSet one{.owner = owner, .uid = "1", .groups = {composite("root", 2), leaf("x", 1, "root")}};
    CHECK(sets.touched_by(one, forest) == std::vector{leaf_key("y")});
    sets.see(one, forest);
    CHECK(forest.find(leaf_key("y")) == nullptr);
    CHECK(sets.touched_by(one, forest).empty());
    CHECK(sets.keys_of(owner).size() == 2);
    CHECK(sets.forget(owner, "0", forest).empty());
    CHECK(forest.size() == 2);
    sets.forget(owner, "1", forest);
    CHECK(forest.size() == 0);
}

TEST_CASE("a shared group exists while some owner does, and is as old as the oldest") {
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

TEST_CASE("one more owner of a shared group touches only that owner's own group (BD2)") {
    GroupForest forest;
    GroupSets sets;
    const auto a = listing("a", {"a", "b", "c"}, 10);
    const auto b = listing("b", {"a", "b", "c"}, 20);
    const auto root = a.shared.front().key;
    CHECK(sets.touched_by(a, forest) == std::vector{leaf_key("a"), root});
    sets.see(a, forest);
    CHECK(sets.touched_by(b, forest) == std::vector{leaf_key("b")});
    sets.see(b, forest);
    CHECK(sets.touched_by(listing("c", {"a", "b", "c"}, 5), forest) == std::vector{leaf_key("c"), root});  // Older.
    auto other = listing("b", {"b", "c"}, 20);
    CHECK(sets.touched_by(other, forest) == std::vector{leaf_key("b"), other.shared.front().key, root});
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

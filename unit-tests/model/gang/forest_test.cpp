#include "model/gang/forest.hpp"

#include "unit-tests/model/support/facts.hpp"

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

TEST_CASE("trees grow from the names of parents, a group without one is a root (S1, S2)") {
    GroupForest forest;
    forest.see(composite("root", 1));
    forest.see(composite("inner", 1, "root"));
    forest.see(leaf("a", 1, "inner"));
    forest.see(leaf("b", 1, "root"));
    CHECK(forest.root_of(leaf_key("a")) == composite_key("root"));
    const auto tree = forest.tree(composite_key("root"));
    REQUIRE(tree.size() == 4);
    CHECK(tree[0].key == composite_key("root"));
    CHECK(tree[0].depth == 1);
    std::vector<std::string> names;
    for (const auto& branch : tree) {
        names.push_back(branch.key.name);
    }
    CHECK(names == std::vector<std::string>{"default/root", "default/b", "default/inner", "default/a"});
    CHECK(tree[3].parent == 2);
    CHECK(tree[3].depth == 3);
}

TEST_CASE("children may come before their parents, and parents may go (S7)") {
    GroupForest forest;
    forest.see(leaf("a", 1, "inner"));
    CHECK(forest.root_of(leaf_key("a")) == leaf_key("a"));
    forest.see(composite("inner", 1, "root"));
    CHECK(forest.root_of(leaf_key("a")) == composite_key("inner"));
    forest.see(composite("root", 1));
    CHECK(forest.root_of(leaf_key("a")) == composite_key("root"));
    forest.forget(composite_key("inner"), "uid-inner");
    CHECK(forest.root_of(leaf_key("a")) == leaf_key("a"));
    CHECK(forest.tree(composite_key("root")).size() == 1);
}

TEST_CASE("a cycle has its first group by name as the root, and each group once in its tree (S6)") {
    GroupForest forest;
    forest.see(composite("y", 1, "x"));
    forest.see(composite("x", 1, "z"));
    forest.see(composite("z", 1, "y"));
    forest.see(leaf("a", 1, "z"));
    for (const auto& key : {composite_key("x"), composite_key("y"), composite_key("z"), leaf_key("a")}) {
        CHECK(forest.root_of(key) == composite_key("x"));
    }
    CHECK(forest.is_cycle(composite_key("x")));
    CHECK(forest.tree(composite_key("x")).size() == 4);
    forest.see(composite("self", 1, "self"));
    CHECK(forest.is_cycle(composite_key("self")));
    CHECK(forest.tree(composite_key("self")).size() == 1);
}

TEST_CASE("the deletion of an old object doesn't remove a new one of the same name") {
    GroupForest forest;
    auto group = leaf("a", 1);
    forest.see(group);
    group.uid = "uid-younger";
    forest.see(group);
    CHECK(!forest.forget(group.key, "uid-a"));
    CHECK(forest.find(group.key) != nullptr);
    CHECK(forest.forget(group.key, "uid-younger"));
    CHECK(forest.find(group.key) == nullptr);
    CHECK(forest.size() == 0);
}

TEST_CASE("a repeated object changes nothing") {
    GroupForest forest;
    CHECK(forest.see(leaf("a", 1)));
    CHECK(!forest.see(leaf("a", 1)));
    CHECK(forest.see(leaf("a", 2)));
}

TEST_CASE("a declared group is as old as its oldest member, and goes with the last one (Z13)") {
    GroupForest forest;
    Group gang;
    gang.key = {"label-gang", "default/g"};
    gang.minimum = 2;
    forest.declare(gang, 50, true);
    forest.declare(gang, 30, true);
    CHECK(forest.find(gang.key)->created == 30);
    forest.retract(gang, 30, true);
    CHECK(forest.find(gang.key)->created == 50);
    forest.retract(gang, 50, true);
    CHECK(forest.find(gang.key) == nullptr);
}

TEST_CASE("declarations that differ are a dispute, those of the dead count only among the dead") {
    GroupForest forest;
    Group two;
    two.key = {"label-gang", "default/g"};
    two.minimum = 2;
    auto three = two;
    three.minimum = 3;
    forest.declare(two, 1, true);
    CHECK(!forest.is_disputed(two.key));
    forest.declare(three, 2, false);
    CHECK(!forest.is_disputed(two.key));
    CHECK(forest.find(two.key)->minimum == 2);
    forest.declare(three, 2, true);
    CHECK(forest.is_disputed(two.key));
    forest.retract(three, 2, true);
    forest.retract(two, 1, true);
    CHECK(forest.find(two.key)->minimum == 3);
    CHECK(!forest.is_disputed(two.key));
}

TEST_CASE("where the oldest pod decides, its declaration counts; of equally old pods the first by name") {
    Group two;
    two.key = {"koordinator-podgroup", "default/g"};
    two.minimum = 2;
    two.policy.oldest_pod_decides = true;
    auto three = two;
    three.minimum = 3;
    GroupForest forest;
    forest.declare(three, 5, true, "default/p10");
    forest.declare(three, 6, true, "default/p1");
    forest.declare(two, 5, true, "default/p2");
    CHECK(forest.is_disputed(two.key));
    CHECK(forest.find(two.key)->minimum == 2);
    CHECK(forest.find(two.key)->created == 5);
    forest.retract(two, 5, true, "default/p2");
    CHECK(forest.find(two.key)->minimum == 3);
    CHECK(!forest.is_disputed(two.key));
    forest.declare(two, 4, false, "default/p0");  // Dead.
    CHECK(forest.find(two.key)->minimum == 3);
    forest.declare(two, 4, true, "default/p3");
    CHECK(forest.find(two.key)->minimum == 2);
    CHECK(forest.find(two.key)->created == 4);
    forest.retract(three, 5, true, "default/p10");
    forest.retract(three, 6, true, "default/p1");
    CHECK(!forest.is_disputed(two.key));
}

TEST_CASE("the same declarations in another order give the same group") {
    Group two;
    two.key = {"label-gang", "default/g"};
    two.minimum = 2;
    auto three = two;
    three.minimum = 3;
    GroupForest one;
    one.declare(two, 1, true);
    one.declare(three, 2, true);
    GroupForest other;
    other.declare(three, 2, true);
    other.declare(two, 1, true);
    CHECK(*one.find(two.key) == *other.find(two.key));
}

TEST_CASE("asked level keys are counted, and the version tells when the set changes") {
    GroupForest forest;
    auto group = leaf("a", 1);
    group.required = {rack};
    forest.see(group);
    const auto version = forest.asked_version();
    CHECK(forest.asked().contains(rack));
    auto other = leaf("b", 1);
    other.preferred = {rack};
    forest.see(other);
    CHECK(forest.asked_version() == version);
    forest.forget(group.key, group.uid);
    CHECK(forest.asked_version() == version);
    forest.forget(other.key, other.uid);
    CHECK(forest.asked_version() != version);
    CHECK(forest.asked().empty());
}

TEST_CASE("a supplement fills in what the object of a group leaves open, and is nothing without it") {
    GroupForest forest;
    Group more = leaf("a", 9);
    more.minimum.reset();
    more.only_supplements = true;
    more.required = {rack};
    more.preferred = {host};
    more.expected = 4;
    forest.declare(more, 10, true);
    CHECK(forest.find(more.key) == nullptr);
    CHECK(forest.keys().empty());

    auto object = leaf("a", 2);
    object.required = {block};
    object.expected = 3;
    forest.see(object);
    REQUIRE(forest.find(more.key) != nullptr);
    CHECK(forest.find(more.key)->minimum == 2);
    CHECK(forest.find(more.key)->required == std::vector<std::string>{block, rack});
    CHECK(forest.find(more.key)->preferred == std::vector<std::string>{host});
    CHECK(forest.find(more.key)->expected == 3);
    CHECK(forest.asked().contains(rack));
    CHECK_FALSE(forest.is_disputed(more.key));

    // Two that differ: every promise of both, whichever came first.
    auto other = more;
    other.required = {host};
    forest.declare(other, 11, true);
    CHECK(forest.find(more.key)->required.size() == 3);
    forest.retract(other, 11, true);
    forest.retract(more, 10, true);
    CHECK(*forest.find(more.key) == object);
    forest.forget(more.key, {});
    CHECK(forest.size() == 0);
}

TEST_CASE("late members and the minimum are added only by a supplement that covers the whole group") {
    GroupForest forest;
    auto more = leaf("a", 4);
    more.only_supplements = true;
    more.expected = 4;
    more.start_set = 1;
    forest.declare(more, 10, true);
    forest.see(leaf("a", 1));
    CHECK(forest.find(more.key)->minimum == 4);
    CHECK(forest.find(more.key)->start_set == 1);
    forest.see(leaf("a", 8));  // Of several replicas.
    CHECK(forest.find(more.key)->minimum == 8);
    CHECK_FALSE(forest.find(more.key)->start_set);
}

TEST_CASE("a supplement beside a group that pods declare is no dispute, and declares nothing") {
    GroupForest forest;
    auto more = leaf("a", 9);
    more.only_supplements = true;
    forest.declare(leaf("a", 2), 5, true);
    forest.declare(more, 1, true);
    CHECK_FALSE(forest.is_disputed(more.key));
    CHECK(forest.find(more.key)->minimum == 2);
    CHECK(forest.find(more.key)->created == 5);
    forest.retract(leaf("a", 2), 5, true);
    CHECK(forest.find(more.key) == nullptr);
}

TEST_CASE("a group is described by another object, which may come and go at any time") {
    GroupForest forest;
    Group of_all;
    of_all.key = {"described", "default/set"};
    of_all.api_kind = "Set";
    of_all.fewest = 3;
    of_all.start_set = 1;
    PodClass pod_class;
    pod_class.requests = {{"cpu", 1}};
    of_all.late_pod_class = pod_class;
    auto set = composite("a", 1);
    set.minimum.reset();
    set.fewest = 2;
    set.described_by = of_all.key;
    auto second = set;
    second.key = composite_key("b");
    second.fewest = 4;
    second.start_set = 0;

    forest.declare(set, 1, true);
    CHECK(forest.find(set.key)->fewest == 2);
    forest.see(of_all);
    forest.see(second);
    CHECK(forest.find(set.key)->fewest == 3);
    CHECK(forest.find(set.key)->start_set == 1);
    CHECK(forest.find(set.key)->late_pod_class == of_all.late_pod_class);
    CHECK(forest.find(second.key)->fewest == 3);     // The object knows the children, also if they are fewer.
    CHECK(forest.find(second.key)->start_set == 0);  // What a group says itself goes first.
    CHECK(forest.described(of_all.key).size() == 2);
    CHECK(forest.root_of(set.key) == set.key);

    of_all.listed = {{"part", "default/set/x"}};
    forest.see(of_all);
    CHECK(forest.find(set.key)->listed == std::vector<GroupKey>{{"part", set.key.name + "/x"}});
    of_all.listed.clear();

    of_all.fewest = 5;
    of_all.problem = "spec.roles: must be a list";
    forest.see(of_all);
    CHECK(forest.find(set.key)->fewest == 5);
    CHECK(forest.find(second.key)->problem == "Set default/set: spec.roles: must be a list");
    forest.forget(of_all.key, {});
    CHECK(forest.find(set.key)->fewest == 2);
    CHECK_FALSE(forest.find(set.key)->start_set);
    CHECK(forest.find(second.key)->problem == "");

    // A described group describes no other.
    of_all.described_by = set.key;
    forest.see(of_all);
    CHECK(forest.find(set.key)->fewest == 2);
    forest.forget(of_all.key, {});
    forest.retract(set, 1, true);
    forest.forget(second.key, {});
    CHECK(forest.size() == 0);
    CHECK(forest.described(of_all.key).empty());
}

TEST_CASE("a supplement brings a description, and adds levels only if it covers the whole group") {
    GroupForest forest;
    auto more = leaf("a", 4);
    more.only_supplements = true;
    more.expected = 4;
    more.ended = 1;
    more.required = {rack};
    more.described_by = GroupKey{"described", "default/set"};
    forest.declare(more, 10, true);
    forest.see(leaf("a", 1));
    CHECK(forest.find(more.key)->described_by == more.described_by);
    CHECK(forest.find(more.key)->required == std::vector<std::string>{rack});
    CHECK(forest.find(more.key)->ended == 1);
    forest.see(leaf("a", 8));
    CHECK_FALSE(forest.find(more.key)->described_by);
    CHECK(forest.find(more.key)->required.empty());
    CHECK(forest.find(more.key)->ended == 0);
}

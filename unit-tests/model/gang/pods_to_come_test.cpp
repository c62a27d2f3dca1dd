#include "model/gang/pods_to_come.hpp"

#include "model/gang/forest.hpp"
#include "model/gang/sub_group_selection.hpp"
#include "unit-tests/model/support/facts.hpp"

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace facts;

PodClass class_of(std::int64_t gpus) {
    PodClass pod_class;
    pod_class.requests = {{"gpu", gpus}};
    return pod_class;
}

GroupKey counts_of(const std::string& name) {
    return {"counts", "default/" + name};
}

// What an owner says about each part. `later`: pods of all parts that come later; 0: there are none.
Group owner(const std::string& name, std::int64_t pods, std::int64_t together, bool comes_later = false,
            std::int64_t later = 0) {
    Group group;
    group.key = counts_of(name);
    group.expected = pods;
    group.minimum = together;
    if (comes_later)
        group.start_set = 0;
    if (later > 0) {
        Group others;
        others.key = counts_of("set");
        others.expected = later;
        others.late_pod_class = class_of(3);
        group.sorts.push_back(selector_of_parts(others, {.first = 0, .end = 1}));
    }
    return group;
}

// What a pod of a part of this owner says of the group `g`.
Group pod_of(const std::string& owner, const std::string& part) {
    Group group;
    group.key = leaf_key("g");
    group.only_supplements = true;
    group.about = LabelledPods{"job", part};
    group.described_by = counts_of(owner);
    return group;
}

TEST_CASE("the first pod of each part comes first, and the others are expected (H1, H3)") {
    const auto exclusive = owner("a", 4, 1);
    const auto whole = count_pods_to_come(leaf("g", 8), {{exclusive, 2}});
    REQUIRE(whole);
    CHECK(whole->start_set == 2);
    CHECK(whole->expected == 8);
    CHECK_FALSE(count_pods_to_come(leaf("g", 8), {{owner("b", 4, 4), 2}}));  // All come at once.
    CHECK_FALSE(count_pods_to_come(leaf("g", 8), {}));
}

TEST_CASE("several owners add up, and each counts its later pods once (H1)") {
    const auto driver = owner("a", 1, 1, false, 6);
    const auto worker = owner("b", 3, 3, true, 6);
    const auto other = owner("c", 4, 1);
    const auto before = count_pods_to_come(leaf("g", 7), {{driver, 1}});
    REQUIRE(before);
    CHECK(before->start_set == 1);
    CHECK(before->expected == 7);
    CHECK(before->late_pod_class == class_of(3));
    const auto with_workers = count_pods_to_come(leaf("g", 7), {{driver, 1}, {worker, 1}});
    CHECK(with_workers->expected == 7);
    CHECK(with_workers->start_set == 1);
    const auto with_other = count_pods_to_come(leaf("g", 7), {{driver, 1}, {other, 1}});
    CHECK(with_other->expected == 11);
    CHECK(with_other->start_set == 2);
    // Where only later parts are, they are the first ones.
    CHECK(count_pods_to_come(leaf("g", 3), {{worker, 1}})->start_set == 3);
}

TEST_CASE("pods that come once all others have ended need no room beside them (Z31, H7)") {
    auto first = owner("a", 1, 1, false, 3);
    first.sorts.push_back(selector_after("counts", {first.key.name}));
    const auto whole = count_pods_to_come(leaf("g", 4), {{first, 1}});
    CHECK(ends_before(*whole) == std::vector<GroupKey>{leaf_key("g")});
    CHECK(ends_before(*count_pods_to_come(leaf("g", 4), {{first, 1}, {owner("c", 4, 1), 1}})).empty());
}

TEST_CASE("a group that states its late members, has no minimum or has groups below is left alone") {
    const auto exclusive = owner("a", 4, 1);
    auto stated = leaf("g", 4);
    stated.start_set = 2;
    CHECK_FALSE(count_pods_to_come(stated, {{exclusive, 1}}));
    auto open = leaf("g", 4);
    open.minimum.reset();
    CHECK_FALSE(count_pods_to_come(open, {{exclusive, 1}}));
    CHECK_FALSE(count_pods_to_come(composite("g", 4), {{exclusive, 1}}));
    auto counted = leaf("g", 4);
    counted.expected = 6;
    CHECK(count_pods_to_come(counted, {{exclusive, 1}})->expected == 6);
}

TEST_CASE("group, pod and owner come and go in any order (H1)") {
    const auto pod = pod_of("a", "job-0");
    const auto group = leaf("g", 4);
    const auto start_of = [](const GroupForest& forest) { return forest.find(leaf_key("g"))->start_set; };
    for (const int last : {0, 1, 2}) {
        GroupForest forest;
        for (int turn = 1; turn <= 3; ++turn) {
            const int fact = (last + turn) % 3;
            if (fact == 0)
                forest.declare(pod, 5, true);
            if (fact == 1)
                forest.see(group);
            if (fact == 2)
                forest.see(owner("a", 4, 1));
        }
        CHECK(start_of(forest) == 1);
        CHECK(forest.described(counts_of("a")).size() == 1);
        forest.forget(counts_of("a"), {});
        CHECK_FALSE(start_of(forest));
        forest.see(owner("a", 4, 1));
        CHECK(start_of(forest) == 1);
        forest.retract(pod, 5, true);
        CHECK_FALSE(start_of(forest));
        CHECK(forest.described(counts_of("a")).empty());
    }
}

TEST_CASE("a part counts once, however many pods it has, and until the last one is gone") {
    GroupForest forest;
    forest.see(leaf("g", 8));
    forest.see(owner("a", 4, 1));
    const auto expected = [&forest] { return forest.find(leaf_key("g"))->expected; };
    forest.declare(pod_of("a", "job-0"), 5, true);
    forest.declare(pod_of("a", "job-0"), 6, true);
    CHECK(expected() == 4);
    forest.declare(pod_of("a", "job-1"), 7, true);
    CHECK(expected() == 8);
    CHECK(forest.find(leaf_key("g"))->start_set == 2);
    forest.retract(pod_of("a", "job-0"), 5, true);
    CHECK(expected() == 8);
    // A restart: the old pod is deleted while the new one is there.
    forest.retract(pod_of("a", "job-0"), 6, true);
    forest.declare(pod_of("a", "job-0"), 6, false);
    CHECK(expected() == 4);
    forest.declare(pod_of("a", "job-0"), 9, true);
    forest.retract(pod_of("a", "job-0"), 6, false);
    CHECK(expected() == 8);
}

}  // namespace
}  // namespace echelon::model

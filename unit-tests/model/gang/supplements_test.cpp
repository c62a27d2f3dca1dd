// What do pods, or a second object, add to a group that is declared already?

#include "model/gang/supplements.hpp"

#include "model/gang/sub_group_selection.hpp"
#include "unit-tests/model/support/facts.hpp"

#include <map>
#include <string>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace facts;
using Multiples = std::map<std::string, std::int64_t>;

// A group whose object counts these pods, in a dialect with own topologies.
Group counted(std::int64_t pods) {
    auto group = leaf("work", pods);
    group.topology_group = "example.com";
    return group;
}

Group addition() {
    Group group;
    group.key = leaf_key("work");
    group.only_supplements = true;
    group.topology_group = "example.com";
    return group;
}

Group sliced(std::int64_t size) {
    auto group = addition();
    group.multiples = {{rack, size}};
    group.sorts.push_back(selector_by_rank());
    return group;
}

Group unsized(const std::string& level = rack) {
    auto group = addition();
    group.policy.unsized_slices = level;
    group.problem = level + " needs a size";
    return group;
}

TEST_CASE("the object, its slices or other pods state the size that a level of slices lacks (Z30)") {
    const auto open = unsized();
    auto object = counted(4);
    object.policy.slice_size = 2;
    auto whole = supplemented(object, {&open});
    CHECK(whole.problem == "");
    CHECK(whole.multiples == Multiples{{rack, 2}});
    CHECK(is_cut_by_rank(whole));

    object = counted(4);
    object.multiples = {{rack, 2}};
    CHECK(supplemented(object, {&open}).problem == "");
    CHECK(supplemented(object, {&open}).multiples == Multiples{{rack, 2}});

    const auto other = sliced(2);
    for (const auto& additions : {std::vector{&open, &other}, std::vector{&other, &open}}) {
        whole = supplemented(counted(4), additions);
        CHECK(whole.problem == "");
        CHECK(whole.multiples == Multiples{{rack, 2}});
    }
}

TEST_CASE("a level of slices without a size makes the group Invalid, whatever else says a size (A3)") {
    const auto open = unsized();
    CHECK(supplemented(counted(4), {&open}).problem == open.problem);
    auto object = counted(4);
    object.multiples = {{block, 2}};
    CHECK(supplemented(object, {&open}).problem == open.problem);
    object = counted(4);
    object.policy.slice_size = 2;
    const auto second = unsized(block);
    CHECK(supplemented(object, {&open, &second}).problem == second.problem);
}

TEST_CASE("slices that pods ask for divide the pods that their object counts (Z11)") {
    const auto two = sliced(2);
    CHECK(supplemented(counted(4), {&two}).problem == "");
    CHECK(supplemented(counted(3), {&two}).problem == "slices of 2 pods don't divide the 3 pods");
    auto object = counted(3);
    object.policy.slice_size = 2;
    const auto open = unsized();
    CHECK(supplemented(object, {&open}).problem == "slices of 2 pods don't divide the 3 pods");
    auto nested = sliced(2);
    nested.multiples[block] = 4;
    CHECK(supplemented(counted(6), {&nested}).problem == "slices of 4 pods don't divide the 6 pods");
    // In another dialect the minimum isn't the number of pods.
    CHECK(supplemented(leaf("work", 3), {&two}).problem == "");
}

TEST_CASE("a size that differs from that of the object is a contradiction (Z30)") {
    const auto four = sliced(4);
    auto object = counted(4);
    object.policy.slice_size = 2;
    CHECK(supplemented(object, {&four}).problem == "its pods ask for other levels than its object");
    object.policy.slice_size = 4;
    CHECK(supplemented(object, {&four}).problem == "");
}

TEST_CASE("an addition about a part of the group requires no level of the whole, and that is said (Z18)") {
    Group part;
    part.key = leaf_key("work");
    part.only_supplements = true;
    part.about = LabelledPods{"job", "a"};
    part.required = {rack};
    part.expected = 2;
    part.start_set = 1;
    const auto object = leaf("work", 2);
    const auto whole = supplemented(object, {&part});
    CHECK(whole.required == part.required);
    CHECK(whole.start_set == 1);
    CHECK(whole.warnings.empty());

    const std::vector<std::string> said = {"required level \"" + std::string(rack) +
                                           "\" is of parts of the group, by label \"job\": it is left to the affinity "
                                           "of their pods"};
    auto divided = supplemented(object, {&part, &part}, {"job"});
    CHECK(divided.required.empty());
    CHECK_FALSE(divided.start_set);
    CHECK(divided.warnings == said);
    CHECK(supplemented(object, {&part}, {"replica"}).required == part.required);
    // It is about a part as well if the group needs more pods than the part has.
    CHECK(supplemented(leaf("work", 3), {&part}).warnings == said);
    // What the group requires itself is held.
    auto own = object;
    own.required = {rack};
    CHECK(supplemented(own, {&part}, {"job"}).warnings.empty());
}

}  // namespace
}  // namespace echelon::model

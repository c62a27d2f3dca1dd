// What the sentence of a refused gang says where counting slots of one size isn't enough.
#include "solver/explain/refusal.hpp"

#include "unit-tests/solver/support/gangs.hpp"

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

TEST_CASE("a refusal for lack of whole multiples says how many seats those would be (D13)") {
    GroupSpec root = leaf("job", 8, {pods(8, 1)});
    root.multiples = {{rack, 4}};
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {5});
    add_rack(nodes, "b0", "r1", "c", {3});
    const Refusal refusal = refused(world_of(nodes, root));
    CHECK(refusal.reason == model::Reason::impossible);
    CHECK(refusal.sentence ==
          "group job needs 8 seats in multiples of 4 for each example.com/rack; the cluster has room for 4 when empty: "
          "4 missing");
    add_rack(nodes, "b1", "r2", "d", {7, 2});
    CHECK(placed(world_of(nodes, root)).seats.size() == 8);
    root.required = {block};
    nodes.back().room[gpu] = 0;
    CHECK(refused(world_of(nodes, root)).sentence ==
          "group job needs 8 seats in multiples of 4 for each example.com/rack in one example.com/block; the best, b0, "
          "has room for 4 when empty: 4 missing");
    nodes.at(1).room[gpu] = 2;  // Seven GPUs in the first block, and ten in the other one.
    add_rack(nodes, "b1", "r3", "e", {3});
    CHECK(refused(world_of(nodes, root)).sentence.ends_with("room for 4 when empty: 4 missing (nvidia.com/gpu)"));
}

TEST_CASE("a refusal says if less than one multiple is missing (D13)") {
    GroupSpec root = leaf("job", 3, {pods(1, 1), {.count = 2, .needs = {{gpu, 1}}, .on = "a0"}});
    root.multiples = {{rack, 2}};
    CHECK(refused(world_of(hosts({8}), root)).sentence ==
          "group job takes multiples of 2 for each example.com/rack only; 3 pods can be placed");
}

TEST_CASE("a floor counts pods of whole groups, and so does the sentence about it (Z37)") {
    GroupSpec root = all_of({leaf("a", 2, {pods(2, 1)}), leaf("b", 2, {pods(2, 1)})});
    root.minimum = 1;
    for (const std::int64_t floor : {3, 4}) {
        root.floor = floor;
        const auto sentence = refused(world_of(hosts({2, 1}), root)).sentence;
        CAPTURE(sentence);
        CHECK(sentence.starts_with("group job needs 4 seats"));
        CHECK(sentence.find("has room for 3 when empty: 1 missing") != std::string::npos);
    }
    root.floor = 2;
    CHECK(placed(world_of(hosts({2, 1}), root)).seats.size() == 2);
}

TEST_CASE("a refusal of sizes that fit alone says how many fit together (W3)") {
    const GroupSpec root = all_of({leaf("router", 1, {pods(1, 1)}), leaf("decode", 4, {pods(4, 2)})}, {block});
    CHECK(refused(world_of(hosts({2, 2, 2, 2}), root)).sentence ==
          "group job needs 5 seats in one example.com/block; the best, b0, has room for 4 when empty: 1 missing "
          "(nvidia.com/gpu)");
}

TEST_CASE("a group that fits alone in another domain isn't named (Z37)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {3});
    add_rack(nodes, "b0", "r1", "b", {1});
    add_rack(nodes, "b1", "r2", "c", {2});
    add_rack(nodes, "b1", "r3", "d", {2});
    add_rack(nodes, "b1", "r4", "e", {2});
    const GroupSpec root = all_of({leaf("x", 3, {pods(3, 1)}, {rack}), leaf("y", 4, {pods(4, 1)})}, {block});
    CHECK(refused(world_of(nodes, root)).sentence ==
          "group job needs 7 seats in one example.com/block; the best, b1, has room for 6 when empty: 1 missing "
          "(nvidia.com/gpu)");
}

TEST_CASE("the best domain of a group is the best of all, not of those in the gang's best domain (Z37)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {2});
    add_rack(nodes, "b1", "r1", "b", {1});
    add_rack(nodes, "b1", "r2", "c", {1});
    add_rack(nodes, "b1", "r3", "d", {1});
    add_rack(nodes, "b1", "r4", "e", {1});
    const GroupSpec root = all_of({leaf("x", 3, {pods(3, 1)}, {rack}), leaf("y", 1, {pods(1, 1)})}, {block});
    const std::string sentence =
        "group x needs 3 seats in one example.com/rack; the best, b0/r0, has room for 2 when empty: 1 missing "
        "(nvidia.com/gpu)";
    CHECK(refused(world_of(nodes, root)).sentence == sentence);
    // A node of the other block has no rack.
    nodes.push_back({.name = "f0", .labels = {"b1", ""}, .room = {{gpu, 8}}});
    CHECK(refused(world_of(nodes, root)).sentence == sentence + "; 1 node without example.com/rack");
}

TEST_CASE("where some groups are enough, one is named only if too few of the others fit anywhere (Z37)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {3});
    add_rack(nodes, "b1", "r1", "b", {2});
    add_rack(nodes, "b1", "r2", "c", {2});
    const auto groups = [](std::int64_t pods_of_y) {
        return std::vector{leaf("x", 4, {pods(4, 1)}, {rack}), leaf("y", pods_of_y, {pods(pods_of_y, 1)}, {rack}),
                           leaf("z", 2, {pods(2, 1)}, {rack})};
    };
    GroupSpec root = some_of(2, groups(4));
    root.required = {block};
    CHECK(refused(world_of(nodes, root)).sentence.starts_with("group x needs 4 seats in one example.com/rack"));
    root = some_of(2, groups(3));  // Room for y and z, but in two blocks.
    root.required = {block};
    CHECK(refused(world_of(nodes, root)).sentence.starts_with("group job needs 5 seats in one example.com/block"));
}

TEST_CASE("a count of unlike pods that is only a bound is named as one (Z37)") {
    std::vector<NodeSpec> nodes = hosts({4});
    nodes.front().room["cpu"] = 4;
    const GroupSpec root =
        leaf("job", 5, {{.count = 3, .needs = {{gpu, 2}, {"cpu", 1}}}, {.count = 2, .needs = {{gpu, 1}, {"cpu", 2}}}});
    CHECK(refused(world_of(nodes, root))
              .sentence.starts_with(
                  "group job needs 5 seats; the cluster has room for at most 4 when empty: at least 1 missing"));
}

TEST_CASE("of groups with equally many pods, those with the smallest pods are counted (Z37)") {
    std::vector<NodeSpec> nodes = hosts({3});
    nodes.front().room["cpu"] = 0;
    GroupSpec choice =
        some_of(1, {leaf("large", 2, {{.count = 2, .needs = {{gpu, 1}, {"cpu", 1}}}}), leaf("small", 2, {pods(2, 1)})});
    choice.name = "choice";
    CHECK(refused(world_of(nodes, all_of({choice, leaf("other", 2, {pods(2, 1)})})))
              .sentence.starts_with("group job needs 4 seats; the cluster has room for 3 when empty: 1 missing"));
}

TEST_CASE("of a group with one group in it, the inner one is named (Z37)") {
    GroupSpec inner = all_of({leaf("x", 2, {pods(2, 3)}), leaf("y", 1, {pods(1, 2)})});
    inner.name = "inner";
    CHECK(refused(world_of(hosts({4, 4}), all_of({inner}))).sentence ==
          "group inner needs 2 of 2 groups; the cluster has room for some, not for all at once");
}

TEST_CASE("a refusal names a resource if several run out together, and one that is short (Z37)") {
    const GroupSpec root = leaf("job", 2, {{.count = 2, .needs = {{"cpu", 8}, {gpu, 8}, {"memory", 256}}}}, {rack});
    NodeSpec full{.name = "a0", .labels = {"b0", "r0"}, .room = {{"cpu", 60}, {gpu, 0}, {"memory", 12}}, .taken = {}};
    full.taken = {{"cpu", 4}, {gpu, 8}, {"memory", 500}};
    NodeSpec other = full;
    other.name = "a1";
    CHECK(refused(world_of({full, other}, root)).sentence.ends_with("has room for 0: 2 missing (memory)"));
    full.room[gpu] = other.room[gpu] = 8;
    CHECK(refused(world_of({full, other}, root)).sentence.ends_with("has room for 0: 2 missing (memory)"));
    const GroupSpec three = leaf("job", 3, {{.count = 3, .needs = {{"cpu", 1}, {gpu, 3}, {"memory", 3}}}}, {rack});
    const NodeSpec ample{.name = "a0", .labels = {"b0", "r0"}, .room = {{"cpu", 64}, {gpu, 8}, {"memory", 8}}};
    CHECK(refused(world_of({ample}, three)).sentence.ends_with("1 missing (memory)"));
}

}  // namespace
}  // namespace echelon::solver::testing

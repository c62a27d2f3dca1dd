// What the sentence of a refused gang says where counting slots of one size isn't enough.
#include "solver/explain/refusal.hpp"

#include "unit-tests/solver/support/gangs.hpp"

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

TEST_CASE("D13: a refusal for lack of whole multiples says how many seats those would be") {
    GroupSpec root = leaf("job", 8, {pods(8, 1)});
    root.multiples = {{rack, 4}};
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {5});
    add_rack(nodes, "b0", "r1", "c", {3});
    const Refusal refusal = refused(world_of(nodes, root));
    CHECK(refusal.reason == model::Reason::impossible);
    CHECK(refusal.sentence ==
          "group job needs 8 seats in multiples of 4 for each example.com/rack; the cluster has room for 4 when empty: "
          "4 missing (nvidia.com/gpu)");
    add_rack(nodes, "b1", "r2", "d", {7, 2});
    CHECK(placed(world_of(nodes, root)).seats.size() == 8);
    root.required = {block};
    nodes.back().room[gpu] = 0;
    CHECK(refused(world_of(nodes, root)).sentence ==
          "group job needs 8 seats in multiples of 4 for each example.com/rack in one example.com/block; the best, b0, "
          "has room for 4 when empty: 4 missing (nvidia.com/gpu)");
}

TEST_CASE("D13: a refusal says if less than one multiple is missing") {
    GroupSpec root = leaf("job", 3, {pods(1, 1), {.count = 2, .needs = {{gpu, 1}}, .on = "a0"}});
    root.multiples = {{rack, 2}};
    CHECK(refused(world_of(hosts({8}), root)).sentence ==
          "group job takes multiples of 2 for each example.com/rack only; 3 pods can be placed");
}

TEST_CASE("Z37: a floor counts pods of whole groups, and so does the sentence about it") {
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

TEST_CASE("W3: a refusal of sizes that fit alone says how many fit together") {
    const GroupSpec root = all_of({leaf("router", 1, {pods(1, 1)}), leaf("decode", 4, {pods(4, 2)})}, {block});
    CHECK(refused(world_of(hosts({2, 2, 2, 2}), root)).sentence ==
          "group job needs 5 seats in one example.com/block; the best, b0, has room for 4 when empty: 1 missing "
          "(nvidia.com/gpu)");
}

}  // namespace
}  // namespace echelon::solver::testing

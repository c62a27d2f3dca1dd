// Are the groups of a composite in proportion in every domain, as far as their numbers divide? (D17)
#include "solver/distribution/domain_counts.hpp"
#include "unit-tests/solver/support/gangs.hpp"

#include <map>

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

using Pair = std::pair<int, int>;  // Prefill, decode.

std::vector<NodeSpec> racks(const std::vector<std::vector<std::int64_t>>& gpus) {
    std::vector<NodeSpec> nodes;
    for (std::size_t r = 0; r < gpus.size(); ++r) {
        add_rack(nodes, "b" + std::to_string(r / 8), "r" + std::to_string(r), "n" + std::to_string(r) + "-", gpus[r]);
    }
    return nodes;
}

GroupSpec roles(std::int64_t prefill, std::int64_t decode) {
    GroupSpec root = all_of({leaf("prefill", prefill, {pods(prefill, 1)}), leaf("decode", decode, {pods(decode, 1)})});
    root.paired = rack;
    return root;
}

std::map<std::string, Pair> pairs_in(const World& world, const Plan& plan) {
    std::map<std::string, Pair> count;
    for (const Seat& seat : plan.seats) {
        const std::string& node = world.snapshot.node_names[seat.node];
        Pair& there = count[node.substr(0, node.find('-'))];
        ++(world.gang.members[seat.member].pod.str().starts_with("prefill") ? there.first : there.second);
    }
    return count;
}

TEST_CASE("two prefill and two decode on two racks of two hosts are one of each in each rack (D17)") {
    const World world = world_of(racks({{1, 1}, {1, 1}}), roles(2, 2));
    CHECK(pairs_in(world, placed(world)) == std::map<std::string, Pair>{{"n0", {1, 1}}, {"n1", {1, 1}}});
}

TEST_CASE("where one number divides the other the proportion is exact (D17)") {
    const World world = world_of(racks({{1, 1, 1, 1}, {1, 1, 1}}), roles(4, 2));
    CHECK(pairs_in(world, placed(world)) == std::map<std::string, Pair>{{"n0", {2, 1}}, {"n1", {2, 1}}});
    CHECK(refused(world_of(racks({{1, 1, 1, 1, 1}, {1}}), roles(4, 2))).is_proved());
}

TEST_CASE("where it doesn't, it is rounded down or up (D17)") {
    const World world = world_of(racks({{1, 1, 1}, {1, 1}}), roles(3, 2));
    CHECK(pairs_in(world, placed(world)) == std::map<std::string, Pair>{{"n0", {2, 1}}, {"n1", {1, 1}}});
    CHECK(refused(world_of(racks({{1, 1, 1, 1}, {1}}), roles(3, 2))).is_proved());
}

TEST_CASE("an extra without its pair stays behind (D17)") {
    GroupSpec root = roles(3, 3);
    root.children[0].minimum = 2;
    root.children[1].minimum = 2;
    const World world = world_of(racks({{1, 1, 1, 1, 1}}), root);
    CHECK(pairs_in(world, placed(world)) == std::map<std::string, Pair>{{"n0", {2, 2}}});
}

TEST_CASE("a member that is lost is replaced beside its pair (D17)") {
    GroupSpec root = roles(2, 2);
    root.children[0].pods = {pods(1, 1), {.count = 1, .needs = {{gpu, 1}}, .on = "n0-0"}};
    root.children[1].pods = {{.count = 1, .needs = {{gpu, 1}}, .on = "n0-1"},
                             {.count = 1, .needs = {{gpu, 1}}, .on = "n1-0"}};
    const World world = world_of(racks({{4, 4}, {2, 2}}), root);
    CHECK(pairs_in(world, placed(world)) == std::map<std::string, Pair>{{"n1", {1, 0}}});
    CHECK(refused(world_of(racks({{4, 4}, {0, 0}}), root)).reason == model::Reason::no_room);
}

TEST_CASE("replicas of several pods are counted whole (D17)") {
    const auto workers = [](const std::string& name) {
        GroupSpec role = all_of({leaf(name + "-0", 2, {pods(2, 1)}), leaf(name + "-1", 2, {pods(2, 1)})});
        role.name = name;
        return role;
    };
    GroupSpec root = all_of({workers("prefill"), workers("decode")});
    root.paired = rack;
    const World world = world_of(racks({{4}, {4}}), root);
    CHECK(pairs_in(world, placed(world)) == std::map<std::string, Pair>{{"n0", {2, 2}}, {"n1", {2, 2}}});
    CHECK(refused(world_of(racks({{6}, {2}}), root)).is_proved());
}

TEST_CASE("a refusal names the pairs (D17)") {
    const Refusal refusal = refused(world_of(racks({{1, 1, 1}, {1}}), roles(2, 2)));
    CHECK(refusal.reason == model::Reason::impossible);
    CHECK(refusal.sentence ==
          "group job needs 2 of 2 groups in proportion in each example.com/rack; the cluster has room for some, "
          "not for all at once");
}

TEST_CASE("a large gang is paired rack by rack (D17)") {
    std::vector<std::vector<std::int64_t>> uneven;
    for (int r = 0; r < 32; ++r) {
        uneven.push_back(r % 3 == 0 ? std::vector<std::int64_t>{8, 7} : std::vector<std::int64_t>{8, 4, r % 5});
    }
    CHECK(placed(world_of(racks(uneven), roles(128, 64))).seats.size() == 192);
    CHECK(refused(world_of(racks(std::vector(8, std::vector<std::int64_t>{8, 3})), roles(56, 28))).is_proved());
}

TEST_CASE(
    "of plans with equally few domains the one with the roles in proportion is chosen, and nobody is refused (D18)") {
    GroupSpec root = roles(2, 2);
    root.paired.clear();
    root.preferred = rack;
    const World even = world_of(racks({{1, 1}, {1, 1}}), root);
    CHECK(pairs_in(even, placed(even)) == std::map<std::string, Pair>{{"n0", {1, 1}}, {"n1", {1, 1}}});
    CHECK(placed(world_of(racks({{1, 1, 1}, {1}}), root)).seats.size() == 4);
    GroupSpec large = roles(48, 16);
    large.paired.clear();
    large.preferred = rack;
    const World wide = world_of(racks(std::vector(8, std::vector<std::int64_t>{8})), large);
    for (const auto& [name, pair] : pairs_in(wide, placed(wide))) {
        CHECK(pair == Pair{6, 2});
    }
}

TEST_CASE("how many there may be beside how many (D17)") {
    CHECK(most_beside(4, 2, 3) == 6);
    CHECK(least_beside(4, 2, 3) == 6);
    CHECK(most_beside(2, 4, 5) == 2);
    CHECK(least_beside(2, 4, 5) == 3);
    CHECK(most_beside(3, 2, 1) == 2);
    CHECK(least_beside(3, 2, 1) == 1);
    CHECK(most_beside(2, 3, 2) == 2);
    CHECK(least_beside(2, 3, 3) == 2);
    CHECK(least_beside(2, 3, 0) == 0);
}

}  // namespace
}  // namespace echelon::solver::testing

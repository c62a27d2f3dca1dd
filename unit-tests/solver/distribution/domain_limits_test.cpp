// Do groups with a limit per domain get room, wherever members already run, and does a refusal name the limit? (D16)
#include "unit-tests/solver/support/gangs.hpp"

#include <map>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::solver::testing {
namespace {

std::vector<NodeSpec> racks(int count, const std::vector<std::int64_t>& gpus) {
    std::vector<NodeSpec> nodes;
    for (int r = 0; r < count; ++r) {
        add_rack(nodes, "b" + std::to_string(r / 8), "r" + std::to_string(r), "n" + std::to_string(r) + "-", gpus);
    }
    return nodes;
}

const std::string zone = "example.com/zone";

std::map<std::string, int> by_rack(const World& world, const Plan& plan) {
    std::map<std::string, int> count;
    for (const Seat& seat : plan.seats) {
        const std::string& node = world.snapshot.node_names[seat.node];
        ++count[node.substr(0, node.find('-'))];
    }
    return count;
}

GroupSpec replicas(int count, std::int64_t pods_each, std::vector<std::string> required) {
    std::vector<GroupSpec> children;
    for (int i = 0; i < count; ++i) {
        children.push_back(leaf("r" + std::to_string(i), pods_each, {pods(pods_each, 1)}, required));
    }
    return all_of(std::move(children));
}

TEST_CASE("a domain takes no more pods of a leaf than the limit, and the extras stay behind (D16)") {
    GroupSpec root = leaf("job", 4, {pods(8, 1)});
    root.most_per_domain = {{rack, 2}};
    const World world = world_of(racks(3, {8}), root);
    CHECK(by_rack(world, placed(world)) == std::map<std::string, int>{{"n0", 2}, {"n1", 2}, {"n2", 2}});
}

TEST_CASE("a domain takes no more groups of a composite than the limit (D16)") {
    GroupSpec root = replicas(3, 2, {rack});
    root.most_per_domain = {{rack, 1}};
    const World world = world_of(racks(3, {8}), root);
    CHECK(by_rack(world, placed(world)) == std::map<std::string, int>{{"n0", 2}, {"n1", 2}, {"n2", 2}});
}

TEST_CASE("a group that spans domains counts in each of them (D16)") {
    GroupSpec root = replicas(2, 4, {});
    root.most_per_domain = {{rack, 1}};
    CHECK(placed(world_of(racks(4, {2}), root)).seats.size() == 8);
    CHECK(refused(world_of(racks(3, {3}), root)).is_proved());
}

TEST_CASE("running members count, and a domain above its limit gets no more (D16)") {
    GroupSpec root = leaf("job", 4, {pods(2, 1), {.count = 2, .needs = {{gpu, 1}}, .on = "n0-0"}});
    root.most_per_domain = {{rack, 1}};
    const World world = world_of(racks(3, {8}), root);
    CHECK(by_rack(world, placed(world)) == std::map<std::string, int>{{"n1", 1}, {"n2", 1}});
    root.most_per_domain = {{rack, 3}};
    root.pods = {pods(1, 1), {.count = 3, .needs = {{gpu, 1}}, .on = "n0-0"}};
    CHECK(refused(world_of(racks(1, {8}), root)).reason == model::Reason::impossible);
}

// One host of one GPU for each pair of a rack and a zone of another tree.
World in_two_trees(const GroupSpec& root, const std::vector<std::pair<std::string, std::string>>& places) {
    std::vector<NodeSpec> nodes;
    for (const auto& [in_rack, in_zone] : places) {
        nodes.push_back({.name = fmt::format("n{}", nodes.size()),
                         .labels = {"b0", in_rack},
                         .room = {{gpu, 1}},
                         .other_labels = {in_zone}});
    }
    return WorldBuilder({block, rack}, nodes, {zone}).with(root);
}

TEST_CASE(
    "hosts that differ in another tree alone are not interchangeable where a rule counts along it (D13, D16, D17)") {
    const auto placed_in = [](const GroupSpec& root, const std::vector<std::string>& zones) {
        std::vector<std::pair<std::string, std::string>> places;
        for (const std::string& in_zone : zones) {
            places.emplace_back("r0", in_zone);
        }
        return placed(in_two_trees(root, places)).seats.size();
    };
    GroupSpec limited = leaf("job", 2, {pods(2, 1)});
    limited.most_per_domain = {{rack, 2}, {zone, 1}};
    CHECK(placed_in(limited, {"z0", "z0", "z1"}) == 2);
    limited.minimum = 1;
    limited.pods = {pods(3, 1)};
    limited.most_per_domain = {{rack, 3}, {zone, 1}};
    CHECK(placed_in(limited, {"z0", "z0", "z1", "z2"}) == 3);
    GroupSpec in_twos = leaf("job", 2, {pods(2, 1)});
    in_twos.most_per_domain = {{rack, 2}};
    in_twos.multiples = {{zone, 2}};
    CHECK(placed_in(in_twos, {"z0", "z1", "z0"}) == 2);
    GroupSpec paired = all_of({leaf("x", 1, {pods(1, 1)}), leaf("y", 1, {pods(1, 1)})});
    paired.most_per_domain = {{rack, 2}};
    paired.paired = zone;
    CHECK(placed_in(paired, {"z0", "z1", "z0"}) == 2);
}

TEST_CASE("limits along two trees that cross: groups go where both leave room, wherever counting begins (D16)") {
    GroupSpec root = replicas(2, 1, {rack, zone});
    root.most_per_domain = {{rack, 1}, {zone, 1}};
    CHECK(placed(in_two_trees(root, {{"r0", "z0"}, {"r0", "z1"}, {"r1", "z0"}})).seats.size() == 2);
    CHECK(placed(in_two_trees(root, {{"r0", "z1"}, {"r0", "z0"}, {"r1", "z0"}})).seats.size() == 2);
    CHECK(refused(in_two_trees(root, {{"r0", "z0"}, {"r1", "z0"}})).is_proved());
}

TEST_CASE("a replica that lost a pod gets it back in its own domain (D16)") {
    GroupSpec root = replicas(2, 2, {rack});
    root.children[0].pods = {pods(1, 1), {.count = 1, .needs = {{gpu, 1}}, .on = "n0-0"}};
    root.children[1].pods = {{.count = 2, .needs = {{gpu, 1}}, .on = "n1-0"}};
    root.most_per_domain = {{rack, 1}};
    const World world = world_of(racks(2, {8}), root);
    CHECK(by_rack(world, placed(world)) == std::map<std::string, int>{{"n0", 1}});
}

TEST_CASE("nodes without the level take no member (D16)") {
    GroupSpec root = leaf("job", 1, {pods(1, 1)});
    root.most_per_domain = {{rack, 4}};
    std::vector<NodeSpec> nodes = racks(1, {8});
    nodes[0].labels[1] = "";
    CHECK(refused(world_of(nodes, root)).is_proved());
}

TEST_CASE("a refusal names the limit (D16)") {
    GroupSpec pods_of = leaf("job", 6, {pods(6, 1)});
    pods_of.most_per_domain = {{rack, 2}};
    const Refusal of_pods = refused(world_of(racks(2, {8}), pods_of));
    CHECK(of_pods.reason == model::Reason::impossible);
    CHECK(of_pods.sentence ==
          "group job needs 6 seats with at most 2 in each example.com/rack; the cluster has room for 4 when empty: 2 "
          "missing");
    GroupSpec groups_of = replicas(3, 2, {rack});
    groups_of.most_per_domain = {{rack, 1}};
    const Refusal of_groups = refused(world_of(racks(2, {8}), groups_of));
    CHECK(of_groups.reason == model::Reason::impossible);
    CHECK(of_groups.sentence ==
          "group job needs 3 of 3 groups with at most 1 in each example.com/rack; the cluster has room for 2 when "
          "empty: 1 missing");
}

TEST_CASE("large gangs are spread, or refused with a proof (D16)") {
    GroupSpec spread = leaf("job", 128, {pods(128, 1)});
    spread.most_per_domain = {{host, 1}};
    CHECK(placed(world_of(racks(40, {8, 8, 8, 8}), spread)).seats.size() == 128);
    CHECK(refused(world_of(racks(31, {8, 8, 8, 8}), spread)).is_proved());
    GroupSpec apart = replicas(24, 16, {rack});
    apart.most_per_domain = {{rack, 1}};
    CHECK(placed(world_of(racks(24, {8, 8, 8, 8}), apart)).seats.size() == 384);
    CHECK(refused(world_of(racks(23, {8, 8, 8, 8}), apart)).is_proved());
    std::vector<NodeSpec> uneven = racks(40, {8, 8});
    for (std::size_t n = 0; n < uneven.size(); n += 8) {
        uneven[n].room[gpu] = 5;  // 10 of 40 racks are too small for a replica.
    }
    CHECK(placed(world_of(uneven, apart)).seats.size() == 384);
    std::vector<GroupSpec> unlike;
    for (int i = 0; i < 16; ++i) {
        unlike.push_back(leaf("u" + std::to_string(i), 4 + i % 12, {pods(4 + i % 12, 1 + i % 2)}, {rack}));
    }
    GroupSpec of_all_sizes = all_of(unlike);
    of_all_sizes.most_per_domain = {{rack, 1}};
    CHECK(placed(world_of(racks(16, {8, 8, 8, 8}), of_all_sizes)).seats.size() == 136);
    CHECK(refused(world_of(racks(15, {8, 8, 8, 8}), of_all_sizes)).is_proved());
}

}  // namespace
}  // namespace echelon::solver::testing

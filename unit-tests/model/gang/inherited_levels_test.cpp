#include "model/gang/inherited_levels.hpp"

#include "unit-tests/model/support/facts.hpp"

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

using Names = std::vector<std::string>;

// The levels of a root over two leaves that ask for these.
std::vector<LevelRef> inherited(const Names& one, const Names& other, std::vector<Event> more = {}) {
    auto root = composite("job", 2);
    root.policy.inherits_widest_child_level = true;
    auto a = leaf("a", 1, "job");
    auto b = leaf("b", 1, "job");
    a.required = one;
    b.required = other;
    std::vector<Event> events = {NodeSeen{racked("n0", "b0", "r0")}, NodeSeen{racked("n1", "b0", "r1")},
                                 TopologySeen{topology("fabric", {block, rack, host})}};
    events.insert(events.end(), {GroupSeen{root}, GroupSeen{a}, GroupSeen{b}, PodSeen{member("a-0", "a")},
                                 PodSeen{member("b-0", "b")}});
    events.insert(events.end(), more.begin(), more.end());
    return gang_of(cluster(events), composite_key("job")).groups.front().required;
}

}  // namespace

TEST_CASE("the widest of all levels that the children ask for binds the group around them (Z41)") {
    const LevelRef of_block{0, 0};
    const LevelRef of_rack{0, 1};
    CHECK(inherited({rack}, {rack}) == std::vector{of_rack});
    CHECK(inherited({block, rack}, {block, rack}) == std::vector{of_block});
    CHECK(inherited({rack}, {block}) == std::vector{of_block});
    CHECK(inherited({rack}, {rack, block}) == std::vector{of_block});
    CHECK(inherited({rack}, {}).empty());
    CHECK(inherited({rack}, {std::string(whole_cluster_level), rack}).empty());
}

TEST_CASE("levels of two trees are compared by the domains that they have (Z41)") {
    // Each single label is a separate tree (D12); each island lies in one block.
    const std::string island = "example.com/island";
    auto n0 = racked("n0", "b0", "r0");
    n0.labels[island] = "i0";
    auto n1 = racked("n1", "b0", "r1");
    n1.labels[island] = "i1";
    const std::vector<Event> labelled = {NodeSeen{n0}, NodeSeen{n1}};
    CHECK(inherited({island}, {block}, labelled) == std::vector{LevelRef{0, 0}});
    CHECK(inherited({block}, {island}, labelled) == std::vector{LevelRef{0, 0}});
}

// Which groups start only after the pods of other groups have ended? (Z31)

#include "model/gang/later_stages.hpp"

#include "model/gang/sub_group_selection.hpp"
#include "unit-tests/model/support/facts.hpp"

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace facts;

// Two pods that come once those of `ended` have ended.
Group later(const std::string& name, const std::string& ended) {
    auto group = leaf(name, 2, "root");
    group.expected = 2;
    group.start_set = 0;
    group.sorts.push_back(selector_after(leaf_key(ended).kind, {leaf_key(ended).name.str()}));
    return group;
}

Gang gang_with(const std::vector<Pod>& pods) {
    std::vector<Event> events = {NodeSeen{node("n0")}, GroupSeen{composite("root", 3)}, GroupSeen{leaf("a", 1, "root")},
                                 GroupSeen{later("b", "a")}, GroupSeen{later("c", "b")}};
    for (const auto& pod : pods)
        events.emplace_back(PodSeen{pod, {}});
    return gang_of(cluster(events), composite_key("root"));
}

TEST_CASE("a stage is put off while those that end before it are there, or still to come (Z31)") {
    const auto gang = gang_with({member("a-0", "a")});
    REQUIRE(gang.groups.size() == 4);
    CHECK(gang.groups[2].later == 2);
    CHECK(gang.groups[2].minimum == 0);
    CHECK(gang.groups[2].after == std::vector<std::uint32_t>{1});
    CHECK(gang.groups[3].later == 2);
    CHECK(gang.groups[3].after == std::vector<std::uint32_t>{2});
    CHECK(gang_with({bound(member("a-0", "a"), "n0")}).groups[2].later == 2);
}

TEST_CASE("a stage whose pods are there, or may come, is part of the minimum (Z31)") {
    auto done = member("a-0", "a");
    done.phase = PodPhase::succeeded;
    const auto next = gang_with({done});
    CHECK(next.groups[2].later == 0);
    CHECK(next.groups[2].minimum == 2);
    CHECK(next.groups[3].later == 2);  // The one before it is still to come.
    const auto begun = gang_with({member("a-0", "a"), member("b-0", "b")});
    CHECK(begun.groups[2].later == 0);
    CHECK(begun.groups[2].minimum == 2);
}

}  // namespace
}  // namespace echelon::model

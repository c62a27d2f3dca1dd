// When may a required level stand in for pod affinity, and when is a refusal then proved? (D14)

#include "unit-tests/model/support/two_racks.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace facts;

// Wants to share a rack with pods of that label.
PodSeen together(Pod pod, const std::string& app) {
    PodTerm term;
    term.kind = PodTerm::Kind::together;
    term.key = rack;
    term.labels = {{"app", Requirement::Operator::in, {app}}};
    term.namespaces = {"default"};
    pod.terms = {term};
    return {std::move(pod), {{"app", app}}};
}

std::ptrdiff_t barred_nodes(const Gang& gang, const Snapshot& snapshot, const Member& member) {
    std::ptrdiff_t count = 0;
    for (NodeId node = 0; node < snapshot.node_count(); ++node)
        count += gang.affinity.is_barred(member.affinity_class, node) ? 1 : 0;
    return count;
}

TEST_CASE("a level whose domains split a value of the label proves nothing, since values are compared (D4, D14)") {
    auto events = two_racks(1);
    events.emplace_back(together(member("web-0", "web"), "web"));
    CHECK(gang_of(cluster(events), leaf_key("web")).affinity.is_exact);
    SUBCASE("two blocks have a rack of one name") {
        auto twin = racked("c0", "b1", "a");
        twin.labels[host] = "c0";
        events.emplace_back(NodeSeen{twin});
    }
    SUBCASE("a node has the rack, but no block") {
        auto partial = hosted("c0", "a");
        partial.labels.erase(block);
        events.emplace_back(NodeSeen{partial});
    }
    const auto gang = gang_of(cluster(events), leaf_key("web"));
    CHECK_FALSE(gang.affinity.is_exact);
    CHECK(gang.groups.front().required.size() == 1);
}

TEST_CASE("extras that want to be together take nothing from members that run in several domains (D8, D14)") {
    auto events = two_racks(1);
    events.emplace_back(PodSeen{bound(member("web-0", "web"), "a0")});
    events.emplace_back(together(member("web-2", "web"), "extra"));
    std::ptrdiff_t barred = 0;
    SUBCASE("in one domain they require its level") {
        events.emplace_back(PodSeen{bound(member("web-1", "web"), "a1")});
    }
    SUBCASE("in two domains they get no seat") {
        events.emplace_back(PodSeen{bound(member("web-1", "web"), "b0")});
        barred = 4;
    }
    SUBCASE("one is outside every domain") {
        auto outside = hosted("c0", "c");
        outside.labels.erase(rack);
        events.emplace_back(NodeSeen{outside});
        events.emplace_back(PodSeen{bound(member("web-1", "web"), "c0")});
        barred = 5;
    }
    const auto known = cluster(events);
    const auto gang = gang_of(known, leaf_key("web"));
    CHECK_FALSE(gang.affinity.is_exact);
    const auto extra = std::ranges::find(gang.members, Member::State::waiting, &Member::state);
    REQUIRE(extra != gang.members.end());
    CHECK(barred_nodes(gang, known.snapshot(), *extra) == barred);
    CHECK(gang.groups.front().required.empty() == (barred > 0));
}

TEST_CASE("a level that the group requires anyway proves as much as before (D1, D14)") {
    auto events = two_racks(1);
    auto group = leaf("web", 2);
    group.required = {rack};
    events.emplace_back(GroupSeen{group});
    events.emplace_back(together(member("web-0", "web"), "web"));
    SUBCASE("two blocks have a rack of one name") {
        auto twin = racked("c0", "b1", "a");
        twin.labels[host] = "c0";
        events.emplace_back(NodeSeen{twin});
    }
    SUBCASE("another member follows nobody") {
        events.emplace_back(PodSeen{member("web-1", "web")});
    }
    const auto gang = gang_of(cluster(events), leaf_key("web"));
    CHECK(gang.affinity.is_exact);
    CHECK(gang.groups.front().required.size() == 1);
}

}  // namespace
}  // namespace echelon::model

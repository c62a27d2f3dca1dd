// Which needed sub-groups of a group have no pods yet? (Z17, H1)

#include "model/gang/absent_parts.hpp"

#include "model/gang/sub_group_selection.hpp"
#include "unit-tests/model/support/facts.hpp"

#include <string>
#include <utility>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace facts;

Group part_like() {
    Group part;
    part.key.kind = "part";
    part.minimum = 2;
    part.expected = 2;
    part.described_by = GroupKey{"set", "default/set"};
    part.required = {rack};
    return part;
}

// The leader of a replica of `count` sub-groups of two.
Pod leader(std::int64_t count) {
    Pod pod = member("leader", "replica");
    Group root;
    root.key = {"replica", "default/r"};
    root.kind = GroupKind::composite;
    root.minimum = count;
    Group own = part_like();
    own.key.name = "default/r/0";
    own.parent = root.key;
    own.required.clear();
    Group more;
    more.key = root.key;
    more.only_supplements = true;
    more.sorts.push_back(selector_of_parts(part_like(), {.first = 1, .end = count}));
    pod.membership->leaf = own.key;
    pod.membership->declared = {own, root, more};
    return pod;
}

// A worker of the sub-group `part`.
Pod worker(const std::string& name, std::int64_t count, const std::string& part) {
    Pod pod = leader(count);
    pod.name = name;
    pod.uid = "uid-" + name;
    auto& declared = pod.membership->declared.edit();
    declared.pop_back();
    declared.front().key.name = "default/r/" + part;
    pod.membership->leaf = declared.front().key;
    return pod;
}

Cluster cluster_with(const std::vector<Pod>& pods, const Limits& limits = {}) {
    Cluster known(Profiles{{"default-scheduler", Profile{}}}, limits);
    static_cast<void>(known.apply(NodeSeen{racked("a0", "a", "r0")}));
    static_cast<void>(known.apply(TopologySeen{topology("fabric", {block, rack})}));
    for (const auto& pod : pods)
        static_cast<void>(known.apply(PodSeen{pod, {}}));
    return known;
}

Group set_of_late_workers() {
    Group set;
    set.key = {"set", "default/set"};
    set.start_set = 0;
    set.policy.needs_pods = true;
    set.late_pod_class = leader(1).pod_class;
    return set;
}

// "NAME MEMBERS+PLACEHOLDERS" of every group, in order.
std::string shown(const Gang& gang) {
    std::string text;
    for (const auto& group : gang.groups) {
        int there = 0;
        int late = 0;
        for (auto at = group.first_member; at < group.last_member; ++at)
            ++(gang.members[at].is_placeholder ? late : there);
        text += (text.empty() ? "" : "; ") + group.key.name + " " + std::to_string(there) + "+" + std::to_string(late);
    }
    return text;
}

const GroupKey replica{"replica", "default/r"};

TEST_CASE("sub-groups without pods are there, in the order of their numbers, beside those with pods (Z17)") {
    const auto known = cluster_with({leader(12), worker("w", 12, "3")});
    const auto gang = gang_of(known, replica);
    REQUIRE(gang.groups.size() == 13);
    for (std::size_t at = 1; at < gang.groups.size(); ++at) {
        CHECK(gang.groups[at].key ==
              GroupKey{at == 1 || at == 4 ? gang.groups[at].key.kind : "part", "default/r/" + std::to_string(at - 1)});
        CHECK(gang.groups[at].parent == 0);
        CHECK(gang.groups[at].minimum == 2);
    }
    CHECK(gang.groups[0].children.size() == 12);
    CHECK(gang.groups[3].required.size() == 1);
    REQUIRE(gang.problem);
    CHECK(gang.problem->reason == Reason::incomplete);
}

TEST_CASE("the pods of a sub-group without pods come late when the object says so (H1)") {
    auto known = cluster_with({leader(3)});
    static_cast<void>(known.apply(GroupSeen{set_of_late_workers()}));
    const auto gang = gang_of(known, replica);
    CHECK(shown(gang) == "default/r 0+0; default/r/0 1+1; default/r/1 0+2; default/r/2 0+2");
    CHECK(gang.warnings.empty());  // The pod class of the late ones is known.
}

TEST_CASE("the sub-groups without pods go with the leader that tells of them (Z17)") {
    auto known = cluster_with({leader(3), worker("w", 3, "1")});
    CHECK(gang_of(known, replica).groups.size() == 4);
    static_cast<void>(known.apply(PodGone{leader(3).uid.str()}));
    CHECK(gang_of(known, replica).groups.size() == 2);
}

TEST_CASE("what the leader says of a sub-group holds for one with pods (Z17)") {
    auto other = worker("w", 3, "1");
    auto& declared = other.membership->declared.edit().front();
    declared.minimum = 3;
    declared.expected = 3;
    const auto gang = gang_of(cluster_with({leader(3), other}), replica);
    CHECK(gang.groups[2].key.name == "default/r/1");
    CHECK(gang.groups[2].minimum == 2);
    CHECK(gang_of(cluster_with({other}), replica).groups[1].minimum == 3);
}

TEST_CASE("sub-groups without pods count for the groups that a gang may have (BD1)") {
    Limits limits;
    limits.groups = 4;
    CHECK_FALSE(gang_of(cluster_with({leader(3)}, limits), replica).problem->reason == Reason::invalid);
    const auto gang = gang_of(cluster_with({leader(4)}, limits), replica);
    REQUIRE(gang.problem);
    CHECK(gang.problem->reason == Reason::invalid);
    CHECK(gang.problem->sentence.contains("limits.groups"));
}

}  // namespace
}  // namespace echelon::model

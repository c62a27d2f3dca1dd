// BD1: everything that an object makes of itself has a bound, which is checked where it is decoded. At the bound it
// works; beyond it that object alone is Invalid, says field, value and bound, and keeps little memory.

#include "unit-tests/kube/bounds_rows.hpp"
#include "unit-tests/kube/support/decoded.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace echelon;
using namespace echelon::kube;
using hostile::Row;

namespace {

std::vector<Row> every_row() {
    std::vector<Row> all = hostile::rows_of_groups();
    for (const auto& more : {hostile::rows_of_workloads(), hostile::rows_of_facts()})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

bool is_kept_beyond_bounds(const std::string& kind) {
    return kind != "GangPlan.echelon.sh" && kind != "PriorityClass.scheduling.k8s.io" &&
           kind != "PodDisruptionBudget.policy" && kind != "Job.batch" &&
           kind != "NodeResourceTopology.topology.node.k8s.io" && !kind.ends_with(".resource.k8s.io");
}

}  // namespace

TEST_CASE("at its bound each count, list, text and depth works, and one beyond it is said with its field and bound") {
    for (const Row& row : every_row()) {
        CAPTURE(row.kind);
        CAPTURE(std::string(row.what));
        const hostile::Outcome at = hostile::outcome_of(row.object(row.most), row.limits);
        CHECK(at.complaint == "");
        CHECK(at.is_known);
        if (row.complaint.empty())
            continue;  // Only its cost is bounded.
        const hostile::Outcome beyond = hostile::outcome_of(row.object(row.most + 1), row.limits);
        CHECK_MESSAGE(beyond.complaint.find(row.complaint) != std::string::npos, beyond.complaint);
        CHECK(beyond.is_known == is_kept_beyond_bounds(row.kind));
    }
}

TEST_CASE("far beyond its bound an object is Invalid with a short sentence, and keeps little memory") {
    for (const Row& row : every_row()) {
        CAPTURE(row.kind);
        CAPTURE(std::string(row.what));
        const auto object = row.object(row.hostile);
        const hostile::Outcome outcome = hostile::outcome_of(object, row.limits);
        CHECK_MESSAGE(outcome.bytes <= row.bytes, outcome.bytes);
        CHECK_MESSAGE(outcome.complaint.size() <= 1'000, outcome.complaint.size());  // A path of 64 steps.
        if (!row.complaint.empty())
            CHECK(outcome.complaint != "");
    }
}

TEST_CASE("each kind that is decoded has a row") {
    std::set<std::string> bounded;
    for (const Row& row : every_row())
        bounded.insert(row.kind);
    for (const std::string& kind : known_kinds()) {
        CAPTURE(kind);
        CHECK(bounded.contains(kind));
    }
}

TEST_CASE("the bounds are those of the configuration") {
    model::Limits wide;
    wide.members = 50'000;
    model::Limits narrow;
    narrow.members = 2;
    const auto object = hostile::object("scheduling.x-k8s.io/v1alpha1", "PodGroup", {{"minMember", 30'000}});
    CHECK(hostile::outcome_of(object, wide).complaint == "");
    CHECK(hostile::outcome_of(object).complaint ==
          "PodGroup ns/g: spec.minMember: 30000 is more than the 20000 members that a gang may have (limits.members)");
    CHECK(hostile::outcome_of(object, narrow).complaint ==
          "PodGroup ns/g: spec.minMember: 30000 is more than the 2 members that a gang may have (limits.members)");
}

TEST_CASE("a pod beyond a bound keeps its room, and only the gang that it names is Invalid") {
    auto spec = hostile::json{{"nodeName", "n0"},
                              {"containers", {{{"name", "c"}, {"resources", {{"requests", hostile::map(200, "1")}}}}}}};
    spec["containers"][0]["resources"]["requests"]["cpu"] = "2";
    spec["containers"][0]["resources"]["requests"]["memory"] = "5";
    const auto read = [](const hostile::json& object) {
        const auto events = decode(object, Change::seen);
        REQUIRE(events);
        return std::get<model::PodSeen>(events->front()).pod;
    };
    const auto alone = read(hostile::pod(nullptr, nullptr, spec));
    CHECK_FALSE(alone.membership);
    CHECK(alone.pod_class.requests.of("cpu") == 2000);
    CHECK(alone.pod_class.requests.of("memory") == 5);
    CHECK(alone.pod_class.requests.entries().size() == 67);  // With "pods".
    const auto member = read(hostile::pod({{"pod-group-name", "a"}}, nullptr, spec));
    REQUIRE(member.membership);
    REQUIRE(member.membership->declared.size() == 1);
    CHECK(member.membership->declared.front().only_supplements);
    CHECK(member.membership->declared.front().key == member.membership->leaf);
    CHECK(member.membership->declared.front().problem ==
          "one of its pods: spec.containers[0].resources.requests: 200 is more than the 64 resource names that one pod "
          "may have (limits.resources)");
    spec["containers"][0]["resources"]["requests"] = hostile::map(9'000, "1");
    CHECK(read(hostile::pod({{"pod-group-name", "a"}}, nullptr, spec)).membership->declared.front().problem ==
          "one of its pods: spec.containers[0].resources.requests: 9000 is more than the 64 resource names that one "
          "pod may have (limits.resources)");
}

TEST_CASE("a bare number needs the administrator's leave, a class does not (BD8)") {
    const auto numbered = hostile::object("echelon.sh/v1alpha1", "Gang", {{"minimum", 1}, {"priority", 7}});
    CHECK(hostile::outcome_of(numbered).complaint ==
          "spec.priority: 7 is a bare number, which needs limits.freePriority in echelon's configuration; "
          "priorityClassName doesn't");
    model::Limits free;
    free.free_priority = true;
    CHECK(hostile::outcome_of(numbered, free).complaint == "");
    const auto classed = hostile::object("echelon.sh/v1alpha1", "Gang", {{"minimum", 1}, {"priorityClassName", "a"}});
    CHECK(hostile::outcome_of(classed).complaint == "");
}

TEST_CASE("another dialect that asks for a longer hold gets the longest, with a warning (BD8)") {
    const auto leaf_of = [](const hostile::json& object) {
        const auto events = decode(object, Change::seen);
        REQUIRE(events);
        if (const auto* seen = std::get_if<model::GroupSeen>(&events->front()))
            return seen->group;
        return std::get<model::GroupSetSeen>(events->front()).set.groups.front();
    };
    const hostile::json spec = {{"minMember", 1}, {"scheduleTimeoutSeconds", 7200}};
    for (const auto* api : {"scheduling.x-k8s.io/v1alpha1", "scheduling.sigs.k8s.io/v1alpha1"}) {
        const auto leaf = leaf_of(hostile::object(api, "PodGroup", spec));
        CHECK(leaf.problem == "");
        CHECK(leaf.timeout == 3600);
        CHECK(leaf.warnings ==
              std::vector<std::string>{"spec.scheduleTimeoutSeconds: 7200 is more than the 3600 seconds that seats may "
                                       "be held (limits.longestHold), and is taken for 3600"});
    }
    const auto waiting = leaf_of(hostile::object("scheduling.sigs.k8s.io/v1alpha1", "PodGroup", {{"minMember", 1}},
                                                 {{"gang.scheduling.koordinator.sh/waiting-time", "2h"}}));
    CHECK(waiting.timeout == 3600);
    CHECK(waiting.warnings.size() == 1);
}

TEST_CASE("all Jobs of a template share its pod class") {
    const auto events = decode(hostile::rows_of_workloads()[2].object(4'000), Change::seen);
    REQUIRE(events);
    const auto& groups = std::get<model::GroupSetSeen>(events->front()).set.groups;
    const model::PodClass* first = nullptr;
    std::size_t late = 0;
    for (const model::Group& group : groups) {
        if (!group.late_pod_class)
            continue;
        first = first == nullptr ? &*group.late_pod_class : first;
        late += &*group.late_pod_class == first ? 1U : 0U;
    }
    CHECK(late == 4'001);  // One counts pods for groups of other dialects.
}

TEST_CASE("a pattern with a program so large that names would be matched slowly is refused, and so are too many") {
    const auto domain = [](const std::string& pattern) {
        return hostile::outcome_of(hostile::object(
            "topology.volcano.sh/v1alpha1", "HyperNode",
            {{"tier", 1}, {"members", {{{"type", "Node"}, {"selector", {{"regexMatch", {{"pattern", pattern}}}}}}}}}));
    };
    CHECK(domain("^gpu-[0-9]{5}$").complaint == "");
    const std::string refused = domain("[0-9a-n].{100}x").complaint;
    CHECK_MESSAGE(refused.find("spec.members[0].selector.regexMatch.pattern: compiles to ") != std::string::npos,
                  refused);
    CHECK(refused.find("more than the 384 with which 4096 names are matched in a millisecond") != std::string::npos);
}

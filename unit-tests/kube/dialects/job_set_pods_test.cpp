// What groups of other dialects learn from a JobSet and its pods about pods that don't exist yet.

#include "kube/dialects/job_set.hpp"
#include "kube/dialects/replicated_job.hpp"
#include "model/gang/sub_group_selection.hpp"
#include "unit-tests/kube/support/rows.hpp"

#include <algorithm>

namespace echelon::kube {
namespace {

using model::Group;
using model::GroupKey;
using nlohmann::json;

constexpr const char* exclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology";

// The groups that count pods.
std::vector<Group> counts_in(const std::string& spec, const json& annotations = nullptr) {
    std::vector<Group> counts = set_in(group_object("jobset.x-k8s.io/v1alpha2", "JobSet", spec, annotations)).groups;
    std::erase_if(counts, [](const Group& group) { return group.key.kind != "jobset-pods"; });
    return counts;
}

json pod_labels(const std::string& index) {
    return {{"jobset.sigs.k8s.io/jobset-name", "g"},
            {"jobset.sigs.k8s.io/replicatedjob-name", "a"},
            {"jobset.sigs.k8s.io/job-index", index},
            {"jobset.sigs.k8s.io/global-replicas", "1"}};
}

TEST_CASE("a JobSet counts the pods of each Job, and says how many of them are created together (H1)") {
    const char* spec = R"({"replicatedJobs": [{"name": "a", "replicas": 2, "template": {"spec": {"parallelism": 3,
        "template": {"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]}}}}}]})";
    const auto counts = counts_in(spec, {{exclusive, "example.com/rack"}});
    REQUIRE(counts.size() == 1);
    CHECK(counts[0].key == GroupKey{"jobset-pods", "ns/g/a"});
    CHECK(counts[0].expected == 3);
    CHECK(counts[0].minimum == 1);
    CHECK(counts[0].start_set == 1);
    CHECK(counts[0].policy.needs_pods);
    REQUIRE(counts[0].late_pod_class);
    CHECK(counts[0].late_pod_class->requests.of("cpu") == 2000);
    CHECK_FALSE(model::parts_of(counts[0]));
    CHECK(counts_in(spec).empty());  // All pods come at once.
}

TEST_CASE("later replicated jobs are counted beside those whose template names the same group (H1)") {
    const auto later_of = [](const std::string& name_of_b) {
        const auto counts = counts_in(R"({"replicatedJobs": [{"name": "a"},
            {"name": "b", "replicas": 2, "dependsOn": [{"name": "a", "status": "Ready"}],
             "template": {"spec": {"parallelism": 3, "template": {"metadata": {"annotations": )" +
                                      name_of_b + R"(}}}}},
            {"name": "c", "dependsOn": [{"name": "a", "status": "Ready"}]}]})");
        REQUIRE(counts.size() == 3);
        CHECK(counts[1].start_set == 0);
        CHECK(counts[1].minimum == 3);
        const auto later = model::parts_of(counts[0]);
        REQUIRE(later);
        CHECK(later->leaf.late_pod_class.has_value() == (later->leaf.expected == 7));
        return later->leaf.expected;
    };
    CHECK(later_of("{}") == 7);
    CHECK(later_of(R"({"scheduling.k8s.io/group-name": "v"})") == 1);
}

TEST_CASE("of replicated jobs that come once all others have ended the counts say so (Z31, H7)") {
    const auto has_stages = [](const char* status) {
        const auto counts = counts_in(R"({"replicatedJobs": [{"name": "a"},
            {"name": "b", "dependsOn": [{"name": "a", "status": ")" +
                                      std::string(status) + R"("}]}]})");
        return !model::ends_before(counts.at(0)).empty();
    };
    CHECK(has_stages("Complete"));
    CHECK_FALSE(has_stages("Ready"));
}

TEST_CASE("a JobSet that is suspended or has ended counts no pods to come (H1)") {
    CHECK(counts_in(R"({"suspend": true, "replicatedJobs": [{"name": "a"}]})", {{exclusive, "example.com/rack"}})
              .empty());
}

TEST_CASE("a pod shows which Job is in the group of any dialect that it names (H1)") {
    json by_label = pod_labels("2");
    by_label["scheduling.x-k8s.io/pod-group"] = "g0";
    for (const auto& member :
         {membership_of(by_label), membership_of(pod_labels("2"), {{"pod-group-name", "g0"}}),
          membership_of(pod_labels("2"), nullptr, {{"schedulingGroup", {{"podGroupName", "g0"}}}})}) {
        REQUIRE(member->declared.size() == 1);
        const Group& more = member->declared.front();
        CHECK(more.key == member->leaf);
        CHECK(more.described_by == GroupKey{"jobset-pods", "ns/g/a"});
        CHECK(more.about->value == "ns/g/a/2");
    }
    json keyed = pod_labels("2");
    keyed["jobset.sigs.k8s.io/job-key"] = "hash";
    CHECK(membership_of(keyed, {{"pod-group-name", "g0"}})->declared.front().about->value == "hash");
    CHECK(membership_of(pod_labels("2"))->declared.empty());  // In the dialect's own leaf.
}

}  // namespace
}  // namespace echelon::kube

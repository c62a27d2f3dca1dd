#include "kube/dialects/job_set.hpp"

#include "model/gang/sub_group_selection.hpp"
#include "unit-tests/kube/support/rows.hpp"

#include <algorithm>
#include <map>

namespace echelon::kube {
namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;
using nlohmann::json;
using Names = std::vector<std::string>;

constexpr const char* version = "jobset.x-k8s.io/v1alpha2";
constexpr const char* exclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology";

json job_set(const std::string& spec, const json& annotations = nullptr) {
    return group_object(version, "JobSet", spec, annotations);
}

model::GroupSet read(const std::string& spec, const json& annotations = nullptr) {
    return set_in(job_set(spec, annotations));
}

TEST_CASE("a JobSet is a root over replicated jobs over Jobs of their parallelism") {
    const auto set = read(R"({"replicatedJobs": [
        {"name": "driver", "template": {"spec": {}}},
        {"name": "workers", "replicas": 2, "template": {"spec": {"parallelism": 4, "completions": 3}}}]})");
    const Group& root = set.groups.front();
    CHECK(root.key == GroupKey{"jobset", "ns/g"});
    CHECK(root.kind == GroupKind::composite);
    CHECK_FALSE(root.minimum);
    CHECK(root.policy.needs_pods);
    CHECK(set.groups.size() == 6);
    CHECK(set.shared.empty());
    const Group workers = part_of(set, "ns/g/workers");
    CHECK(workers.kind == GroupKind::composite);
    CHECK(workers.parent == root.key);
    CHECK(workers.minimum == 2);
    const Group job = part_of(set, "ns/g/workers/1");
    CHECK(job.key.kind == "jobset-job");
    CHECK(job.parent == workers.key);
    CHECK(job.minimum == 3);
    CHECK(job.expected == 3);
    CHECK_FALSE(job.start_set);
    CHECK(part_of(set, "ns/g/driver/0").minimum == 1);
}

TEST_CASE("exclusive topology: a level of each Job, and pods that come after the first one") {
    const char* spec = R"({"replicatedJobs": [{"name": "a", "template": {"spec": {"parallelism": 3,
        "template": {"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}],
            "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one"}]}}}}}]})";
    const Group job = part_of(read(spec, {{exclusive, "example.com/rack"}}), "ns/g/a/0");
    CHECK(job.required == Names{"example.com/rack"});
    CHECK(job.start_set == 1);
    REQUIRE(job.late_pod_class);
    CHECK(job.late_pod_class->requests.of("cpu") == 2000);
    CHECK(job.late_claims.size() == 1);

    const Group by_hand = part_of(
        read(spec, {{exclusive, "example.com/rack"}, {"alpha.jobset.sigs.k8s.io/node-selector", "true"}}), "ns/g/a/0");
    CHECK(by_hand.required == Names{"example.com/rack"});
    CHECK_FALSE(by_hand.start_set);

    const Group narrower = part_of(read(R"({"replicatedJobs": [{"name": "a", "template": {"metadata": {"annotations":
        {"alpha.jobset.sigs.k8s.io/exclusive-topology": "example.com/host"}}}}]})",
                                        {{exclusive, "example.com/rack"}}),
                                   "ns/g/a/0");
    CHECK(narrower.required == Names{"example.com/host"});
    const Group of_pods = part_of(read(R"({"replicatedJobs": [{"name": "a", "template": {"spec": {"parallelism": 2,
        "template": {"metadata": {"annotations": {"alpha.jobset.sigs.k8s.io/exclusive-topology": "example.com/host"}}}}}}
        ]})"),
                                  "ns/g/a/0");
    CHECK(of_pods.required == Names{"example.com/host"});
    CHECK(of_pods.start_set == 1);
    CHECK(part_of(read(spec, {{exclusive, "/"}}), "ns/g/a/0").problem ==
          "the annotation alpha.jobset.sigs.k8s.io/exclusive-topology is \"/\", which isn't a label key");
}

TEST_CASE("stages: a job that starts after others is all placeholders") {
    const auto ordered = read(R"({"startupPolicy": {"startupPolicyOrder": "InOrder"},
        "replicatedJobs": [{"name": "a"}, {"name": "b"}]})");
    CHECK_FALSE(part_of(ordered, "ns/g/a/0").start_set);
    CHECK(part_of(ordered, "ns/g/b/0").start_set == 0);
    const auto dependent = read(
        R"({"replicatedJobs": [{"name": "a"}, {"name": "b", "dependsOn": [{"name": "a", "status": "Complete"}]}]})");
    CHECK_FALSE(part_of(dependent, "ns/g/a/0").start_set);
    CHECK(part_of(dependent, "ns/g/b/0").start_set == 0);
    const auto any = read(
        R"({"startupPolicy": {"startupPolicyOrder": "AnyOrder"}, "replicatedJobs": [{"name": "a"}, {"name": "b"}]})");
    CHECK_FALSE(part_of(any, "ns/g/b/0").start_set);
}

TEST_CASE("Jobs that have succeeded are needed no more") {
    json object = job_set(R"({"replicatedJobs": [{"name": "a", "replicas": 3}, {"name": "b"}]})");
    object["status"]["replicatedJobsStatus"] =
        json::array({{{"name", "a"}, {"succeeded", 2}}, {{"name", "b"}, {"succeeded", 1}}});
    const auto set = set_in(object);
    CHECK(part_of(set, "ns/g/a").minimum == 1);
    CHECK(part_of(set, "ns/g/b").minimum == 0);
}

TEST_CASE("a JobSet that has ended or is suspended waits for no pods that come later (H1)") {
    const std::string spec = R"({"replicatedJobs": [{"name": "a"},
        {"name": "b", "replicas": 2, "dependsOn": [{"name": "a", "status": "Ready"}]}]})";
    struct Row {
        const char* name;
        json status;
        bool needs_pods;
        bool is_suspended = false;
    };
    const auto condition = [](const char* type, const char* status) {
        return json{{"conditions", json::array({{{"type", type}, {"status", status}}})}};
    };
    for (const Row& row :
         {Row{"suspended", json::object(), true, true}, Row{"completed", condition("Completed", "True"), false},
          Row{"failed", condition("Failed", "True"), false},
          Row{"has a terminal state", {{"terminalState", "Completed"}}, false}}) {
        CAPTURE(row.name);
        json object = job_set(spec);
        object["status"] = row.status;
        if (row.is_suspended)
            object["spec"]["suspend"] = true;
        const auto set = set_in(object);
        const Group job = part_of(set, "ns/g/b/0");
        CHECK_FALSE(job.start_set);
        CHECK(job.expected == 0);
        CHECK(job.minimum == (row.needs_pods ? 1 : 0));
        CHECK(part_of(set, "ns/g/b").minimum == (row.needs_pods ? 2 : 0));
    }
    for (const json& status : {condition("Completed", "False"), condition("Suspended", "True"), json::object()}) {
        json object = job_set(spec);
        object["status"] = status;
        CHECK(part_of(set_in(object), "ns/g/b/0").start_set == 0);
    }
}

TEST_CASE("groups of replicated jobs are between them and the root, if they are used") {
    const auto set = read(R"({"replicatedJobs": [{"name": "a", "groupName": "x"}, {"name": "b", "groupName": "x"},
        {"name": "c"}]})");
    const Group group = part_of(set, "ns/g/x");
    CHECK(group.key.kind == "jobset-group");
    CHECK(group.kind == GroupKind::composite);
    CHECK_FALSE(group.minimum);
    CHECK(part_of(set, "ns/g/a").parent == group.key);
    CHECK(part_of(set, "ns/g/b").parent == group.key);
    CHECK(part_of(set, "ns/g/c").parent == GroupKey{"jobset-group", "ns/g/default"});
}

TEST_CASE("Kueue's preferred topology holds for a replicated job as a whole, and each Job is a slice") {
    const auto set = read(R"({"replicatedJobs": [{"name": "a", "replicas": 2, "template": {"spec": {"parallelism": 2,
        "template": {"metadata": {"annotations": {"kueue.x-k8s.io/podset-required-topology": "example.com/block",
                                                  "kueue.x-k8s.io/podset-slice-required-topology": "example.com/rack"}}}}}}]})");
    CHECK(part_of(set, "ns/g/a").required == Names{"example.com/block"});
    CHECK(part_of(set, "ns/g/a/0").required == Names{"example.com/rack"});
    CHECK(part_of(set, "ns/g/a").problem == "");
}

TEST_CASE("slices of a JobSet consist of ranks that run through its Jobs, and its pods may ask for them alone (Z42)") {
    const json slices{{"kueue.x-k8s.io/podset-slice-required-topology", "example.com/rack"},
                      {"kueue.x-k8s.io/podset-slice-size", "2"}};
    const auto set = read(R"({"replicatedJobs": [{"name": "a", "replicas": 2, "template": {"spec": {"parallelism": 4,
        "template": {"metadata": {"annotations": )" +
                          slices.dump() + "}}}}}]}");
    const Group whole = part_of(set, "ns/g/a");
    CHECK(whole.multiples == std::map<std::string, std::int64_t>{{"example.com/rack", 2}});
    CHECK(model::is_cut_across_children(whole));

    const json labels{{"jobset.sigs.k8s.io/jobset-name", "g"},
                      {"jobset.sigs.k8s.io/replicatedjob-name", "a"},
                      {"jobset.sigs.k8s.io/job-index", "1"}};
    const auto member = membership_of(labels, slices);
    REQUIRE(member->declared.size() == 1);
    const Group& asked = member->declared.front();
    CHECK(asked.only_supplements);
    CHECK(asked.key == whole.key);
    CHECK(asked.multiples == whole.multiples);
    CHECK(asked.sorts == whole.sorts);

    const auto unsized = membership_of(labels, {{"kueue.x-k8s.io/podset-slice-required-topology", "example.com/rack"}});
    REQUIRE(unsized->declared.size() == 2);
    CHECK(unsized->declared.front().multiples.empty());
    CHECK(unsized->declared.back().key == GroupKey{"jobset-job", "ns/g/a/1"});
    CHECK(unsized->declared.back().required == Names{"example.com/rack"});
}

TEST_CASE("of a PodGroup that all pods name it is known which of them come late (H7)") {
    const auto set = read(R"({"replicatedJobs": [
        {"name": "init", "template": {"spec": {"template": {"metadata": {"labels": {"scheduling.x-k8s.io/pod-group": "t"}}}}}},
        {"name": "node", "replicas": 2, "dependsOn": [{"name": "init", "status": "Complete"}],
         "template": {"spec": {"parallelism": 3, "template": {"metadata": {"labels": {"scheduling.x-k8s.io/pod-group": "t"}}}}}}]})");
    REQUIRE(set.shared.size() == 1);
    const Group& more = set.shared.front();
    CHECK(more.only_supplements);
    CHECK(more.key == GroupKey{"x-k8s-podgroup", "ns/t"});
    CHECK(more.expected == 7);
    CHECK(more.start_set == 1);
    CHECK(more.late_pod_class.has_value());
    CHECK(more.ended == 0);
}

TEST_CASE("Jobs that have succeeded are counted with their pods, which may be gone, and no more than there are (H7)") {
    const auto ended = [](const char* status) {
        json object = job_set(R"({"replicatedJobs": [
            {"name": "init", "replicas": 2, "template": {"spec": {"template": {"metadata": {"labels":
                {"scheduling.x-k8s.io/pod-group": "t"}}}}}},
            {"name": "node", "dependsOn": [{"name": "init", "status": "Complete"}],
             "template": {"spec": {"parallelism": 3, "completions": 2, "template": {"metadata": {"labels":
                {"scheduling.x-k8s.io/pod-group": "t"}}}}}},
            {"name": "other"}]})");
        object["status"]["replicatedJobsStatus"] = json::parse(status);
        return set_in(object).shared.front().ended;
    };
    CHECK(ended("[]") == 0);
    CHECK(ended(R"([{"name": "init", "succeeded": 1}, {"name": "node", "active": 1}])") == 1);
    CHECK(ended(R"([{"name": "init", "succeeded": 2}, {"name": "node", "succeeded": 1}])") == 4);
    CHECK(ended(R"([{"name": "init", "succeeded": 9}])") == 2);
    // Of pods that name no PodGroup, and of Jobs that the set doesn't have any more.
    CHECK(ended(R"([{"name": "other", "succeeded": 1}, {"name": "gone", "succeeded": 1}])") == 0);
    // A set that restarts counts from zero.
    CHECK(ended(R"([{"name": "init", "succeeded": 0, "failed": 1}])") == 0);
}

TEST_CASE("fields of a JobSet, row by row (A3)") {
    const auto job = [](const std::string& fields) { return R"({"replicatedJobs": [{"name": "a", )" + fields + "}]}"; };
    const std::string path = "spec.replicatedJobs[0].";
    check_faults(
        version, "JobSet",
        {{"replicatedJobs", R"({"replicatedJobs": 7})", "spec.replicatedJobs: must be a list, not 7"},
         {"entry", R"({"replicatedJobs": [7]})", "spec.replicatedJobs[0]: must be an object, not 7"},
         {"name: missing", R"({"replicatedJobs": [{}]})", path + "name is missing"},
         {"name: twice", R"({"replicatedJobs": [{"name": "a"}, {"name": "a"}]})",
          "spec.replicatedJobs[1].name: \"a\" is given twice"},
         {"replicas: text", job(R"("replicas": "2")"), path + "replicas: must be an integer, not \"2\""},
         {"replicas: below", job(R"("replicas": -1)"), path + "replicas: must be between 0 and 2147483647, not -1"},
         {"groupName", job(R"("groupName": 7)"), path + "groupName: must be a string, not 7"},
         {"dependsOn", job(R"("dependsOn": "b")"), path + "dependsOn: must be a list, not \"b\""},
         {"template", job(R"("template": 7)"), path + "template: must be an object, not 7"},
         {"parallelism: text", job(R"("template": {"spec": {"parallelism": "x"}})"),
          path + "template.spec.parallelism: must be an integer, not \"x\""},
         {"parallelism: below", job(R"("template": {"spec": {"parallelism": -1}})"),
          path + "template.spec.parallelism: must be between 0 and 2147483647, not -1"},
         {"completions", job(R"("template": {"spec": {"completions": 1.5}})"),
          path + "template.spec.completions: must be an integer, not 1.5"},
         {"exclusive-topology",
          job(R"("template": {"metadata": {"annotations": {"alpha.jobset.sigs.k8s.io/exclusive-topology": 7}}})"),
          path + "template.metadata.annotations[\"alpha.jobset.sigs.k8s.io/exclusive-topology\"]: must be a string, "
                 "not 7"},
         {"suspend", R"({"suspend": "yes"})", "spec.suspend: must be true or false, not \"yes\""},
         {"startupPolicy", R"({"startupPolicy": "InOrder"})", "spec.startupPolicy: must be an object, not \"InOrder\""},
         {"startupPolicyOrder: number", R"({"startupPolicy": {"startupPolicyOrder": 1}})",
          "spec.startupPolicy.startupPolicyOrder: must be a string, not 1"},
         {"startupPolicyOrder: unknown", R"({"startupPolicy": {"startupPolicyOrder": "Ordered"}})",
          "spec.startupPolicy.startupPolicyOrder: must be InOrder or AnyOrder, not \"Ordered\""}});
}

TEST_CASE("a status of a JobSet that can't be read, and too many Jobs (A3)") {
    json object = job_set(R"({"replicatedJobs": [{"name": "a"}]})");
    object["status"]["replicatedJobsStatus"] = json::array({{{"name", "a"}, {"succeeded", -1}}});
    CHECK(fault_in(object) ==
          "JobSet ns/g: status.replicatedJobsStatus[0].succeeded: must be between 0 and 2147483647, not -1");
    const json many = job_set(R"({"replicatedJobs": [{"name": "a", "replicas": 2000000000}]})");
    CHECK(fault_in(many) ==
          "JobSet ns/g: spec.replicatedJobs[0].replicas: 2000000000 is more than the 4096 groups that a gang may have "
          "(limits.groups)");
}

TEST_CASE("a JobSet with too many Jobs keeps Jobs that its pods name, so that their gang is Invalid (BD1)") {
    struct Row {
        std::string jobs;
        std::size_t kept;     // Jobs of the last replicated job.
        std::string problem;  // Without its end.
    };
    const std::string path = "spec.replicatedJobs[";
    const Row rows[] = {
        {R"({"name": "a", "replicas": 4095})", 4094, path + "0].replicas: 4097 groups with its Jobs are more than"},
        {R"({"name": "a", "replicas": 4096})", 4094, path + "0].replicas: 4098 groups with its Jobs are more than"},
        {R"({"name": "a", "replicas": 4097})", 1, path + "0].replicas: 4097 is more than"},
        {R"({"name": "b", "replicas": 4094}, {"name": "a", "replicas": 3})", 1,
         path + "1].replicas: 4100 groups with its Jobs are more than"},
        {R"({"name": "b", "replicas": 4094}, {"name": "a", "replicas": 0})", 0,
         path + "1].replicas: 4097 groups with its Jobs are more than"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.jobs);
        const json object = job_set(R"({"replicatedJobs": [)" + row.jobs + "]}");
        const auto events = decode(object, Change::seen);
        REQUIRE_FALSE(events);
        const auto event = event_of_unreadable(object, events.error());
        REQUIRE(event);
        const auto& set = std::get<model::GroupSetSeen>(*event).set;
        CHECK(set.groups.front().problem.starts_with(row.problem));
        const auto is_kept = [](const Group& group) {
            return group.key.kind == "jobset-job" && group.key.name.str().starts_with("ns/g/a/");
        };
        CHECK(static_cast<std::size_t>(std::ranges::count_if(set.groups, is_kept)) == row.kept);
    }
}

TEST_CASE("defaults of a JobSet, and what of it isn't read") {
    const auto plain = read(R"({"replicatedJobs": [{"name": "a"}]})");
    CHECK(plain.groups.size() == 3);
    CHECK(part_of(plain, "ns/g/a").minimum == 1);
    CHECK(part_of(plain, "ns/g/a/0").minimum == 1);
    CHECK(read(R"({"replicatedJobs": [{"name": "a", "replicas": null, "later": 7, "template": null, "dependsOn": []}],
        "startupPolicy": {"startupPolicyOrder": ""}, "successPolicy": 7, "later": 1})") == plain);
    CHECK(read(R"({"replicatedJobs": [], "later": 1})").groups.size() == 1);
    CHECK(part_of(read(R"({"replicatedJobs": [{"name": "a", "replicas": 0}]})"), "ns/g/a").minimum == 0);
    CHECK(part_of(read(R"({"replicatedJobs": [{"name": "a", "template": {"spec": {"parallelism": 0}}}]})"), "ns/g/a/0")
              .minimum == 0);
}

TEST_CASE("a pod names its Job by labels, and another JobSet or restart of the same name is another attempt") {
    const auto label = [](const std::string& key) { return "jobset.sigs.k8s.io/" + key; };
    const auto member = membership_of({{label("jobset-name"), "g"},
                                       {label("replicatedjob-name"), "workers"},
                                       {label("job-index"), "1"},
                                       {label("jobset-uid"), "u"},
                                       {label("restart-attempt"), "2"},
                                       {"batch.kubernetes.io/job-completion-index", "3"}});
    REQUIRE(member);
    CHECK(member->leaf == GroupKey{"jobset-job", "ns/g/workers/1"});
    CHECK(member->attempt == "u/2/");
    CHECK(member->rank == 3);
    CHECK(member->declared.empty());
    CHECK_FALSE(membership_of({{label("jobset-name"), "g"}}));
    const auto attempt = [&](const std::string& uid, const std::string& all, const std::string& own) {
        return membership_of({{label("jobset-name"), "g"},
                              {label("replicatedjob-name"), "workers"},
                              {label("job-index"), "1"},
                              {label("jobset-uid"), uid},
                              {label("restart-attempt"), all},
                              {label("job-restart-attempt"), own}})
            ->attempt;
    };
    CHECK(attempt("u", "0", "1") != attempt("u", "1", "0"));
    CHECK(attempt("u", "0", "0") != attempt("v", "0", "0"));
}

}  // namespace
}  // namespace echelon::kube

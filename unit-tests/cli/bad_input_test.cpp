// What does `echelon plan` do with bad input? One sentence with file, document and field and exit status 2, or an
// Invalid gang with a reason. Never a plan.

#include "cli/offline.hpp"
#include "cli/plan.hpp"
#include "kube/manifests.hpp"
#include "unit-tests/cli/files.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace echelon;

namespace {

// A node and a gang of one pod, with `of` replaced by `part`.
std::string cluster_with(std::string_view of, std::string_view part) {
    std::string text = R"(apiVersion: v1
kind: Node
metadata: {name: n0, labels: {rack: r0}}
status: {allocatable: {cpu: "4", pods: "10"}, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: scheduling.k8s.io/v1alpha3
kind: PodGroup
metadata: {name: g}
spec: {schedulingPolicy: {gang: {minCount: 1}}, schedulingConstraints: {topology: [{key: rack}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  schedulerName: default-scheduler
  schedulingGroup: {podGroupName: g}
  containers: [{name: c, resources: {requests: {cpu: 1}}}]
)";
    const auto at = text.find(of);
    REQUIRE(at != std::string::npos);
    return text.replace(at, of.size(), part);
}

int exit_status(const std::string& file) {
    return cli::plan({.files = {file}, .config_file = {}, .format = cli::ReportFormat::json});
}

}  // namespace

TEST_CASE("the input that the bad ones are made of is good") {
    const cli::testing::Folder folder;
    CHECK(exit_status(folder.write("f.yaml", cluster_with("cpu: 1", "cpu: 1"))) == 0);
}

TEST_CASE("malformed input is named by file, document and field, and nothing is planned (Z10)") {
    struct Row {
        std::string text;
        std::string fault;  // Behind the name of the file.
    };
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int at = 1; at < 12; ++at) {
        bomb +=
            fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", at, at - 1);
    }
    const std::string cpu = "document 3: Pod default/p: spec.containers[0].resources.requests.cpu: ";
    const std::vector<Row> rows = {
        {cluster_with("cpu: 1", "cpu: -1e30"), cpu + "\"-1e+30\" is negative"},
        {cluster_with("cpu: 1", "cpu: -1"), cpu + "\"-1\" is negative"},
        {cluster_with("cpu: 1", "cpu: \"0x10\""), cpu + "\"0x10\" isn't a quantity"},
        {cluster_with("cpu: 1", "cpu: []"), cpu + "a list isn't a quantity"},
        {cluster_with("name: p}", "name: " + std::string(254, 'p') + "}"), "document 3: Pod default/ppp"},
        {cluster_with("metadata: {name: p}", "metadata: {}"), "document 3: Pod: metadata.name is missing"},
        {cluster_with("kind: Pod\n", ""), "document 3: kind is missing"},
        {cluster_with("name: g}", "name: g}\nspec: {}"), "document 2: line 10: spec: the key is given twice"},
        {cluster_with("minCount: 1", "minCount: one"),
         "document 2: PodGroup default/g: spec.schedulingPolicy.gang.minCount: "},
        {cluster_with("minCount: 1", "minCount: 0"),
         "document 2: PodGroup default/g: spec.schedulingPolicy.gang.minCount: must be between 1 and"},
        {cluster_with("minCount: 1", "minCount: -5"),
         "document 2: PodGroup default/g: spec.schedulingPolicy.gang.minCount: must be between 1 and"},
        {cluster_with("minCount: 1", "minCount: 3000000000"),
         "document 2: PodGroup default/g: spec.schedulingPolicy.gang.minCount: must be between 1 and"},
        {cluster_with("minCount: 1}}", "minCount: 20001}}, priorityClassName: 7"),
         "document 2: PodGroup default/g: spec."},
        {cluster_with("name: n0", "name: n0") + "---\n" + cluster_with("cpu: 1", "cpu: 1"),
         "document 4: Node n0 is also in "},
        {cluster_with("cpu: 1}", "cpu: 1"), "document 3: line "},
        {cluster_with("cpu: 1", "cpu: " + std::string(80, '[') + std::string(80, ']')), "document 3: line 17: "},
        {cluster_with("cpu: 1", "cpu: \"\xff\xfe\""), cpu},
        {bomb, "document 1: line 6: a5"},
        {R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "\ud800"}})", "document 1: isn't valid JSON"},
        {R"({"apiVersion": "v1", "kind": "Pod", "metadata": )", "document 1: isn't valid JSON"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.fault);
        const cli::testing::Folder folder;
        const auto file = folder.write("f.yaml", row.text);
        CHECK(exit_status(file) == 2);
        const auto read = kube::read_manifests({file});
        REQUIRE_FALSE(read);
        CHECK(read.error().sentence.substr(0, file.size() + 2 + row.fault.size()) ==
              fmt::format("{}, {}", file, row.fault));
    }
}

TEST_CASE("a Node with a field that can't be read is malformed, too (Z10)") {
    struct Row {
        std::string of;
        std::string part;
        std::string fault;  // Behind the name of the file.
    };
    const std::string node = "document 1: Node n0: ";
    const Row rows[] = {
        {"cpu: \"4\"", "cpu: four", node + "status.allocatable.cpu: \"four\" isn't a quantity"},
        {"status: \"True\"", "status: True", node + "status.conditions[0].status: must be a string, not true"},
        {"status: {alloc", "spec: {taints: oops}\nstatus: {alloc", node + "spec.taints: must be a list, not \"oops\""},
        {"rack: r0", "rack: 7", node + "metadata.labels.rack: must be a string, not 7"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.fault);
        const cli::testing::Folder folder;
        const auto file = folder.write("f.yaml", cluster_with(row.of, row.part));
        CHECK(exit_status(file) == 2);
        CHECK_FALSE(cli::read_offline("plan", {file}, {}, kube::FaultyNodes::refused));
        kube::Reading reading;
        CHECK(kube::read_manifests({file}, kube::Keep::events, reading));  // The watch keeps such a node (BD7).
        reading.faulty_nodes = kube::FaultyNodes::refused;
        const auto read = kube::read_manifests({file}, kube::Keep::events, reading);
        REQUIRE_FALSE(read);
        CHECK(read.error().sentence == fmt::format("{}, {}", file, row.fault));
    }
}

TEST_CASE("a gang whose meaning is wrong, or an annotation that can't be read, is Invalid and says why (Z10)") {
    struct Row {
        std::string text;
        std::string sentence;  // A part of it.
    };
    const std::string composite = "apiVersion: scheduling.k8s.io/v1alpha3\nkind: CompositePodGroup\n";
    const std::vector<Row> rows = {
        {cluster_with("key: rack", "key: " + std::string(64, 'k')), "kkk"},
        {cluster_with("key: rack", "key: nowhere"), "nowhere"},
        {cluster_with("minCount: 1", "minCount: 20001"),
         "spec.schedulingPolicy.gang.minCount: 20001 is more than the 20000 members that a gang may have "
         "(limits.members)"},
        {composite +
             "metadata: {name: a}\nspec: {parentCompositePodGroupName: b, schedulingPolicy: {gang: {minGroupCount: "
             "1}}}\n---\n" +
             composite +
             "metadata: {name: b}\nspec: {parentCompositePodGroupName: a, schedulingPolicy: {gang: {minGroupCount: "
             "1}}}\n---\n" +
             cluster_with("schedulingPolicy", "parentCompositePodGroupName: a, schedulingPolicy"),
         "cycle"},
        {cluster_with("metadata: {name: p}\nspec:\n  schedulerName: default-scheduler\n  schedulingGroup: "
                      "{podGroupName: g}",
                      "metadata: {name: p, labels: {echelon.sh/gang: a}, annotations: {echelon.sh/gang-minimum: "
                      "many}}\nspec:\n  schedulerName: default-scheduler"),
         "echelon.sh/gang-minimum"},
        {"apiVersion: echelon.sh/v1alpha1\nkind: Gang\nmetadata: {name: a}\nspec: {minimum: 1, startPods: 1}\n---\n" +
             cluster_with("name: g}", "name: z}"),
         "spec.startPods needs expectedPods"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const auto read = kube::read_manifest_text(row.text, "f.yaml");
        REQUIRE(read);
        const auto report = cli::decide(read->events);
        REQUIRE(report);
        REQUIRE_FALSE(report->gangs.empty());
        CHECK(report->gangs[0].reason == model::Reason::invalid);
        CHECK(report->gangs[0].seats.empty());
        CHECK(report->gangs[0].message.find(row.sentence) != std::string::npos);
    }
}

TEST_CASE("a gang beyond a bound is Invalid alone, and the others are planned (BD1)") {
    const cli::testing::Folder folder;
    std::string other = cluster_with("name: p}", "name: q}");
    other = other.substr(other.find("---\n"));
    for (auto at = other.find("ame: g}"); at != std::string::npos; at = other.find("ame: g}"))
        other.replace(at, 7, "ame: h}");
    const auto text = cluster_with("minCount: 1", "minCount: 20001") + other;
    const auto read = kube::read_manifest_text(text, "f.yaml");
    REQUIRE(read);
    const auto report = cli::decide(read->events);
    REQUIRE(report);
    REQUIRE(report->gangs.size() == 2);
    CHECK(std::ranges::count_if(report->gangs,
                                [](const auto& gang) { return gang.reason == model::Reason::invalid; }) == 1);
    CHECK(std::ranges::count_if(report->gangs, [](const auto& gang) { return gang.is_placed(); }) == 1);
    CHECK(exit_status(folder.write("f.yaml", text)) == 3);
}

TEST_CASE("a JobSet with one Job too many is one gang, and it is Invalid (BD1)") {
    const std::string text = R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: j}
spec: {replicatedJobs: [{name: w, replicas: 4095, template: {spec: {parallelism: 1}}}]}
---
apiVersion: v1
kind: Pod
metadata:
  name: p
  labels:
    jobset.sigs.k8s.io/jobset-name: j
    jobset.sigs.k8s.io/replicatedjob-name: w
    jobset.sigs.k8s.io/job-index: "9"
spec: {containers: [{name: c}]}
)";
    const auto read = kube::read_manifest_text(text, "f.yaml");
    REQUIRE(read);
    const auto report = cli::decide(read->events);
    REQUIRE(report);
    REQUIRE(report->gangs.size() == 1);
    CHECK(report->gangs[0].gang == "default/j");
    CHECK(report->gangs[0].reason == model::Reason::invalid);
    CHECK(report->gangs[0].message.find("spec.replicatedJobs[0].replicas: 4097 groups") != std::string::npos);
}

TEST_CASE("a gang by labels with a member that has no annotations is one gang, and it is Invalid") {
    const auto member = [](const std::string& name, const std::string& annotations) {
        return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
               ", labels: {echelon.sh/gang: g}, annotations: {" + annotations + "}}\nspec: {containers: [{name: c}]}\n";
    };
    const auto odd = member("odd", "");
    const auto other = member("other", "echelon.sh/gang-minimum: \"1\"");
    for (const auto& text : {odd + other, other + odd}) {
        const auto read = kube::read_manifest_text(text, "f.yaml");
        REQUIRE(read);
        const auto report = cli::decide(read->events);
        REQUIRE(report);
        REQUIRE(report->gangs.size() == 1);
        CHECK(report->gangs[0].gang == "default/g");
        CHECK(report->gangs[0].reason == model::Reason::invalid);
        CHECK(report->gangs[0].message ==
              "group \"default/g\": a member has none of the annotations that other members have");
    }
}

TEST_CASE("unknown kinds are skipped, and what is known is planned") {
    const cli::testing::Folder folder;
    const auto file =
        folder.write("f.yaml", "apiVersion: x.io/v1\nkind: Anything\n---\n" + cluster_with("rack", "rack"));
    CHECK(exit_status(file) == 0);
    const auto read = kube::read_manifests({file});
    REQUIRE(read);
    CHECK(read->skipped_kinds == std::vector<std::string>{"Anything.x.io"});
}

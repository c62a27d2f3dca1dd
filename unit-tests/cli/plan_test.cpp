#include "cli/plan.hpp"

#include "app/left_out_pods.hpp"
#include "unit-tests/cli/files.hpp"
#include "unit-tests/cli/standard_error.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace echelon;
using cli::decide;
using cli::plan;

namespace {

model::Node node(const std::string& name, std::int64_t gpus) {
    model::Node node;
    node.name = name;
    node.labels = {{"example.com/rack", "r0"}};
    node.allocatable = {{"gpu", gpus}, {"pods", 10}};
    return node;
}

model::Group group(const std::string& name, std::int64_t minimum) {
    model::Group group;
    group.key = {"podgroup", "default/" + name};
    group.minimum = minimum;
    return group;
}

model::Pod member(const std::string& name, const std::string& group, const std::string& scheduler) {
    model::Pod pod;
    pod.uid = pod.name = name;
    pod.ns = "default";
    pod.scheduler_name = scheduler;
    pod.pod_class.requests = {{"gpu", 1}, {"pods", 1}};
    pod.membership = model::Membership{{"podgroup", "default/" + group}, {}, -1, {}};
    return pod;
}

std::vector<model::Event> two_gangs(std::int64_t gpus) {
    std::vector<model::Event> events = {model::NodeSeen{node("n0", gpus)}, model::GroupSeen{group("a", 2)},
                                        model::GroupSeen{group("b", 2)}};
    for (const auto* name : {"a-0", "a-1", "a-2", "b-0", "b-1"}) {
        events.emplace_back(model::PodSeen{member(name, std::string(name).substr(0, 1), "default-scheduler")});
    }
    return events;
}

std::string cluster_text(int gpus) {
    const std::string count = std::to_string(gpus);
    return R"(
apiVersion: v1
kind: Node
metadata: {name: n0}
status: {allocatable: {cpu: "4", pods: "10", gpu: ")" +
           count + R"("}, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: scheduling.k8s.io/v1alpha3
kind: PodGroup
metadata: {name: job}
spec: {schedulingPolicy: {gang: {minCount: 1}}}
---
apiVersion: v1
kind: Pod
metadata: {name: job-0}
spec:
  schedulerName: default-scheduler
  schedulingGroup: {podGroupName: job}
  containers: [{name: main, image: "example.com/main:1", resources: {requests: {gpu: "1"}}}]
)";
}

}  // namespace

TEST_CASE("a placed gang keeps its seats, extras included, for those that follow (Q2)") {
    const auto report = decide(two_gangs(4));
    REQUIRE(report);
    REQUIRE(report->gangs.size() == 2);
    CHECK(report->gangs[0].gang == "default/a");
    CHECK(report->gangs[0].seats.size() == 3);
    CHECK(report->gangs[1].reason == model::Reason::no_room);
    CHECK(!report->gangs[1].message.empty());
    CHECK(report->gangs[1].groups.size() == 1);
    CHECK(decide(two_gangs(5))->is_all_placed());
}

TEST_CASE("a refusal is explained when asked: gangs placed before it and running pods are named") {
    auto events = two_gangs(5);
    auto web = member("web", "none", "default-scheduler");
    web.membership.reset();
    web.node = "n0";
    web.phase = model::PodPhase::running;
    web.priority = 7;
    events.emplace_back(model::PodSeen{web});
    CHECK(!decide(events)->gangs[1].explanation);
    const auto report = decide(events, {}, {}, true);
    REQUIRE(report);
    CHECK(report->gangs[0].is_placed());
    CHECK(!report->gangs[0].explanation);
    REQUIRE(report->gangs[1].explanation);
    const auto& groups = report->gangs[1].explanation->groups;
    REQUIRE(groups.size() == 1);
    REQUIRE(groups[0].domains.size() == 1);
    const auto& blockers = groups[0].domains[0].blockers;
    REQUIRE(blockers.size() == 2);
    CHECK(blockers[0].kind == model::Blocker::Kind::held);
    CHECK(blockers[0].owner == "default/a");
    CHECK(blockers[0].count == 3);
    CHECK(blockers[1].kind == model::Blocker::Kind::running_pods);
    CHECK(blockers[1].priority == 7);
    CHECK(blockers[1].names[0].name == "default/web");
}

TEST_CASE("a placed gang carries its warnings in the message") {
    auto events = two_gangs(5);
    auto wishful = group("a", 2);
    wishful.preferred = {"example.com/nowhere"};
    events.emplace_back(model::GroupSeen{wishful});
    const auto report = decide(events);
    REQUIRE(report);
    CHECK(report->gangs[0].is_placed());
    CHECK(report->gangs[0].message.find("example.com/nowhere") != std::string::npos);
}

TEST_CASE("pods are ours by default-scheduler or a profile of the configuration (Z2)") {
    const std::vector<model::Event> events = {model::NodeSeen{node("n0", 4)}, model::GroupSeen{group("a", 1)},
                                              model::PodSeen{member("a-0", "a", "special")}};
    CHECK(decide(events)->gangs.empty());
    config::Settings settings;
    settings.profiles.push_back({.scheduler_name = "special"});
    CHECK(decide(events, settings)->gangs.size() == 1);
    settings.profiles[0].gang = settings.profiles[0].topology = false;
    CHECK(decide(events, settings)->gangs.empty());
    auto stock = events;
    stock.back() = model::PodSeen{member("a-0", "a", "default-scheduler")};
    CHECK(decide(stock, settings)->gangs.size() == 1);
}

TEST_CASE("schedulers that no profile names are listed with the number of pods left out, on standard error (Z2)") {
    const cli::testing::Folder folder;
    auto text = cluster_text(1);
    const std::string ours = "schedulerName: default-scheduler";
    REQUIRE(text.find(ours) != std::string::npos);
    text.replace(text.find(ours), ours.size(), "schedulerName: echelon-scheduler");
    cli::PlanArguments arguments;
    arguments.format = cli::ReportFormat::json;
    arguments.files = {folder.write("gang.yaml", text)};
    const auto left_out = cli::testing::standard_error_of([&] { CHECK(plan(arguments) == 0); });
    CHECK(left_out ==
          "echelon plan: left out 1 pod of gangs: no profile has schedulerName \"echelon-scheduler\"; name it in "
          "--config\n");
    arguments.config_file = folder.write("config.yaml",
                                         "apiVersion: config.echelon.sh/v1alpha1\nkind: EchelonConfiguration\n"
                                         "profiles: [{schedulerName: echelon-scheduler}]\n");
    CHECK(cli::testing::standard_error_of([&] { CHECK(plan(arguments) == 0); }).empty());
    auto bound = member("a-0", "a", "strangers");
    bound.node = "n0";
    auto ended = member("a-1", "a", "strangers");
    ended.phase = model::PodPhase::succeeded;
    auto plain = member("web", "a", "strangers");
    plain.membership.reset();
    CHECK(app::left_out_pods({model::PodSeen{bound}, model::PodSeen{ended}, model::PodSeen{plain}}, {}).empty());
}

TEST_CASE("messages are cut at the length that the configuration states (BD1)") {
    config::Settings settings;
    const auto whole = decide(two_gangs(3), settings);
    REQUIRE(whole->gangs[1].message.size() > 40);
    settings.limits.message_bytes = 40;
    CHECK(decide(two_gangs(3), settings)->gangs[1].message.size() <= 40);
}

TEST_CASE("levels come from the configuration when no topology object is there") {
    auto events = two_gangs(5);
    auto strict = group("a", 2);
    strict.required = {"example.com/block"};
    events.emplace_back(model::GroupSeen{strict});
    CHECK(decide(events)->gangs[0].reason == model::Reason::invalid);
    config::Settings settings;
    settings.topologies.push_back({"fabric", {"example.com/block", "example.com/rack"}, {}});
    CHECK(decide(events, settings)->gangs[0].reason == model::Reason::impossible);
    strict.required = {"example.com/rack"};
    events.back() = model::GroupSeen{strict};
    const auto report = decide(events, settings);
    CHECK(report->gangs[0].is_placed());
    CHECK(report->gangs[0].seats[0].path == "-/r0/n0");
}

TEST_CASE("seats are listed by group, then in natural name order") {
    std::vector<model::Event> events = {model::NodeSeen{node("n0", 10)}, model::GroupSeen{group("a", 1)}};
    for (const auto* name : {"a-10", "a-9", "a-1"}) {
        auto pod = member(name, "a", "default-scheduler");
        pod.membership->rank = name == std::string("a-10") ? 0 : 5;
        events.emplace_back(model::PodSeen{pod});
    }
    const auto report = decide(events);
    REQUIRE(report->gangs[0].seats.size() == 3);
    CHECK(report->gangs[0].seats[0].pod == "default/a-1");
    CHECK(report->gangs[0].seats[1].pod == "default/a-9");
    CHECK(report->gangs[0].seats[2].pod == "default/a-10");
}

TEST_CASE("the search has the steps that the configuration gives it") {
    const cli::testing::Folder folder;
    std::string text;
    for (const auto* name : {"n0", "n1", "n2"}) {
        text += fmt::format(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: {}}}\nstatus: {{allocatable: {{pods: \"9\", gpu: "
            "\"4\"}}, conditions: [{{type: Ready, status: \"True\"}}]}}\n---\n",
            name);
    }
    text +=
        "apiVersion: scheduling.k8s.io/v1alpha3\nkind: PodGroup\nmetadata: {name: job}\n"
        "spec: {schedulingPolicy: {gang: {minCount: 6}}}\n";
    for (int number = 0; number < 6; ++number) {
        text += fmt::format(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: job-{}}}\nspec:\n"
            "  schedulingGroup: {{podGroupName: job}}\n"
            "  containers: [{{name: main, resources: {{requests: {{gpu: \"{}\"}}}}}}]\n",
            number, number < 3 ? 3 : 1);
    }
    const std::string config =
        "apiVersion: config.echelon.sh/v1alpha1\nkind: EchelonConfiguration\n"
        "profiles: [{schedulerName: default-scheduler}]\nsolver: {steps: ";
    cli::PlanArguments arguments;
    arguments.format = cli::ReportFormat::json;
    arguments.files = {folder.write("gang.yaml", text)};
    arguments.config_file = folder.write("many.yaml", config + "1000}\n");
    CHECK(plan(arguments) == 0);
    arguments.config_file = folder.write("one.yaml", config + "1}\n");
    CHECK(plan(arguments) == 3);
}

TEST_CASE("objects are read up to the limits that the configuration states (BD1)") {
    const cli::testing::Folder folder;
    std::string resources;
    for (int number = 0; number < 9; ++number)
        resources += fmt::format(", example.com/r{}: \"1\"", number);
    const auto text = fmt::format(
        "apiVersion: v1\nkind: Node\nmetadata: {{name: n0}}\n"
        "status: {{allocatable: {{pods: \"9\"{0}}}, conditions: [{{type: Ready, status: \"True\"}}]}}\n---\n"
        "apiVersion: scheduling.k8s.io/v1alpha3\nkind: PodGroup\nmetadata: {{name: job}}\n"
        "spec: {{schedulingPolicy: {{gang: {{minCount: 1}}}}}}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: job-0}}\nspec:\n  schedulingGroup: {{podGroupName: job}}\n"
        "  containers: [{{name: main, resources: {{requests: {{cpu: \"0\"{0}}}}}}}]\n",
        resources);
    const std::string config =
        "apiVersion: config.echelon.sh/v1alpha1\nkind: EchelonConfiguration\n"
        "profiles: [{schedulerName: default-scheduler}]\nlimits: {resources: ";
    cli::PlanArguments arguments;
    arguments.format = cli::ReportFormat::json;
    arguments.files = {folder.write("gang.yaml", text)};
    arguments.config_file = folder.write("many.yaml", config + "64}\n");
    CHECK(plan(arguments) == 0);
    arguments.config_file = folder.write("few.yaml", config + "8}\n");
    CHECK(plan(arguments) == 3);
}

TEST_CASE("the exit status tells placed, refused and bad input apart") {
    const cli::testing::Folder folder;
    cli::PlanArguments arguments;
    arguments.format = cli::ReportFormat::json;
    arguments.files = {folder.write("room.yaml", cluster_text(1))};
    CHECK(plan(arguments) == 0);
    arguments.files = {folder.write("full.yaml", cluster_text(0))};
    CHECK(plan(arguments) == 3);
    arguments.format = cli::ReportFormat::tree;
    CHECK(plan(arguments) == 3);
    arguments.files = {folder.write("broken.yaml", "apiVersion: v1\nkind: [")};
    CHECK(plan(arguments) == 2);
    arguments.files = {folder.path("absent.yaml")};
    CHECK(plan(arguments) == 2);
    arguments.files = {folder.write("empty.yaml", "")};
    CHECK(plan(arguments) == 0);
    arguments.config_file = folder.write("config.yaml", "kind: Nothing");
    CHECK(plan(arguments) == 2);
}

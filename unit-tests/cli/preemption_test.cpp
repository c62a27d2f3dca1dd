// `echelon plan --preempt`, and refusals that mention preemption: manifests in, report out.

#include "unit-tests/cli/preempting.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace echelon;
using cli::Preemption;
using namespace echelon::cli::testing;

namespace {

// Two hosts of two slots, on which a gang of lower priority runs whole.
std::string full_cluster() {
    std::string text = node("n0", "r0", 2) + node("n1", "r1", 2) + group("low", 2, 1);
    for (int number = 0; number < 2; ++number)
        text += pod(fmt::format("low-{}", number), "low", 1, fmt::format("n{}", number));
    return text;
}

nlohmann::json json_of(const report::PlanReport& report, std::size_t gang) {
    return nlohmann::json::parse(report::to_json(report))["gangs"][gang];
}

TEST_CASE("with --preempt a gang without room is Clearing, with the seats and the victims that go first (U5, V1)") {
    const auto report = planned(full_cluster() + wanting("high", 4, 9));
    REQUIRE(report.gangs.size() == 2);
    const auto row = json_of(report, 0);
    CHECK(row["gang"] == "default/high");
    CHECK(row["outcome"] == "Clearing");
    CHECK(row["reason"] == "");
    CHECK(row["proved"] == true);
    CHECK(row["seats"].size() == 4);
    CHECK(row["groups"][0]["placed"] == 4);
    CHECK(row["victims"] == nlohmann::json::parse(R"([
        {"pod": "default/low-0", "node": "n0", "gang": "default/low", "priority": 1},
        {"pod": "default/low-1", "node": "n1", "gang": "default/low", "priority": 1}])"));
    CHECK_FALSE(report.is_all_placed());
}

TEST_CASE("without --preempt nothing is evicted, and the report has no victims") {
    const auto report = planned(full_cluster() + wanting("high", 4, 9), Preemption::off);
    const auto row = json_of(report, 0);
    CHECK(row["outcome"] == "Refused");
    CHECK(row["reason"] == "NoRoom");
    CHECK_FALSE(row.contains("victims"));
    CHECK(json_of(report, 1)["outcome"] == "Placed");
}

TEST_CASE("gangs that follow see the victims gone and the seats taken") {
    const auto report = planned(full_cluster() + wanting("high", 4, 9) + wanting("later", 1, 5));
    REQUIRE(report.gangs.size() == 3);
    CHECK(report.gangs[0].is_clearing());
    CHECK(report.gangs[1].reason == model::Reason::no_room);  // The seats are taken.
    CHECK(report.gangs[2].reason == model::Reason::incomplete);
    const auto two = planned(full_cluster() + wanting("high", 3, 9) + wanting("next", 1, 5));
    CHECK(two.gangs[0].victims.size() == 2);
    CHECK(two.gangs[1].is_placed());  // In the room that the whole unit left.
}

TEST_CASE("a victim goes once: a second gang finds others or none") {
    const auto text = full_cluster() + wanting("first", 4, 9) + wanting("second", 1, 8);
    const auto report = planned(text);
    CHECK(report.gangs[0].victims.size() == 2);
    CHECK(report.gangs[1].reason == model::Reason::no_room);
}

TEST_CASE("a gang of preemption policy Never, its own or its class's, evicts no pod (U5)") {
    std::string meek_pods;  // As admission writes it into them.
    for (int number = 0; number < 4; ++number)
        meek_pods += pod(fmt::format("high-{}", number), "high", 9, "", "{}", "preemptionPolicy: Never, ");
    const auto never = planned(full_cluster() + group("high", 4, 9, "preemptionPolicy: Never") + meek_pods);
    CHECK(never.gangs[0].reason == model::Reason::no_room);
    const std::string meek = R"(
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: meek}
value: 9
preemptionPolicy: Never
---)";
    const auto by_class = planned(meek + full_cluster() + wanting("high", 4, 9, "priorityClassName: meek"));
    CHECK(by_class.gangs[0].reason == model::Reason::no_room);
}

TEST_CASE("no pod is evicted for a gang that is Impossible or Incomplete, nor for extras (U5)") {
    CHECK(planned(full_cluster() + wanting("high", 5, 9)).gangs[0].reason == model::Reason::impossible);
    CHECK(planned(full_cluster() + group("high", 3, 9) + pod("high-0", "high", 9)).gangs[0].reason ==
          model::Reason::incomplete);
    const auto extras = planned(full_cluster() + group("high", 2, 9) + pod("high-0", "high", 9) +
                                pod("high-1", "high", 9) + pod("high-2", "high", 9));
    CHECK(extras.gangs[0].is_placed());
    CHECK(extras.gangs[0].seats.size() == 2);
}

TEST_CASE("pods of other schedulers stay (U4)") {
    std::string text = node("n0", "r0", 1) + wanting("high", 1, 9) + pod("web", "", 0, "n0");
    CHECK(victims_of(planned(text).gangs[0]) == "default/web");
    CHECK(json_of(planned(text), 0)["victims"][0]["gang"] == "");
    text.replace(text.rfind("default-scheduler"), 17, "other");
    CHECK(planned(text).gangs[0].reason == model::Reason::no_room);
}

TEST_CASE("pods of other schedulers go, each by itself, where the configuration says so (U4)") {
    config::Settings settings;
    settings.preemption.foreign = true;
    std::string text = node("n0", "r0", 2) + wanting("high", 1, 9) + group("low", 2, 1) + pod("low-0", "low", 1, "n0") +
                       pod("low-1", "low", 1, "n0");
    for (auto at = text.find("low-0"); (at = text.find("default-scheduler", at)) != std::string::npos;)
        text.replace(at, 17, "other");
    CHECK(planned(text).gangs[0].reason == model::Reason::no_room);
    CHECK(victims_of(planned(text, Preemption::on, false, settings).gangs[0]) == "default/low-0");
}

TEST_CASE("room for a pod that kube-scheduler preempted others for is kept from gangs that are not above it (PR5)") {
    std::string preemptor = pod("web", "", 5);
    preemptor.insert(preemptor.find("status: {") + 9, "nominatedNodeName: n0, ");
    for (const int priority : {5, 6}) {
        CAPTURE(priority);
        const auto report = planned(node("n0", "r0", 2) + preemptor + wanting("train", 2, priority), Preemption::off);
        CHECK(report.gangs[0].is_placed() == (priority == 6));
    }
    CHECK(planned(node("n0", "r0", 3) + preemptor + wanting("train", 2, 5)).gangs[0].is_placed());
}

TEST_CASE("sets of more than maxVictims pods are not considered, and the refusal says so (V3)") {
    config::Settings settings;
    settings.preemption.most_victims = 1;
    const std::string text =
        node("n0", "r0", 2) + pod("a", "", 1, "n0") + pod("b", "", 1, "n0") + wanting("high", 2, 9);
    const auto refused = planned(text, Preemption::on, false, settings);
    CHECK(refused.gangs[0].reason == model::Reason::no_room);
    CHECK(refused.gangs[0].message.find("no set of at most 1 pods (maxVictims)") != std::string::npos);
    const std::string rack = "schedulingConstraints: {topology: [{key: example.com/rack}]}";
    const std::string other = node("n1", "r1", 2) + pod("c", "", 5, "n1");  // One slot is free there.
    CHECK(victims_of(planned(other + text + "\n", Preemption::on, false, settings).gangs[0]) == "default/a");
    const auto in_rack = node("n0", "r0", 2) + pod("a", "", 1, "n0") + pod("b", "", 1, "n0") + other;
    CHECK(victims_of(planned(in_rack + wanting("high", 2, 9, rack)).gangs[0]) == "default/a default/b");
    CHECK(victims_of(planned(in_rack + wanting("high", 2, 9, rack), Preemption::on, false, settings).gangs[0]) ==
          "default/c");
}

TEST_CASE("budgets of the input hold, and what one preemption takes of them is gone for the next (U3)") {
    const auto budget = [](int allowed) {
        return fmt::format(R"(
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: web, generation: 2}}
spec: {{selector: {{matchLabels: {{app: web}}}}}}
status: {{disruptionsAllowed: {}, observedGeneration: 2}}
---)",
                           allowed);
    };
    const std::string text = node("n0", "r0", 2) + pod("web-0", "", 0, "n0", "{app: web}") +
                             pod("web-1", "", 0, "n0", "{app: web}") + wanting("one", 1, 9) + wanting("two", 1, 8);
    const auto none = planned(text + budget(0));
    CHECK(none.gangs[0].reason == model::Reason::no_room);
    CHECK(none.gangs[0].message.ends_with("; disruption budgets keep 2 pods"));
    const auto one = planned(text + budget(1));
    CHECK(one.gangs[0].victims.size() == 1);
    CHECK(one.gangs[1].reason == model::Reason::no_room);
    const auto both = planned(text + budget(2));
    CHECK(both.gangs[1].victims.size() == 1);
}

TEST_CASE("a budget keeps a pod that is not ready only where Kubernetes would (U3)") {
    struct Row {
        std::string policy;  // Of the budget, and its status.
        std::string status;
        std::string pod;  // Its status.
        std::size_t victims;
    };
    const std::string down = R"(phase: Running, conditions: [{type: Ready, status: "False"}])";
    const std::string starts = R"(phase: Pending, conditions: [{type: Ready, status: "False"}])";
    const std::string few = "disruptionsAllowed: 0, observedGeneration: 2, currentHealthy: 1, desiredHealthy: 2";
    const std::string enough = "disruptionsAllowed: 0, observedGeneration: 2, currentHealthy: 2, desiredHealthy: 2";
    const std::string stale = "disruptionsAllowed: 0, observedGeneration: 1, currentHealthy: 2, desiredHealthy: 2";
    const std::string always = ", unhealthyPodEvictionPolicy: AlwaysAllow";
    const std::vector<Row> rows = {
        {"", few, down, 0},
        {"", enough, down, 1},
        {"", stale, down, 0},
        {"", "disruptionsAllowed: 0, observedGeneration: 2, currentHealthy: 0, desiredHealthy: 0", down, 0},
        {", unhealthyPodEvictionPolicy: IfHealthyBudget", enough, down, 1},
        {always, few, down, 1},
        {always, few, R"(phase: Running, conditions: [{type: Ready, status: "True"}])", 0},
        {always, few, "phase: Running", 0},
        {"", few, starts, 1},
        {"", few, "phase: Pending", 0},
    };
    for (const Row& row : rows) {
        CAPTURE(row.policy + row.status + row.pod);
        const std::string text = fmt::format(R"(
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: web, generation: 2}}
spec: {{selector: {{matchLabels: {{app: web}}}}{}}}
status: {{{}}}
---
apiVersion: v1
kind: Pod
metadata: {{name: web-0, labels: {{app: web}}}}
spec: {{nodeName: n0, schedulerName: default-scheduler, containers: [{{name: main, resources: {{requests: {{gpu: "1"}}}}}}]}}
status: {{{}}}
---)",
                                             row.policy, row.status, row.pod);
        CHECK(planned(node("n0", "r0", 1) + text + wanting("high", 1, 9)).gangs[0].victims.size() == row.victims);
    }
}

TEST_CASE("the tree of a refusal says without what it would fit, whether preemption is on or not") {
    const auto report = planned(full_cluster() + wanting("high", 4, 9), Preemption::off, true);
    REQUIRE(report.gangs[0].explanation);
    CHECK(report.gangs[0].explanation->without == std::vector<std::string>{"default/low"});
    CHECK(report::to_tree(report, false).find("would fit without: default/low\n") != std::string::npos);
}

TEST_CASE("the tree of a clearing gang has its seats and the pods that go") {
    const auto tree = report::to_tree(planned(full_cluster() + wanting("high", 4, 9)), false);
    CHECK(tree.find("default/high  clearing, 4 seats once 2 pods are evicted") != std::string::npos);
    CHECK(tree.find("evicts of default/low: low-") != std::string::npos);
    CHECK(tree.find("2 gangs: 0 placed, 1 clearing, 1 refused") != std::string::npos);
    const auto one =
        report::to_tree(planned(node("n0", "r0", 1) + pod("web", "", 1, "n0") + wanting("high", 1, 9)), false);
    CHECK(one.find("clearing, 1 seat once 1 pod is evicted") != std::string::npos);
}

TEST_CASE("a gang that has begun and is below its minimum is decided first, whatever its priority (Q11, Q14)") {
    const std::string text = node("n0", "r0", 2) + group("begun", 2, 1) + pod("begun-0", "begun", 1, "n0") +
                             pod("begun-1", "begun", 1) + wanting("high", 1, 9);
    const auto report = planned(text, Preemption::off);
    CHECK(report.gangs[0].gang == "default/begun");
    CHECK(report.gangs[0].is_placed());
    CHECK(report.gangs[1].reason == model::Reason::no_room);
    // It keeps its seats: a later gang does not evict it.
    CHECK(planned(text).gangs[1].reason == model::Reason::no_room);
}

TEST_CASE("extras of a gang that has begun take their turn, after minimums of higher priority (Q11, Q14)") {
    const std::string begun = group("begun", 2, 1) + pod("begun-0", "begun", 1, "n0") + pod("begun-1", "begun", 1) +
                              pod("begun-2", "begun", 1);
    const auto three = planned(node("n0", "r0", 3) + begun + wanting("high", 1, 9), Preemption::off);
    CHECK(three.gangs[0].gang == "default/begun");
    CHECK(three.gangs[0].seats.size() == 1);
    CHECK(three.gangs[0].message == "1 pod beyond the minimum waits for room");
    CHECK(three.gangs[1].is_placed());
    const auto four = planned(node("n0", "r0", 4) + begun + wanting("high", 1, 9), Preemption::off);
    CHECK(four.gangs[0].seats.size() == 2);
    CHECK(four.gangs[0].groups[0].placed == 3);
    CHECK(four.gangs[1].is_placed());
    // Extras of priority 5 pass a minimum of priority 4.
    const auto before = planned(node("n0", "r0", 3) + group("begun", 2, 5) + pod("begun-0", "begun", 5, "n0") +
                                    pod("begun-1", "begun", 5) + pod("begun-2", "begun", 5) + wanting("behind", 1, 4),
                                Preemption::off);
    CHECK(before.gangs[0].seats.size() == 2);
}

TEST_CASE("a begun gang of groups gets the groups that it needs first, the others in their turn (Q11, Q14)") {
    const std::string text = node("n0", "r0", 4) + composite("begun", 2, 1) + group("a", 1, 1, in_group("begun")) +
                             group("b", 1, 1, in_group("begun")) + pod("a-0", "a", 1, "n0") + pod("a-1", "a", 1) +
                             pod("b-0", "b", 1) + pod("b-1", "b", 1) + wanting("high", 2, 9);
    const auto report = planned(text, Preemption::off);
    CHECK(report.gangs[0].seats.size() == 1);
    CHECK(report.gangs[1].is_placed());
}

TEST_CASE("a gang that runs above its minimum waits its turn with its extras (Q11, Q14)") {
    const std::string text = node("n0", "r0", 2) + group("elastic", 1, 1) + pod("elastic-0", "elastic", 1, "n0") +
                             pod("elastic-1", "elastic", 1) + wanting("high", 1, 9);
    const auto report = planned(text, Preemption::off);
    CHECK(report.gangs[0].gang == "default/high");
    CHECK(report.gangs[0].is_placed());
    CHECK(report.gangs[1].seats.empty());
}

TEST_CASE("an extra of higher priority goes before a minimum of lower priority (Q12, Q14)") {
    const std::string text = node("n0", "r0", 2) + group("elastic", 1, 5) + pod("elastic-0", "elastic", 5, "n0") +
                             pod("elastic-1", "elastic", 5) + wanting("behind", 1, 4);
    const auto report = planned(text, Preemption::off);
    CHECK(report.gangs[0].seats.size() == 1);
    CHECK(report.gangs[1].reason == model::Reason::no_room);
}

TEST_CASE("of twelve pods the six youngest go for a gang of two groups, whatever else is full (U5, V3)") {
    std::string text;
    for (int number = 0; number < 12; ++number) {
        text += node(fmt::format("n{:02}", number), "r0", 1);
        auto low = pod(fmt::format("low-{:02}", number), "", 1, fmt::format("n{:02}", number));
        text += low.replace(low.find("phase:"), 6,
                            fmt::format("startTime: \"2026-01-01T00:00:{:02}Z\", phase:", number * 7 % 60));
    }
    for (int number = 0; number < 200; ++number) {
        text += node(fmt::format("full{}", number), "r1", 1);
        text += pod(fmt::format("top-{}", number), "", 9, fmt::format("full{}", number));
    }
    text += composite("high", 2, 9);
    for (const auto* const name : {"one", "two"}) {
        text += group(name, 3, 9, in_group("high"));
        for (int number = 0; number < 3; ++number)
            text += pod(fmt::format("{}-{}", name, number), name, 9);
    }
    CHECK(victims_of(planned(text).gangs[0]) ==
          "default/low-03 default/low-04 default/low-05 default/low-06 default/low-07 default/low-08");
}

TEST_CASE("mode all of the victim's gang takes its extras with it (U1, U2)") {
    const auto text = [](const std::string& more) {
        return node("n0", "r0", 2) + group("low", 1, 1, more) + pod("low-0", "low", 1, "n0") +
               pod("low-1", "low", 1, "n0") + wanting("high", 1, 9);
    };
    CHECK(victims_of(planned(text("")).gangs[0]) == "default/low-0");
    CHECK(victims_of(planned(text("disruptionMode: {all: {}}")).gangs[0]) == "default/low-0 default/low-1");
}

TEST_CASE("a running gang whose disruption modes contradict each other is one unit, wherever they do (U2, S28)") {
    const std::string text = node("n0", "r0", 3) + composite("low", 1, 1) +
                             composite("middle", 1, 1, "disruptionMode: {all: {}}, parentCompositePodGroupName: low") +
                             group("a", 1, 1, in_group("middle") + ", disruptionMode: {single: {}}") +
                             group("b", 1, 1, in_group("low")) + pod("a-0", "a", 1, "n0") + pod("a-1", "a", 1, "n0") +
                             pod("b-0", "b", 1, "n0") + wanting("high", 1, 9);
    CHECK(victims_of(planned(text).gangs[0]) == "default/a-0 default/a-1 default/b-0");
}

TEST_CASE("a refusal says why nobody is evicted: members run already, or the policy is Never (U5)") {
    std::string text = node("n0", "r0", 2) + group("half", 2, 9) + pod("half-0", "half", 9, "n0") +
                       pod("half-1", "half", 9) + pod("plain", "", 0, "n0");
    const auto half = planned(text, Preemption::on, true);
    REQUIRE(half.gangs.size() == 1);
    CHECK(half.gangs[0].message.ends_with("; no pod is evicted for it: some of its pods run already"));
    CHECK(half.gangs[0].explanation->without.empty());
    text = node("n0", "r0", 1) + pod("plain", "", 0, "n0") + group("shy", 1, 9, "preemptionPolicy: Never") +
           pod("shy-0", "shy", 9, "", "{}", "preemptionPolicy: Never, ");
    CHECK(planned(text).gangs[0].message.ends_with("; no pod is evicted for it: its preemption policy is Never"));
}

}  // namespace

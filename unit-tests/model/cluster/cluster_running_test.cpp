// What the cluster says of pods that run, as far as their eviction goes.

#include "model/gang/gang_facts.hpp"
#include "unit-tests/model/support/facts.hpp"

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace facts;

Cluster cluster(const std::vector<Event>& events) {
    Cluster world(Profiles{{"default-scheduler", {}}});
    for (const auto& event : events)
        static_cast<void>(world.apply(event));
    return world;
}

Pod running(const std::string& name, const std::string& node) {
    auto one = pod(name);
    one.node = node;
    one.phase = PodPhase::running;
    return one;
}

std::vector<Event> one_gang(const Group& group) {
    std::vector<Event> events = {NodeSeen{node("n0")}, GroupSeen{group}};
    for (const auto* name : {"a-0", "a-1"})
        events.emplace_back(PodSeen{bound(member(name, "a"), "n0")});
    return events;
}

RunningGangs seen(const std::vector<Event>& events, Cluster::Foreign foreign = Cluster::Foreign::left_out) {
    const auto world = cluster(events);
    return world.running(world.snapshot(), foreign);
}

TEST_CASE("bound pods are listed by gang, with minimum, mode and priority of the root; unbound pods are not (U1, U3)") {
    auto group = leaf("a", 2);
    group.priority = 7;
    group.disruption = DisruptionMode::all;
    auto events = one_gang(group);
    events.emplace_back(PodSeen{member("a-2", "a")});  // Waits.
    auto leaving = bound(member("a-3", "a"), "n0");
    leaving.deleting = true;
    events.emplace_back(PodSeen{leaving});
    const auto all = seen(events);
    REQUIRE(all.gangs.size() == 1);
    const auto& gang = all.gangs.front();
    CHECK(gang.name == "default/a");
    CHECK(gang.priority == 7);
    CHECK(gang.groups.front().goes_whole);
    CHECK(gang.groups.front().minimum == 2);
    REQUIRE(gang.pods.size() == 2);
    CHECK(gang.pods[0].pod == "default/a-0");
}

TEST_CASE("a gang that is asked for alone is as among all others (U1)") {
    auto group = leaf("a", 2);
    group.priority = 7;
    group.protected_from = 7;
    const auto world = cluster(one_gang(group));
    const auto alone = world.running_gang(group.key);
    CHECK(alone.name == "default/a");
    CHECK(alone.priority == 7);
    CHECK(alone.groups.front().minimum == 2);
    REQUIRE(alone.pods.size() == 2);
    CHECK(alone.pods[1].is_protected);
    CHECK(world.running_gang({"podgroup", "default/none"}).pods.empty());
}

TEST_CASE("a pod of no gang is a separate gang; one of another scheduler only if asked for (U4)") {
    auto foreign = running("f", "n0");
    foreign.scheduler_name = "other";
    const std::vector<Event> events = {NodeSeen{node("n0")}, PodSeen{running("p", "n0")}, PodSeen{foreign}};
    REQUIRE(seen(events).gangs.size() == 1);
    CHECK(seen(events).gangs[0].name == "");
    CHECK(seen(events).gangs[0].groups[0].minimum == 0);
    CHECK(seen(events, Cluster::Foreign::included).gangs.size() == 2);
}

TEST_CASE("a gang whose members disagree, or whose group is gone, goes as a whole (U1, U2)") {
    auto events = one_gang(leaf("a", 1));
    CHECK_FALSE(seen(events).gangs.front().groups.front().goes_whole);
    events.emplace_back(GroupGone{leaf_key("a"), ""});
    CHECK(seen(events).gangs.front().groups.front().goes_whole);
    auto other = leaf("a", 2);
    events = {NodeSeen{node("n0")}};
    for (const std::int64_t minimum : {2, 1, 2}) {
        auto pod = bound(member(fmt::format("a-{}", events.size()), "a"), "n0");
        other.minimum = minimum;
        pod.membership->declared = {other};
        events.emplace_back(PodSeen{pod});
    }
    CHECK(seen(events).gangs.front().groups.front().goes_whole);
}

TEST_CASE("a gang whose declaration is wrong goes as a whole (U2)") {
    auto group = leaf("a", 1);
    group.problem = "spec.disruptionMode is \"half\"";
    CHECK(seen(one_gang(group)).gangs.front().groups.front().goes_whole);
}

TEST_CASE("pods are protected by their own mark, or by their group at its priority (U2, U3)") {
    auto group = leaf("a", 1);
    group.priority = 100;
    group.protected_from = 100;
    CHECK(seen(one_gang(group)).gangs.front().pods[1].is_protected);
    group.priority = 99;
    CHECK_FALSE(seen(one_gang(group)).gangs.front().pods[1].is_protected);
    auto kept = running("p", "n0");
    kept.is_protected = true;
    CHECK(seen({NodeSeen{node("n0")}, PodSeen{kept}}).gangs.front().pods[0].is_protected);
}

TEST_CASE("every budget of the namespace that selects a pod is named; without a selector it selects none (U3)") {
    using Selector = std::vector<Requirement>;
    DisruptionBudget web{.ns = "default", .name = "web", .selector = Selector{}, .allowed = 1};
    web.selector->push_back({.key = "app", .op = Requirement::Operator::in, .values = {"web"}});
    const DisruptionBudget all{.ns = "default", .name = "all", .selector = Selector{}, .allowed = 2};
    const DisruptionBudget none{.ns = "default", .name = "none", .selector = {}, .allowed = 3};
    const DisruptionBudget elsewhere{.ns = "other", .name = "all", .selector = Selector{}, .allowed = 4};
    std::vector<Event> events = {NodeSeen{node("n0")}, PodSeen{running("p", "n0"), {{"app", "web"}}},
                                 PodSeen{running("q", "n0")}};
    for (const auto& budget : {web, all, none, elsewhere})
        events.emplace_back(BudgetSeen{budget});
    const auto found = seen(events);
    const auto names = [&](std::size_t gang) {
        std::string text;
        for (const auto budget : found.gangs[gang].pods[0].budgets)
            text += found.budgets[budget].name + " ";
        return text;
    };
    CHECK(names(0) == "default/all default/web ");
    CHECK(names(1) == "default/all ");
    events.emplace_back(BudgetGone{"default", "all"});
    CHECK(seen(events).gangs[1].pods[0].budgets.empty());
}

TEST_CASE("a pod that very many budgets may select is protected, and others cost it nothing (U3, BD2)") {
    const auto budget = [](int number, Requirement requirement) {
        return BudgetSeen{{.ns = "default",
                           .name = "b" + std::to_string(number),
                           .selector = std::vector<Requirement>{std::move(requirement)},
                           .allowed = 1}};
    };
    std::vector<Event> events = {NodeSeen{node("n0")}, PodSeen{running("p", "n0"), {{"app", "web"}}}};
    for (int number = 0; number < 1'000; ++number) {
        events.emplace_back(budget(
            number, {.key = "app", .op = Requirement::Operator::in, .values = {"other-" + std::to_string(number)}}));
    }
    CHECK_FALSE(seen(events).gangs[0].pods[0].is_protected);
    CHECK(seen(events).gangs[0].pods[0].selecting_budgets == 0);
    for (int number = 0; number < 1'000; ++number)
        events.emplace_back(budget(number, {.key = "app", .op = Requirement::Operator::not_in, .values = {"x"}}));
    CHECK(seen(events).gangs[0].pods[0].is_protected);
}

TEST_CASE("a budget selects a pod that is not ready without counting it where it may go anyway (U3)") {
    struct Row {
        bool is_unready;
        PodPhase phase;
        bool ignores_unready;
        std::size_t counted;
    };
    const Row rows[] = {
        {false, PodPhase::running, true, 1},
        {true, PodPhase::running, true, 0},
        {true, PodPhase::running, false, 1},
        {true, PodPhase::pending, false, 0},
    };
    for (const Row& row : rows) {
        auto pod = running("p", "n0");
        pod.is_unready = row.is_unready;
        pod.phase = row.phase;
        const DisruptionBudget all{.ns = "default",
                                   .name = "all",
                                   .selector = std::vector<Requirement>{},
                                   .ignores_unready = row.ignores_unready};
        const auto found = seen({NodeSeen{node("n0")}, PodSeen{pod}, BudgetSeen{all}}).gangs[0].pods[0];
        CHECK(found.budgets.size() == row.counted);
        CHECK(found.selecting_budgets == 1);
    }
}

TEST_CASE("a pod that has not started is as old as its object") {
    auto pod = running("p", "n0");
    pod.created = 5;
    CHECK(seen({NodeSeen{node("n0")}, PodSeen{pod}}).gangs[0].pods[0].started == 5);
    pod.started = 9;
    CHECK(seen({NodeSeen{node("n0")}, PodSeen{pod}}).gangs[0].pods[0].started == 9);
}

TEST_CASE("the preemption policy is the group's, else that of the root's class, else that of the pods (U5)") {
    auto group = leaf("a", 2);
    group.priority_class = "meek";
    auto events = one_gang(group);
    const auto may = [](const std::vector<Event>& of) { return preempts(cluster(of).facts(leaf_key("a"))); };
    CHECK(may(events));
    events.emplace_back(PriorityClassSeen{"meek", 3, false});
    CHECK_FALSE(may(events));
    group.preempts = true;
    events.emplace_back(GroupSeen{group});
    CHECK(may(events));
    auto plain = one_gang(leaf("a", 2));
    auto meek = bound(member("a-1", "a"), "n0");
    meek.preempts = false;
    plain.emplace_back(PodSeen{meek});
    CHECK_FALSE(may(plain));
}

TEST_CASE("mode single below mode all is Invalid; a group that states nothing agrees (S28)") {
    const auto problem = [](DisruptionMode above, DisruptionMode below) {
        auto root = composite("root", 1);
        root.disruption = above;
        auto child = leaf("a", 1, "root");
        child.disruption = below;
        root.policy.workload = "work";
        const auto world = cluster({GroupSeen{root}, GroupSeen{child}, PodSeen{member("a-0", "a")}});
        const auto gang = world.gang(composite_key("root"), world.snapshot());
        return gang.problem ? gang.problem->sentence : std::string();
    };
    using Mode = DisruptionMode;
    CHECK(problem(Mode::all, Mode::single) ==
          "group \"default/a\": its disruption mode is single, but that of \"default/root\" above it is all");
    CHECK(problem(Mode::all, Mode::all) == "");
    CHECK(problem(Mode::all, Mode::unstated) == "");
    CHECK(problem(Mode::single, Mode::all) == "");
}

}  // namespace
}  // namespace echelon::model

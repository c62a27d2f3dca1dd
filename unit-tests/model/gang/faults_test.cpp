#include "model/gang/faults.hpp"

#include "unit-tests/model/support/facts.hpp"

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

bool is_invalid(const Cluster& cluster, const GroupKey& root, const std::string& part) {
    const auto problem = problem_of(cluster, root);
    CAPTURE(problem);
    CHECK(problem.starts_with("Invalid: "));
    CHECK(contains(problem, part));
    return problem.starts_with("Invalid: ") && contains(problem, part);
}

// A gang of gangs that is sound: root over a (2) and b (1), with all their pods.
std::vector<Event> sound_tree() {
    return {GroupSeen{composite("root", 2)}, GroupSeen{leaf("a", 2, "root")}, GroupSeen{leaf("b", 1, "root")},
            PodSeen{member("a-0", "a")},     PodSeen{member("a-1", "a")},     PodSeen{member("b-0", "b")}};
}

std::vector<Event> with(std::vector<Event> events, Event more) {
    events.push_back(std::move(more));
    return events;
}

}  // namespace

TEST_CASE("a sound tree has no fault") {
    CHECK(problem_of(cluster(sound_tree()), composite_key("root")) == "");
}

TEST_CASE("a cycle is Invalid, and has the name of the first group in it (S6)") {
    const auto world = cluster({GroupSeen{composite("x", 1, "y")}, GroupSeen{composite("y", 1, "x")},
                                GroupSeen{leaf("a", 1, "x")}, PodSeen{member("a-0", "a")}});
    CHECK(world.roots() == std::vector{composite_key("x")});
    CHECK(is_invalid(world, composite_key("x"), "cycle"));
    CHECK(gang_of(world, composite_key("x")).groups.size() == 3);
}

TEST_CASE("four levels with the leaf are allowed, a composite at the fourth isn't (S3)") {
    const std::vector<Event> three = {GroupSeen{composite("l1", 1)}, GroupSeen{composite("l2", 1, "l1")},
                                      GroupSeen{composite("l3", 1, "l2")}};
    auto four = with(three, GroupSeen{leaf("l4", 1, "l3")});
    four.emplace_back(PodSeen{member("p", "l4")});
    CHECK(problem_of(cluster(four), composite_key("l1")) == "");
    CHECK(is_invalid(cluster(with(three, GroupSeen{composite("l4", 1, "l3")})), composite_key("l1"), "level 4"));
    auto five = with(three, GroupSeen{composite("l4", 1, "l3")});
    CHECK(is_invalid(cluster(with(five, GroupSeen{leaf("l5", 1, "l4")})), composite_key("l1"), "level"));
}

TEST_CASE("a group with a parent names a workload, and one tree has one (S5)") {
    auto lonely = leaf("b", 1, "root");
    lonely.policy.workload.clear();
    CHECK(is_invalid(cluster(with(sound_tree(), GroupSeen{lonely})), composite_key("root"), "workload"));
    lonely.policy.workload = "another";
    CHECK(is_invalid(cluster(with(sound_tree(), GroupSeen{lonely})), composite_key("root"), "\"another\""));
}

TEST_CASE("groups of one tree that state different priorities are Invalid, numbers are compared, not names (S26)") {
    auto root = composite("root", 2);
    root.priority_class = "high";
    auto b = leaf("b", 1, "root");
    b.priority = 9;
    auto events = with(with(sound_tree(), GroupSeen{root}), GroupSeen{b});
    for (const auto* name : {"a-0", "a-1", "b-0"}) {
        auto pod = member(name, std::string(name).substr(0, 1));
        pod.priority = 9;
        events.emplace_back(PodSeen{pod});
    }
    CHECK(problem_of(cluster(with(events, PriorityClassSeen{"high", 9})), composite_key("root")) == "");
    CHECK(is_invalid(cluster(with(events, PriorityClassSeen{"high", 8})), composite_key("root"), "priority"));
    SUBCASE("a class that isn't known states nothing") {
        CHECK(problem_of(cluster(events), composite_key("root")) == "");
    }
}

TEST_CASE("a pod that differs from its tree in priority or preemption policy is a fault (S26)") {
    auto odd = member("b-0", "b");
    odd.priority = 5;
    CHECK(is_invalid(cluster(with(sound_tree(), PodSeen{odd})), composite_key("root"), "priority 5"));
    odd.priority = 0;
    odd.preempts = false;
    CHECK(is_invalid(cluster(with(sound_tree(), PodSeen{odd})), composite_key("root"), "preemption policy"));
    odd.phase = PodPhase::failed;
    odd.preempts = true;
    CHECK(!contains(problem_of(cluster(with(sound_tree(), PodSeen{odd})), composite_key("root")), "Invalid"));
}

TEST_CASE("preemption policies of groups must agree (S26)") {
    auto root = composite("root", 2);
    root.preempts = true;
    auto b = leaf("b", 1, "root");
    b.preempts = false;
    CHECK(is_invalid(cluster(with(with(sound_tree(), GroupSeen{root}), GroupSeen{b})), composite_key("root"), "Never"));
}

TEST_CASE("a pod that names a group of groups is a fault; where labels choose the groups, they are named (A8)") {
    auto stray = member("x-0", "root");
    stray.membership->leaf = composite_key("root");
    CHECK(is_invalid(cluster(with(sound_tree(), PodSeen{stray})), composite_key("root"),
                     "pod \"default/x-0\" names it, but it is a group of groups"));
    auto root = composite("root", 2);
    auto& sort = root.sorts.emplace_back();
    sort.leaf = leaf("c", 1, "root");
    sort.labels = {{.key = "echelon.sh/replica", .op = Requirement::Operator::in, .values = {"0"}},
                   {.key = "echelon.sh/group", .op = Requirement::Operator::in, .values = {"c"}}};
    const auto events = with(with(sound_tree(), GroupSeen{root}), PodSeen{stray, {{"echelon.sh/group", "d"}}});
    CHECK(is_invalid(cluster(events), composite_key("root"),
                     "pod \"default/x-0\" names it, but its labels select none of the groups below it: "
                     "\"echelon.sh/group\", \"echelon.sh/replica\""));
}

TEST_CASE("two schedulers in one upstream tree are a fault, elsewhere foreign pods don't exist (M6, Z3)") {
    auto foreign = member("a-9", "a");
    foreign.scheduler_name = "other";
    CHECK(is_invalid(cluster(with(sound_tree(), PodSeen{foreign})), composite_key("root"), "\"other\""));

    auto stranger = labelled("s-1", "gang", 1);
    stranger.scheduler_name = "other";
    const auto world = cluster({PodSeen{labelled("s-0", "gang", 1)}, PodSeen{stranger}});
    CHECK(problem_of(world, {"label-gang", "default/gang"}) == "");
    CHECK(gang_of(world, {"label-gang", "default/gang"}).members.size() == 1);
}

TEST_CASE("a leaf without a minimum is Invalid, and so is what its dialect found wrong") {
    auto group = leaf("a", 1);
    group.minimum.reset();
    CHECK(is_invalid(cluster({GroupSeen{group}, PodSeen{member("a-0", "a")}}), leaf_key("a"), "minimum"));
    group = leaf("a", 1);
    group.problem = "spec.schedulingPolicy states both basic and gang";
    CHECK(is_invalid(cluster({GroupSeen{group}}), leaf_key("a"), "group \"default/a\": spec.schedulingPolicy"));
}

TEST_CASE("members that disagree about their gang make it Invalid, and two of them are named") {
    const GroupKey root{"label-gang", "default/gang"};
    CHECK(is_invalid(cluster({PodSeen{labelled("p-0", "gang", 2)}, PodSeen{labelled("p-1", "gang", 3)}}), root,
                     "\"default/p-0\" and \"default/p-1\" disagree about its minimum"));
    CHECK(
        is_invalid(cluster({PodSeen{labelled("p-0", "gang", 1, "g", 1)}, PodSeen{labelled("p-1", "gang", 1, "g", 2)}}),
                   root, "minimum"));
    auto odd = labelled("p-1", "gang", 2);
    odd.membership->declared.edit().front().required = {rack};
    CHECK(is_invalid(cluster({PodSeen{labelled("p-0", "gang", 2)}, PodSeen{odd}}), root, "required level"));
    odd = labelled("p-1", "gang", 2);
    odd.membership->declared.edit().front().preferred = {rack};
    CHECK(is_invalid(cluster({PodSeen{labelled("p-0", "gang", 2)}, PodSeen{odd}}), root, "preferred level"));
}

TEST_CASE("a group named by only some members is Invalid (Z20)") {
    const GroupKey root{"label-gang", "default/gang"};
    const std::vector<Event> events = {PodSeen{labelled("p-0", "gang", 1)},
                                       PodSeen{labelled("p-1", "gang", 1, "g", 1)}};
    CHECK(is_invalid(cluster(events), root, "all members name one, or none does"));
    CHECK(is_invalid(cluster({events[1], events[0]}), root, "all members name one, or none does"));
}

TEST_CASE("a dead member doesn't disagree any more") {
    auto dead = labelled("p-1", "gang", 3);
    dead.phase = PodPhase::failed;
    const auto world = cluster({PodSeen{labelled("p-0", "gang", 1)}, PodSeen{dead}});
    CHECK(problem_of(world, {"label-gang", "default/gang"}) == "");
}

TEST_CASE("Invalid comes before Incomplete") {
    auto orphan = leaf("a", 9, "missing");
    orphan.minimum.reset();
    CHECK(is_invalid(cluster({GroupSeen{orphan}}), leaf_key("a"), "minimum"));
}

TEST_CASE("pods that have failed or are being deleted make no gang Invalid (M6)") {
    const auto end = [](Pod pod, bool fails) {
        pod.phase = fails ? PodPhase::failed : PodPhase::running;
        pod.deleting = !fails;
        return PodSeen{pod};
    };
    for (const bool fails : {true, false}) {
        CAPTURE(fails);
        auto foreign = member("a-9", "a");
        foreign.scheduler_name = "another";
        CHECK(problem_of(cluster(with(sound_tree(), end(foreign, fails))), composite_key("root")) == "");
        auto stray = member("root-0", "root");
        stray.membership->leaf = composite_key("root");
        CHECK(problem_of(cluster(with(sound_tree(), end(stray, fails))), composite_key("root")) == "");
        CHECK(is_invalid(cluster(with(sound_tree(), PodSeen{stray})), composite_key("root"), "names it"));
    }
}

#include "model/gang/gang_facts.hpp"

#include "unit-tests/model/support/facts.hpp"

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

Pod with(Pod pod, PodPhase phase) {
    pod.phase = phase;
    return pod;
}

Pod gated(Pod pod, std::vector<std::string> gates) {
    pod.gates = std::move(gates);
    return pod;
}

Pod deleting(Pod pod) {
    pod.deleting = true;
    return pod;
}

// One member, on a cluster with node n0.
Gang gang_with(const Pod& pod) {
    return gang_of(cluster({NodeSeen{node("n0")}, GroupSeen{leaf("job", 1)}, PodSeen{pod}}), leaf_key("job"));
}

}  // namespace

TEST_CASE("each row of the table of members (docs/rules.md) is judged as it says") {
    const auto job = member("job-0", "job");
    struct Row {
        const char* name;
        Pod pod;
        bool node_exists;
        MemberStatus status;
    };
    const std::vector<Row> rows = {
        {"bound", bound(job, "n0"), true, MemberStatus::bound},
        {"bound, being deleted", deleting(bound(job, "n0")), true, MemberStatus::lost},
        {"bound to a node that is gone", bound(job, "n0"), false, MemberStatus::lost},
        {"waiting", job, false, MemberStatus::waiting},
        {"waiting, being deleted", deleting(job), false, MemberStatus::lost},
        {"gated by somebody else", gated(job, {"example.com/wait"}), false, MemberStatus::gated},
        {"gated by both", gated(job, {"example.com/wait", gang_gate}), false, MemberStatus::gated},
        {"gated by our own gate", gated(job, {gang_gate}), false, MemberStatus::waiting},
        {"succeeded", with(bound(job, "n0"), PodPhase::succeeded), true, MemberStatus::finished},
        {"succeeded, its node is gone", with(bound(job, "n0"), PodPhase::succeeded), false, MemberStatus::finished},
        {"failed", with(bound(job, "n0"), PodPhase::failed), true, MemberStatus::lost},
    };
    for (const auto& row : rows) {
        CAPTURE(row.name);
        CHECK(member_status_of(row.pod, row.node_exists) == row.status);
        const PodFacts facts{.pod = &row.pod, .status = row.status};
        CHECK(facts.exists() == (row.status != MemberStatus::lost && row.status != MemberStatus::gated));
    }
}

TEST_CASE("a bound member counts and pins, a finished one only counts, a lost one does neither") {
    const auto job = member("job-0", "job");
    auto gang = gang_with(bound(job, "n0"));
    REQUIRE(gang.members.size() == 1);
    CHECK(gang.members[0].state == Member::State::bound);
    CHECK(gang.members[0].node == 0);
    gang = gang_with(with(bound(job, "n0"), PodPhase::succeeded));
    REQUIRE(gang.members.size() == 1);
    CHECK(gang.members[0].state == Member::State::finished);
    CHECK(gang.members[0].node == nowhere);
    gang = gang_with(bound(job, "n9"));
    CHECK(gang.members.empty());
    CHECK(gang.problem->reason == Reason::incomplete);
}

TEST_CASE("members stand by rank, then in natural name order") {
    std::vector<Event> events = {GroupSeen{leaf("job", 1)}};
    for (const auto* name : {"job-10", "job-9", "job-1"}) {
        events.emplace_back(PodSeen{member(name, "job")});
    }
    auto ranked = member("zz", "job");
    ranked.membership->rank = 3;
    events.emplace_back(PodSeen{ranked});
    ranked = member("yy", "job");
    ranked.membership->rank = 12;
    events.emplace_back(PodSeen{ranked});
    std::vector<std::string> order;
    for (const auto& member : gang_of(cluster(events), leaf_key("job")).members) {
        order.push_back(member.pod);
    }
    CHECK(order ==
          std::vector<std::string>{"default/zz", "default/yy", "default/job-1", "default/job-9", "default/job-10"});
}

TEST_CASE("members of an earlier attempt don't count (M1)") {
    auto old_one = member("job-0", "job");
    old_one.membership->attempt = "0";
    old_one.created = 10;
    auto new_one = member("job-1", "job");
    new_one.membership->attempt = "1";
    new_one.created = 20;
    const auto gang =
        gang_of(cluster({GroupSeen{leaf("job", 2)}, PodSeen{new_one}, PodSeen{old_one}}), leaf_key("job"));
    REQUIRE(gang.members.size() == 1);
    CHECK(gang.members[0].pod == "default/job-1");
    CHECK(gang.problem->reason == Reason::incomplete);
}

TEST_CASE("members count whatever bound them, and a minimum met once is forgotten when they are gone (M4)") {
    auto by_hand = bound(member("job-0", "job"), "n0");
    auto by_us = bound(member("job-1", "job"), "n0");
    by_us.plan = std::string("3");
    auto known = cluster({NodeSeen{node("n0")}, GroupSeen{leaf("job", 3)}, PodSeen{by_hand}, PodSeen{by_us},
                          PodSeen{member("job-2", "job")}});
    CHECK(problem_of(known, leaf_key("job")) == "");
    static_cast<void>(known.apply(PodSeen{bound(member("job-2", "job"), "n0")}));
    CHECK(problem_of(known, leaf_key("job")) == "");
    static_cast<void>(known.apply(PodGone{by_hand.uid}));
    CHECK(problem_of(known, leaf_key("job")) == "Incomplete: group \"default/job\" has 2 of at least 3 pods");
}

TEST_CASE("a finished member of the same attempt still counts (M2)") {
    auto done = member("job-0", "job");
    done.phase = PodPhase::succeeded;
    const auto world = cluster({GroupSeen{leaf("job", 2)}, PodSeen{done}, PodSeen{member("job-1", "job")}});
    CHECK(problem_of(world, leaf_key("job")) == "");
}

TEST_CASE("the priority of a gang is its root's number, else its class, else the highest among its pods (S27)") {
    const GroupKey key{"label-gang", "default/gang"};
    auto first = labelled("p-0", "gang", 1);
    first.priority = 3;
    auto second = labelled("p-1", "gang", 1);
    second.priority = 7;
    const auto priority = [&](std::int64_t wanted) {
        const auto world = cluster({PodSeen{first}, PodSeen{second}, PriorityClassSeen{"high", 100}});
        return gang_of(world, key).priority == wanted;
    };
    CHECK(priority(7));
    for (auto* pod : {&first, &second}) {
        pod->membership->declared.edit().back().priority_class = "unknown";
    }
    CHECK(priority(7));
    for (auto* pod : {&first, &second}) {
        pod->membership->declared.edit().back().priority_class = "high";
    }
    CHECK(priority(100));
    for (auto* pod : {&first, &second}) {
        pod->membership->declared.edit().back().priority = -2;
    }
    CHECK(priority(-2));
}

TEST_CASE("a group that takes the default priority has that of the default class, else its own number (Z19)") {
    auto root = leaf("job", 1);
    root.priority = 50;
    root.policy.takes_default_priority = true;
    auto world = cluster({GroupSeen{root}, PodSeen{member("job-0", "job")}, PriorityClassSeen{"high", 100}});
    const auto priority = [&] { return gang_of(world, leaf_key("job")).priority; };
    CHECK(priority() == 50);
    CHECK(world.apply(PriorityClassSeen{.name = "usual", .value = 7, .is_default = true}).gangs.size() == 1);
    CHECK(priority() == 7);
    CHECK(world.apply(PriorityClassSeen{.name = "other", .value = -3, .is_default = true}).gangs.size() == 1);
    CHECK(priority() == -3);
    CHECK(world.apply(PriorityClassSeen{.name = "other", .value = -3}).gangs.size() == 1);
    CHECK(priority() == 7);
    CHECK(world.apply(PriorityClassGone{"other"}).gangs.empty());
    CHECK(world.apply(PriorityClassGone{"usual"}).gangs.size() == 1);
    CHECK(priority() == 50);
}

TEST_CASE("the minimum of basic is 1, and what a composite doesn't state is all its children") {
    auto root = composite("root", 0);
    root.minimum.reset();
    auto a = leaf("a", 1, "root");
    a.basic = true;
    a.minimum.reset();
    const auto gang =
        gang_of(cluster({GroupSeen{root}, GroupSeen{a}, GroupSeen{leaf("b", 5, "root")}}), composite_key("root"));
    REQUIRE(gang.groups.size() == 3);
    CHECK(gang.groups[0].minimum == 2);
    CHECK(gang.groups[1].minimum == 1);
    CHECK(gang.groups[1].basic);
    CHECK(gang.groups[2].minimum == 5);
}

TEST_CASE("members of several controllers have attempts of their own (M1)") {
    struct Row {
        const char* attempt;
        std::int64_t created;
        bool counts;
    };
    const std::vector<Row> rows = {{"prefill/0=a", 10, true}, {"decode/0=b", 20, true}, {"decode/1=c", 30, true},
                                   {"set=u/0", 15, false},    {"set=u/1", 25, true},    {"", 5, true}};
    std::vector<Event> events = {GroupSeen{leaf("job", 2)}};
    std::vector<std::string> expected;
    for (std::size_t at = 0; at < rows.size(); ++at) {
        auto pod = member("job-" + std::to_string(at), "job");
        pod.membership->attempt = rows[at].attempt;
        pod.created = rows[at].created;
        events.emplace_back(PodSeen{pod});
        if (rows[at].counts)
            expected.push_back(pod.full_name());
    }
    std::vector<std::string> found;
    for (const auto& each : gang_of(cluster(events), leaf_key("job")).members)
        found.push_back(each.pod);
    CHECK(found == expected);
}

TEST_CASE("pods that have succeeded don't dispute what those of the next run declare (M1)") {
    const GroupKey root{"label-gang", "default/nightly"};
    auto before = labelled("before", "nightly", 2);
    before.phase = PodPhase::succeeded;
    before.ended = 10;
    before.job = std::string("run-1");
    std::vector<Event> events = {PodSeen{before}};
    CHECK(problem_of(cluster(events), root) == "Incomplete: group \"default/nightly\" has 1 of at least 2 pods");
    auto edited = labelled("edited", "nightly", 1);
    edited.phase = PodPhase::succeeded;
    CHECK(problem_of(cluster({PodSeen{before}, PodSeen{edited}}), root) == "");
    for (const char* name : {"a", "b", "c"}) {
        auto next = labelled(name, "nightly", 3);
        next.created = 20;
        next.job = std::string("run-2");
        events.emplace_back(PodSeen{next});
    }
    CHECK(problem_of(cluster(events), root) == "");
    CHECK(gang_of(cluster(events), root).groups.front().minimum == 3);
}

TEST_CASE("a gang by labels whose pods have all succeeded is still there, also if they add to it (M1, M2)") {
    const GroupKey root{"label-gang", "default/done"};
    std::vector<Event> events;
    for (const char* name : {"a", "b"}) {
        auto done = labelled(name, "done", 2);
        Group more;
        more.key = root;
        more.only_supplements = true;
        more.required = {rack};
        done.membership->declared.edit().push_back(more);
        done.phase = PodPhase::succeeded;
        events.emplace_back(NodeSeen{node(name, {{rack, "r"}})});
        events.emplace_back(PodSeen{done});
    }
    const auto gang = gang_of(cluster(events), root);
    CHECK(gang.groups.front().exists);
    CHECK(gang.groups.front().minimum == 2);
    CHECK(problem_of(cluster(events), root) == "");
}

TEST_CASE("succeeded pods of an earlier run don't count for the next one (M1)") {
    struct Row {
        const char* name;
        std::string job = "run-1";
        std::int64_t ended = 100;
        std::string waiting_job = "run-2";
        bool is_alike = true;
        bool counts = false;
    };
    for (const Row& row :
         {Row{.name = "an earlier run"}, Row{.name = "the same Job", .waiting_job = "run-1", .counts = true},
          Row{.name = "of no Job", .job = "", .counts = true}, Row{.name = "end unknown", .ended = 0, .counts = true},
          Row{.name = "beside a living pod", .ended = 300, .counts = true},
          Row{.name = "a driver of another kind", .is_alike = false, .counts = true}}) {
        CAPTURE(row.name);
        auto done = member("job-0", "job");
        done.phase = PodPhase::succeeded;
        done.job = row.job;
        done.ended = row.ended;
        done.created = 50;
        if (!row.is_alike)
            done.pod_class.requests.set("cpu", 7);
        auto waiting = member("job-1", "job");
        waiting.job = row.waiting_job;
        waiting.created = 200;
        const auto world = cluster({GroupSeen{leaf("job", 2)}, PodSeen{done}, PodSeen{waiting}});
        const std::string lacks =
            "Incomplete: group \"default/job\" has 1 of at least 2 pods, 1 more of an earlier run";
        CHECK(problem_of(world, leaf_key("job")) == (row.counts ? std::string() : lacks));
    }
}

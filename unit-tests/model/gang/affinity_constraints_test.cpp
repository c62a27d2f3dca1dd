// Which members must be apart, together, or off some nodes: from terms of pods to the affinity constraints of a gang
// (D14).

#include "model/facts/string_pool.hpp"
#include "unit-tests/model/support/two_racks.hpp"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace facts;
using Kind = PodTerm::Kind;

PodTerm term(Kind kind, std::string key, std::string label, std::vector<std::string> values,
             std::vector<std::string> namespaces = {"default"}) {
    std::ranges::sort(values);
    PodTerm term;
    term.kind = kind;
    term.key = std::move(key);
    term.labels = {{std::move(label), Requirement::Operator::in, std::move(values)}};
    term.namespaces = std::move(namespaces);
    return term;
}

PodSeen with(Pod pod, std::vector<PodTerm> terms, Labels labels) {
    std::ranges::sort(terms);
    pod.terms = std::move(terms);
    return {std::move(pod), std::move(labels)};
}

Pod outsider(const std::string& name, const std::string& node) {
    auto outsider = bound(pod(name), node);
    outsider.scheduler_name = "other";
    return outsider;
}

// Names of the nodes that a member is barred from.
std::vector<std::string> barred(const Cluster& cluster, const Gang& gang, std::size_t member) {
    const auto snapshot = cluster.snapshot();
    std::vector<std::string> names;
    for (NodeId node = 0; node < snapshot.node_count(); ++node) {
        if (gang.affinity.is_barred(gang.members[member].affinity_class, node))
            names.push_back(snapshot.node_names[node]);
    }
    return names;
}

TEST_CASE("without terms nothing is kept, and every member is of the first affinity class (D14)") {
    auto events = two_racks(2);
    events.emplace_back(PodSeen{member("web-0", "web"), {{"app", "web"}}});
    const auto known = cluster(events);
    const auto gang = gang_of(known, leaf_key("web"));
    CHECK_FALSE(known.depends_on_other_pods());
    CHECK(gang.affinity.empty());
    CHECK(gang.members[0].affinity_class == 0);
}

TEST_CASE("members that select each other by a label keep apart on hosts (D14)") {
    auto events = two_racks(2);
    const auto apart = term(Kind::apart, host, "app", {"web"});
    events.emplace_back(with(member("web-0", "web"), {apart}, {{"app", "web"}}));
    events.emplace_back(with(member("web-1", "web"), {apart}, {{"app", "web"}, {"index", "1"}}));
    const auto gang = gang_of(cluster(events), leaf_key("web"));
    REQUIRE(gang.affinity.apart.size() == 1);
    CHECK(gang.members[0].affinity_class == gang.members[1].affinity_class);
    CHECK(gang.affinity.apart[0] == Separation{0, 1, 1});
    CHECK(gang.affinity.topology_keys[0].is_single);
    CHECK(gang.affinity.topology_keys[0].count == 4);
}

TEST_CASE("anti-affinity holds against pods that run, both ways (D14)") {
    const auto apart = term(Kind::apart, rack, "app", {"web", "db"});
    SUBCASE("the member's own term") {
        auto events = two_racks(2);
        events.emplace_back(with(member("web-0", "web"), {apart}, {{"app", "web"}}));
        events.emplace_back(with(outsider("db", "a0"), {}, {{"app", "db"}}));
        const auto known = cluster(events);
        CHECK(barred(known, gang_of(known, leaf_key("web")), 0) == std::vector<std::string>{"a0", "a1"});
    }
    SUBCASE("the term of a pod that runs") {
        auto events = two_racks(2);
        events.emplace_back(with(member("web-0", "web"), {}, {{"app", "web"}}));
        events.emplace_back(with(outsider("db", "b1"), {apart}, {{"app", "other"}}));
        const auto known = cluster(events);
        CHECK(barred(known, gang_of(known, leaf_key("web")), 0) == std::vector<std::string>{"b0", "b1"});
    }
    SUBCASE("not of one in another namespace, or that has finished") {
        auto events = two_racks(2);
        events.emplace_back(with(member("web-0", "web"), {apart}, {{"app", "web"}}));
        auto far = outsider("far", "a0");
        far.ns = "elsewhere";
        events.emplace_back(with(far, {}, {{"app", "db"}}));
        auto done = outsider("done", "b0");
        done.phase = PodPhase::succeeded;
        events.emplace_back(with(done, {}, {{"app", "db"}}));
        const auto known = cluster(events);
        CHECK(barred(known, gang_of(known, leaf_key("web")), 0).empty());
    }
    SUBCASE("every namespace") {
        auto events = two_racks(2);
        auto everywhere = apart;
        everywhere.namespaces.clear();
        everywhere.is_everywhere = true;
        events.emplace_back(with(member("web-0", "web"), {everywhere}, {{"app", "web"}}));
        auto far = outsider("far", "a0");
        far.ns = "elsewhere";
        events.emplace_back(with(far, {}, {{"app", "db"}}));
        const auto known = cluster(events);
        CHECK(barred(known, gang_of(known, leaf_key("web")), 0) == std::vector<std::string>{"a0", "a1"});
    }
}

TEST_CASE("terms of strangers keep a member away only if all of their labels select it (D14)") {
    auto events = two_racks(2);
    events.emplace_back(PodSeen{member("web-0", "web"), {{"app", "web"}, {"index", "0"}}});
    const auto everywhere = [](int number, Requirement label) {
        PodTerm term;
        term.key = host;
        term.labels = {std::move(label)};
        term.is_everywhere = true;
        auto stranger = outsider("stranger-" + std::to_string(number), "a0");
        stranger.ns = "other";
        return with(std::move(stranger), {std::move(term)}, {});
    };
    for (int number = 0; number < 100; ++number)
        events.emplace_back(everywhere(number, {"nobody", Requirement::Operator::in, {std::to_string(number)}}));
    events.emplace_back(everywhere(100, {"app", Requirement::Operator::in, {"nobody"}}));
    events.emplace_back(everywhere(101, {"nobody", Requirement::Operator::exists, {}}));
    auto known = cluster(events);
    CHECK(barred(known, gang_of(known, leaf_key("web")), 0).empty());
    SUBCASE("one of two labels isn't enough") {
        auto term = everywhere(102, {"app", Requirement::Operator::in, {"web"}});
        term.pod.terms[0].labels.push_back({"index", Requirement::Operator::in, {"1"}});
        static_cast<void>(known.apply(term));
        CHECK(barred(known, gang_of(known, leaf_key("web")), 0).empty());
    }
    SUBCASE("the key of a label may be enough") {
        static_cast<void>(known.apply(everywhere(102, {"index", Requirement::Operator::exists, {}})));
        CHECK(barred(known, gang_of(known, leaf_key("web")), 0) == std::vector<std::string>{"a0"});
    }
    SUBCASE("a pod that waits without a promised node keeps nobody away") {
        auto waits = everywhere(102, {"index", Requirement::Operator::exists, {}});
        waits.pod.node.clear();
        static_cast<void>(known.apply(waits));
        CHECK(barred(known, gang_of(known, leaf_key("web")), 0).empty());
        CHECK(gang_of(known, leaf_key("web")).affinity.empty());
    }
}

TEST_CASE("a promised node counts like the node of a pod that runs (D14)") {
    auto events = two_racks(2);
    const auto apart = term(Kind::apart, rack, "app", {"web"});
    events.emplace_back(GroupSeen{leaf("late", 1)});
    events.emplace_back(with(member("web-0", "web"), {apart}, {{"app", "web"}}));
    events.emplace_back(with(member("late-0", "late"), {}, {{"app", "web"}}));
    const auto known = cluster(events);
    const auto snapshot = known.snapshot();
    const std::vector<ExpectedPod> seat_of_web{{"uid-web-0", "a1"}};
    const auto late = known.gang(leaf_key("late"), snapshot, seat_of_web);
    CHECK(barred(known, late, 0) == std::vector<std::string>{"a0", "a1"});
    const std::vector<ExpectedPod> seat_of_late{{"uid-late-0", "b0"}};
    const auto web = known.gang(leaf_key("web"), snapshot, seat_of_late);
    CHECK(barred(known, web, 0) == std::vector<std::string>{"b0", "b1"});
}

TEST_CASE("own bound members aren't outsiders, and nodes without the label are no place (D14)") {
    auto events = two_racks(2);
    events.emplace_back(NodeSeen{node("bare")});
    const auto apart = term(Kind::apart, host, "app", {"web"});
    events.emplace_back(with(bound(member("web-0", "web"), "a0"), {apart}, {{"app", "web"}}));
    events.emplace_back(with(member("web-1", "web"), {apart}, {{"app", "web"}}));
    const auto known = cluster(events);
    const auto gang = gang_of(known, leaf_key("web"));
    CHECK(barred(known, gang, 1).empty());
    CHECK(gang.affinity.apart.size() == 1);
    const auto& of = gang.affinity.topology_keys[0].of;
    CHECK(std::ranges::count(of, nowhere) == 1);
}

TEST_CASE("exclusive jobs: together by their own key, apart from all others (D14)") {
    auto events = two_racks(2);
    events.pop_back();
    events.emplace_back(GroupSeen{composite("set", 2)});
    for (const std::string job : {"one", "two"}) {
        events.emplace_back(GroupSeen{leaf(job, 2, "set")});
        auto others = term(Kind::apart, rack, "job-key", {job});
        others.labels = {{"job-key", Requirement::Operator::not_in, {job}},
                         {"job-key", Requirement::Operator::exists, {}}};
        const auto own = term(Kind::together, rack, "job-key", {job});
        for (const std::string number : {"-0", "-1"}) {
            events.emplace_back(with(member(job + number, job), {others, own}, {{"job-key", job}}));
        }
    }
    const auto gang = gang_of(cluster(events), composite_key("set"));
    CHECK(gang.affinity.affinity_classes == 3);
    CHECK(gang.affinity.apart == std::vector<Separation>{{0, 1, 2}});
    CHECK(gang.affinity.is_exact);
    REQUIRE(gang.groups.size() == 3);
    CHECK(gang.groups[0].required.empty());
    CHECK(gang.groups[1].required.size() == 1);
    CHECK(gang.groups[2].required.size() == 1);
}

TEST_CASE("a member with affinity to running pods goes where they are, and nowhere if there are none (D14)") {
    const auto follows = term(Kind::together, rack, "app", {"db"});
    auto events = two_racks(2);
    events.emplace_back(with(member("web-0", "web"), {follows}, {{"app", "web"}}));
    const auto alone = cluster(events);
    CHECK(barred(alone, gang_of(alone, leaf_key("web")), 0).size() == 4);
    events.emplace_back(with(outsider("db", "b0"), {}, {{"app", "db"}}));
    const auto known = cluster(events);
    const auto gang = gang_of(known, leaf_key("web"));
    CHECK(barred(known, gang, 0) == std::vector<std::string>{"a0", "a1"});
    CHECK(gang.affinity.is_exact);
}

TEST_CASE("affinity to some members only is held by the level around them, and proves nothing (D14)") {
    const auto follows = term(Kind::together, rack, "role", {"leader"});
    auto events = two_racks(2);
    events.emplace_back(with(member("web-0", "web"), {}, {{"role", "leader"}}));
    events.emplace_back(with(member("web-1", "web"), {follows}, {{"role", "worker"}}));
    const auto gang = gang_of(cluster(events), leaf_key("web"));
    CHECK(gang.groups[0].required.size() == 1);
    CHECK_FALSE(gang.affinity.is_exact);
    CHECK(gang.affinity.together.size() == 1);
}

TEST_CASE("a bound member that the others don't follow pins their level, and a refusal proves nothing (D7, D14)") {
    const auto workers = term(Kind::together, rack, "role", {"worker"});
    auto events = two_racks(2);
    for (const std::string name : {"web-1", "web-2"}) {
        events.emplace_back(with(member(name, "web"), {workers}, {{"role", "worker"}}));
    }
    SUBCASE("alone they are exact") {
        CHECK(gang_of(cluster(events), leaf_key("web")).affinity.is_exact);
    }
    SUBCASE("a bound leader") {
        events.emplace_back(with(bound(member("web-0", "web"), "a0"), {}, {{"role", "leader"}}));
        CHECK_FALSE(gang_of(cluster(events), leaf_key("web")).affinity.is_exact);
    }
    SUBCASE("a bound worker on a node without a rack") {
        auto outside = hosted("c0", "c");
        outside.labels.erase(rack);
        events.emplace_back(NodeSeen{outside});
        events.emplace_back(with(bound(member("web-0", "web"), "c0"), {workers}, {{"role", "worker"}}));
        CHECK_FALSE(gang_of(cluster(events), leaf_key("web")).affinity.is_exact);
    }
    SUBCASE("a finished leader pins nothing") {
        auto leader = member("web-0", "web");
        leader.phase = PodPhase::succeeded;
        events.emplace_back(with(leader, {}, {{"role", "leader"}}));
        CHECK(gang_of(cluster(events), leaf_key("web")).affinity.is_exact);
    }
}

TEST_CASE("affinity of a bound leader no longer matters, so a refusal of the workers is proved (Z43)") {
    const auto affinity_class = term(Kind::together, rack, "app", {"leader"});
    auto events = two_racks(2);
    auto leader = member("web-0", "web");
    const auto follower = with(member("web-1", "web"), {}, {{"app", "worker"}});
    SUBCASE("while it waits, its level takes its place") {
        events.emplace_back(with(leader, {affinity_class}, {{"app", "leader"}}));
        events.emplace_back(follower);
        CHECK_FALSE(gang_of(cluster(events), leaf_key("web")).affinity.is_exact);
    }
    SUBCASE("once it is bound, nothing replaces it") {
        events.emplace_back(with(bound(leader, "a0"), {affinity_class}, {{"app", "leader"}}));
        events.emplace_back(follower);
        const auto gang = gang_of(cluster(events), leaf_key("web"));
        CHECK(gang.affinity.is_exact);
        CHECK(gang.affinity.together.empty());
        CHECK(gang.groups.front().required.empty());
    }
}

TEST_CASE("a warning says that terms by labels of namespaces are left to kube-scheduler (D14)") {
    auto events = two_racks(2);
    auto unread = member("web-0", "web");
    unread.has_unread_terms = true;
    events.emplace_back(PodSeen{unread, {}});
    const auto gang = gang_of(cluster(events), leaf_key("web"));
    REQUIRE(gang.warnings.size() == 1);
    CHECK(contains(gang.warnings[0], "left to kube-scheduler"));
}

TEST_CASE("a warning says that required spreading is left to kube-scheduler, while pods wait (A8)") {
    auto events = two_racks(2);
    auto spread = member("web-0", "web");
    spread.has_unread_spread = true;
    events.emplace_back(PodSeen{spread, {}});
    const std::string warning = "required topologySpreadConstraints are left to kube-scheduler's own filters";
    const auto built = gang_of(cluster(events), leaf_key("web"));
    CHECK(built.warnings == std::vector{warning});
    CHECK(built.left_open == warning);
    events.back() = PodSeen{bound(spread, "a0"), {}};
    CHECK(gang_of(cluster(events), leaf_key("web")).warnings.empty());
}

TEST_CASE("after pods came, changed, moved and went, the cluster equals one built from scratch (D14)") {
    const std::vector<PodTerm> terms{term(Kind::apart, rack, "app", {"web"}), term(Kind::apart, host, "app", {"db"}),
                                     term(Kind::together, rack, "app", {"db"})};
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const auto one_of = [&](std::size_t count) { return random() % count; };
        const std::string nodes[] = {"", "a0", "a1", "b0", "b1"};
        const std::string apps[] = {"web", "db", "none"};
        auto past = cluster(two_racks(2));
        std::map<std::string, PodSeen> present;
        for (int step = 0; step < 40; ++step) {
            const auto number = std::to_string(one_of(6));
            const auto name = "p-" + number;
            if (one_of(4) == 0) {
                static_cast<void>(past.apply(PodGone{"uid-" + name}));
                present.erase(name);
                continue;
            }
            auto pod = one_of(2) == 0 ? member(name, "web") : facts::pod(name);
            pod.node = nodes[one_of(5)];
            if (one_of(2) == 0)
                pod.terms = {terms[one_of(3)]};
            const PodSeen seen{pod, {{"app", apps[one_of(3)]}}};
            static_cast<void>(past.apply(seen));
            present.insert_or_assign(name, seen);
        }
        auto events = two_racks(2);
        for (const auto& [name, seen] : present) {
            events.emplace_back(seen);
        }
        const auto fresh = cluster(events);
        CHECK(past.depends_on_other_pods() == fresh.depends_on_other_pods());
        const auto before = gang_of(past, leaf_key("web"));
        const auto after = gang_of(fresh, leaf_key("web"));
        REQUIRE(before.members.size() == after.members.size());
        CHECK(before.affinity.apart == after.affinity.apart);
        CHECK(before.affinity.barred == after.affinity.barred);
        CHECK(before.affinity.is_exact == after.affinity.is_exact);
        for (std::size_t m = 0; m < before.members.size(); ++m) {
            CHECK(before.members[m].affinity_class == after.members[m].affinity_class);
        }
    }
}

TEST_CASE("labels are kept once each, and forgotten with the last pod that carries them") {
    StringPool book;
    const Labels labels{{"app", "web"}, {"web", "app"}};
    const auto one = book.enter(labels);
    const auto other = book.enter({{"app", "db"}});
    CHECK(book.text_count() == 3);
    CHECK(book.says(one, labels));
    CHECK_FALSE(book.says(one, {{"app", "web"}}));
    CHECK_FALSE(book.says(other, {{"app", "web"}}));
    CHECK(book.read(other) == LabelViews{{"app", "db"}});
    book.drop(one);
    CHECK(book.text_count() == 2);
    book.drop(other);
    CHECK(book.text_count() == 0);
    CHECK(book.read(book.enter({{"x", "y"}})) == LabelViews{{"x", "y"}});
}

}  // namespace
}  // namespace echelon::model

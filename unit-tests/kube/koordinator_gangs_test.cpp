// How do gangs of Koordinator behave once their pods exist? The table of the permit stage, gangs that list each other,
// and gangs by annotations.

#include "kube/manifests.hpp"
#include "model/cluster/cluster.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::kube {
namespace {

const std::string prefix = "gang.scheduling.koordinator.sh/";

std::string document(const std::string& version, const std::string& kind, const std::string& metadata,
                     const std::string& rest) {
    return fmt::format("---\napiVersion: {}\nkind: {}\nmetadata: {{namespace: ns, {}}}\n{}\n", version, kind, metadata,
                       rest);
}

// "key: value" lists of annotations, without the prefix.
std::string gang(const std::string& name, int minimum, const std::string& annotations = "") {
    return document("scheduling.sigs.k8s.io/v1alpha1", "PodGroup",
                    fmt::format("name: {}, annotations: {{{}}}", name, annotations),
                    fmt::format("spec: {{minMember: {}}}", minimum));
}

std::string pod(const std::string& name, const std::string& marks, bool runs) {
    return document("v1", "Pod", fmt::format("name: {}, uid: {}, {}", name, name, marks),
                    runs ? "spec: {nodeName: n0}\nstatus: {phase: Running}" : "spec: {}");
}

std::string pods(const std::string& of, int waiting, int running = 0) {
    const std::string marks = "labels: {pod-group.scheduling.sigs.k8s.io: " + of + "}";
    std::string out;
    for (int at = 0; at < waiting + running; ++at)
        out += pod(fmt::format("{}-{}", of, at), marks, at >= waiting);
    return out;
}

// A pod that forms a gang by annotations.
std::string former(const std::string& name, const std::string& annotations) {
    return pod(name, fmt::format("annotations: {{{}name: free, {}}}", prefix, annotations), false);
}

std::string policy(const std::string& word) {
    return prefix + "match-policy: " + word;
}

std::string list(const std::string& names) {
    return fmt::format("{}groups: '[{}]'", prefix, names);
}

void learn(model::Cluster& cluster, const std::string& manifests) {
    const auto read = read_manifest_text(manifests, "the text");
    REQUIRE_MESSAGE(read, (read ? "" : read.error().sentence));
    for (const auto& event : read->events)
        static_cast<void>(cluster.apply(event));
}

const std::string node = "apiVersion: v1\nkind: Node\nmetadata: {name: n0}\nstatus: {allocatable: {pods: 110}}\n";

model::Cluster cluster_of(const std::string& manifests) {
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    learn(cluster, node + manifests);
    return cluster;
}

// "Placeable", or why its only gang waits.
std::string verdict(const model::Cluster& cluster) {
    const auto roots = cluster.roots();
    REQUIRE(roots.size() == 1);
    const auto gang = cluster.gang(roots.front(), cluster.snapshot());
    return gang.problem ? std::string(to_string(gang.problem->reason)) : "Placeable";
}

std::string sentence(const model::Cluster& cluster) {
    const auto gang = cluster.gang(cluster.roots().front(), cluster.snapshot());
    return gang.problem ? gang.problem->sentence : "";
}

TEST_CASE("waiting and running members count toward the minimum, under either policy and under none (KP1, KP5)") {
    for (const std::string& words : {std::string(), policy("once-satisfied"), policy("waiting-and-running")}) {
        CAPTURE(words);
        CHECK(verdict(cluster_of(gang("g", 3, words) + pods("g", 2))) == "Incomplete");
        CHECK(verdict(cluster_of(gang("g", 3, words) + pods("g", 2, 1))) == "Placeable");
        CHECK(verdict(cluster_of(gang("g", 3, words) + pods("g", 3))) == "Placeable");
    }
}

TEST_CASE("a gang that was whole once and has lost its members waits for its minimum again (KP2)") {
    auto cluster = cluster_of(gang("g", 3, policy("once-satisfied")) + pods("g", 0, 3));
    REQUIRE(verdict(cluster) == "Placeable");
    for (const char* uid : {"g-0", "g-1", "g-2"})
        static_cast<void>(cluster.apply(model::PodGone{uid}));
    learn(cluster, pods("g", 2));
    CHECK(verdict(cluster) == "Incomplete");
}

TEST_CASE("under only-waiting running members don't count, and the message says so (KP1, KP3, KP4)") {
    const std::string words = policy("only-waiting");
    const auto whose = [&](const std::string& members) { return cluster_of(gang("g", 3, words) + members); };
    CHECK(verdict(whose(pods("g", 2))) == "Incomplete");
    CHECK(sentence(whose(pods("g", 2))) == "group \"ns/g\" has 2 of at least 3 pods");
    CHECK(verdict(whose(pods("g", 2, 1))) == "Incomplete");
    CHECK(sentence(whose(pods("g", 2, 1))) ==
          "group \"ns/g\" has 2 of at least 3 pods waiting (running pods do not count)");
    CHECK(verdict(whose(pods("g", 1, 3))) == "Incomplete");
    CHECK(verdict(whose(pods("g", 3))) == "Placeable");
    CHECK(verdict(whose(pods("g", 3, 1))) == "Placeable");
    CHECK(verdict(whose(pods("g", 3, 3))) == "Placeable");
}

TEST_CASE("under only-waiting, too, nothing is remembered of members that are gone (KP3)") {
    auto cluster = cluster_of(gang("g", 3, policy("only-waiting")) + pods("g", 0, 3));
    REQUIRE(verdict(cluster) == "Placeable");
    for (const char* uid : {"g-0", "g-1", "g-2"})
        static_cast<void>(cluster.apply(model::PodGone{uid}));
    learn(cluster, pods("g", 2));
    CHECK(verdict(cluster) == "Incomplete");
}

TEST_CASE("under only-waiting a gang whose members all run or have ended is whole, and ended members don't count") {
    const std::string words = policy("only-waiting");
    const std::string marks = "labels: {pod-group.scheduling.sigs.k8s.io: g}";
    const std::string ended = document("v1", "Pod", "name: e, uid: e, " + marks, "status: {phase: Succeeded}");
    const auto whose = [&](const std::string& members) { return cluster_of(gang("g", 3, words) + members); };
    CHECK(verdict(whose(pods("g", 0, 3))) == "Placeable");
    CHECK(verdict(whose(pods("g", 0, 2) + ended)) == "Placeable");
    CHECK(verdict(whose(pods("g", 0, 2))) == "Incomplete");
    CHECK(verdict(whose(pods("g", 2) + ended)) == "Incomplete");
    CHECK(verdict(whose(pods("g", 3) + ended)) == "Placeable");
}

TEST_CASE("under only-waiting a plan has its minimum beside those that run, and no plan less") {
    const auto cluster = cluster_of(gang("g", 3, policy("only-waiting")) + pods("g", 3, 1));
    const auto gang = cluster.gang(cluster.roots().front(), cluster.snapshot());
    CHECK(gang.groups.front().minimum == 4);
    CHECK(gang.groups.front().earlier_members == 1);
    CHECK(gang.groups.front().counts_only_waiting);
    const model::RunningBefore nobody;
    const auto middle = cluster.gang(cluster.roots().front(), cluster.snapshot(), {}, &nobody);
    CHECK(middle.groups.front().minimum == 3);
    CHECK(middle.groups.front().earlier_members == 0);
}

TEST_CASE("the longest time-out that a gang of a group states is that of all") {
    const auto with = [](int seconds, const std::string& names) {
        std::string text = gang(names.substr(0, 1), 1, list(R"("ns/a","ns/b","ns/c")"));
        if (seconds != 0) {
            text.replace(text.find("minMember: 1"), 12,
                         fmt::format("minMember: 1, scheduleTimeoutSeconds: {}", seconds));
        }
        return text;
    };
    const std::string members = pods("a", 1) + pods("b", 1) + pods("c", 1);
    const auto timeout = [&](int a, int b, int c) {
        const auto cluster = cluster_of(with(a, "a") + with(b, "b") + with(c, "c") + members);
        return cluster.gang(cluster.roots().front(), cluster.snapshot()).timeout;
    };
    CHECK(timeout(30, 90, 60) == 90);
    CHECK(timeout(30, 0, 0) == 30);
    CHECK_FALSE(timeout(0, 0, 0));
}

TEST_CASE("gangs that list each other wait for each other's minimums (KP6, KP7)") {
    const std::string both = list(R"("ns/c","ns/d")");
    for (const std::string& words : {std::string(), ", " + policy("once-satisfied"),
                                     ", " + policy("waiting-and-running"), ", " + policy("only-waiting")}) {
        CAPTURE(words);
        const std::string gangs = gang("c", 2, both + words) + gang("d", 3, both + words);
        CHECK(verdict(cluster_of(gangs + pods("c", 2) + pods("d", 1))) == "Incomplete");
        CHECK(verdict(cluster_of(gangs + pods("c", 2) + pods("d", 3))) == "Placeable");
    }
}

TEST_CASE("pods of an undeclared gang wait (KP8)") {
    const auto cluster = cluster_of(pods("g", 3));
    CHECK(verdict(cluster) == "Incomplete");
    CHECK(sentence(cluster) == "group \"ns/g\" doesn't exist yet");
}

TEST_CASE("lists of the same gangs agree in any order, with or without the lister itself") {
    const std::string members = pods("a", 1) + pods("b", 1) + pods("c", 1);
    const auto verdict_of = [&](const std::string& a, const std::string& b, const std::string& c) {
        return verdict(cluster_of(gang("a", 1, list(a)) + gang("b", 1, list(b)) + gang("c", 1, list(c)) + members));
    };
    CHECK(verdict_of(R"("ns/a","ns/b","ns/c")", R"("ns/c","ns/b","ns/a")", R"("ns/b","ns/a","ns/b")") == "Placeable");
}

TEST_CASE("lists that differ hold up every gang that one of them names") {
    struct Row {
        const char* name;
        std::string a, b, c;
        std::string untouched;
    };
    const std::vector<Row> rows = {
        {"one gang has no list", list(R"("ns/a","ns/b")"), "", list(R"("ns/c")"), "ns/c"},
        {"one list is longer", list(R"("ns/a","ns/b","ns/c")"), list(R"("ns/a","ns/b")"),
         list(R"("ns/a","ns/b","ns/c")"), ""},
        {"two agree, a third one lists one of them", list(R"("ns/a","ns/b")"), list(R"("ns/a","ns/b")"),
         list(R"("ns/a","ns/c")"), ""},
        {"a chain", list(R"("ns/a","ns/b")"), list(R"("ns/b","ns/c")"), list(R"("ns/c")"), ""},
    };
    for (const Row& row : rows) {
        SUBCASE(row.name) {
            const auto cluster = cluster_of(gang("a", 1, row.a) + gang("b", 1, row.b) + gang("c", 1, row.c) +
                                            pods("a", 1) + pods("b", 1) + pods("c", 1));
            const auto snapshot = cluster.snapshot();
            const auto roots = cluster.roots();
            REQUIRE_FALSE(roots.empty());
            for (const auto& root : roots) {
                CAPTURE(root.name);
                const auto gang = cluster.gang(root, snapshot);
                if (root.name == row.untouched) {
                    CHECK_FALSE(gang.problem);
                    continue;
                }
                REQUIRE(gang.problem);
                CHECK(gang.problem->reason == model::Reason::invalid);
                CHECK(gang.problem->sentence.find("list of groups differs from that of") != std::string::npos);
            }
        }
    }
}

TEST_CASE("a gang that is listed and not there yet is waited for") {
    const auto cluster = cluster_of(gang("a", 1, list(R"("ns/a","ns/late")")) + pods("a", 1));
    CHECK(verdict(cluster) == "Incomplete");
    CHECK(sentence(cluster) == "group \"ns/late\", which is listed beside others, doesn't exist yet");
}

TEST_CASE("a list may reach into another namespace, which nothing else does (A6)") {
    std::string other = gang("b", 1, list(R"("ns/a","other/b")")) + pods("b", 1);
    for (auto at = other.find("namespace: ns"); at != std::string::npos; at = other.find("namespace: ns", at))
        other.replace(at, 13, "namespace: other");
    const auto cluster = cluster_of(gang("a", 1, list(R"("ns/a","other/b")")) + pods("a", 1) + other);
    CHECK(verdict(cluster) == "Placeable");
    CHECK(cluster.roots().front().name == "ns/a,other/b");
}

TEST_CASE("a gang by annotations needs its minimum") {
    const std::string two = prefix + "min-available: '2'";
    CHECK(verdict(cluster_of(former("p0", two) + former("p1", two))) == "Placeable");
    CHECK(verdict(cluster_of(former("p0", two))) == "Incomplete");
    CHECK(sentence(cluster_of(former("p0", prefix + "total-number: '2'"))) ==
          "group \"ns/free\": no minimum is stated");
}

// A pod that forms a gang by annotations, of an age in seconds.
std::string aged(const std::string& name, int second, const std::string& annotations) {
    return pod(name,
               fmt::format("creationTimestamp: '2026-01-01T00:00:{:02}Z', annotations: {{{}name: free, {}}}", second,
                           prefix, annotations),
               false);
}

std::vector<std::string> warnings(const model::Cluster& cluster) {
    return cluster.gang(cluster.roots().front(), cluster.snapshot()).warnings;
}

TEST_CASE(
    "of pods that disagree about their gang the oldest decides, then the first by name, and one that differs is "
    "named") {
    const std::string two = prefix + "min-available: '2'";
    const std::string three = prefix + "min-available: '3'";
    struct Row {
        const char* name;
        std::string pods;
        const char* verdict;
        const char* warning;
    };
    const std::vector<Row> rows = {
        {"the oldest has the last name", aged("p0", 9, two) + aged("p1", 5, three), "Incomplete",
         "group \"ns/free\": pod \"ns/p0\" disagrees with the oldest, \"ns/p1\", about its minimum; the oldest "
         "decides"},
        {"the others are more", aged("p0", 5, two) + aged("p1", 9, three) + aged("p2", 9, three), "Placeable",
         "group \"ns/free\": pod \"ns/p1\" disagrees with the oldest, \"ns/p0\", about its minimum; the oldest "
         "decides"},
        {"all of one age", aged("p10", 5, three) + aged("p2", 5, two), "Placeable",
         "group \"ns/free\": pod \"ns/p10\" disagrees with the oldest, \"ns/p2\", about its minimum; the oldest "
         "decides"},
        {"the younger one can't be read", aged("p0", 5, two) + aged("p1", 9, prefix + "min-available: many"),
         "Placeable",
         "group \"ns/free\": pod \"ns/p1\" disagrees with the oldest, \"ns/p0\", about its minimum; the oldest "
         "decides"},
        {"a time-out", aged("p0", 5, two) + aged("p1", 9, two + ", " + prefix + "waiting-time: 5m"), "Placeable",
         "group \"ns/free\": pod \"ns/p1\" disagrees with the oldest, \"ns/p0\", about its time-out; the oldest "
         "decides"},
        {"a policy", aged("p0", 5, two) + aged("p1", 9, two + ", " + policy("only-waiting")), "Placeable",
         "group \"ns/free\": pod \"ns/p1\" disagrees with the oldest, \"ns/p0\", about whether members that run "
         "count; the oldest decides"},
    };
    for (const Row& row : rows) {
        SUBCASE(row.name) {
            const auto cluster = cluster_of(row.pods);
            CHECK(verdict(cluster) == row.verdict);
            CHECK(warnings(cluster) == std::vector<std::string>{row.warning});
        }
    }
    CHECK(verdict(cluster_of(aged("p0", 5, prefix + "min-available: many") + aged("p1", 9, two))) == "Invalid");
    CHECK(warnings(cluster_of(aged("p0", 5, two) + aged("p1", 9, two))).empty());
}

TEST_CASE("the next oldest decides when the oldest pod is gone, in whichever order they came") {
    const std::string two = prefix + "min-available: '2'";
    const std::string three = prefix + "min-available: '3'";
    for (const bool oldest_first : {true, false}) {
        const std::string oldest = aged("p0", 1, three);
        const std::string others = aged("p1", 2, two) + aged("p2", 3, two);
        auto cluster = cluster_of(oldest_first ? oldest + others : others + oldest);
        CHECK(verdict(cluster) == "Placeable");
        CHECK(warnings(cluster).size() == 1);
        static_cast<void>(cluster.apply(model::PodGone{"p0"}));
        CHECK(verdict(cluster) == "Placeable");
        CHECK(warnings(cluster).empty());
    }
}

TEST_CASE("a list of gangs that only younger pods have is ignored, and touches no other gang") {
    const std::string one = prefix + "min-available: '1'";
    const std::string both = one + ", " + list(R"("ns/free","ns/b")");
    const auto problems = [](const model::Cluster& cluster) {
        std::vector<std::string> out;
        for (const auto& root : cluster.roots()) {
            const auto gang = cluster.gang(root, cluster.snapshot());
            out.push_back(root.name + ": " +
                          (gang.problem ? std::string(to_string(gang.problem->reason)) : "Placeable"));
        }
        return out;
    };
    const std::string other = gang("b", 1) + pods("b", 1);
    const auto passed_over = cluster_of(other + aged("p0", 1, one) + aged("p1", 2, both));
    CHECK(problems(passed_over) == std::vector<std::string>{"ns/b: Placeable", "ns/free: Placeable"});
    // Where the oldest has it, or the other gang has it, too, the lists differ.
    const auto oldest = cluster_of(other + aged("p0", 2, one) + aged("p1", 1, both));
    CHECK(problems(oldest) == std::vector<std::string>{"ns/b: Invalid", "ns/b,ns/free: Invalid"});
    const std::string agrees = gang("b", 1, list(R"("ns/free","ns/b")")) + pods("b", 1);
    CHECK(problems(cluster_of(agrees + aged("p0", 1, one) + aged("p1", 2, both))).size() == 2);
    CHECK(problems(cluster_of(agrees + aged("p0", 2, one) + aged("p1", 1, both))) ==
          std::vector<std::string>{"ns/b,ns/free: Placeable"});
}

}  // namespace
}  // namespace echelon::kube

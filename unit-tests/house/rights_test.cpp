// The rights that the chart grants, held against what the program does (charts/echelon/files/rbac-rules.yaml).

#include "kube/client/watched_kind.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <yaml-cpp/yaml.h>

namespace {

struct Rule {
    std::set<std::string> groups;
    std::set<std::string> resources;
    std::set<std::string> verbs;
};

std::set<std::string> texts(const YAML::Node& list) {
    std::set<std::string> found;
    for (const auto& item : list) {
        found.insert(item.as<std::string>());
    }
    return found;
}

YAML::Node roles() {
    return YAML::LoadFile(
        (std::filesystem::path(ECHELON_SOURCE_DIR) / "charts/echelon/files/rbac-rules.yaml").string());
}

std::vector<Rule> rules_of(const YAML::Node& role) {
    std::vector<Rule> rules;
    for (const auto& rule : role) {
        rules.push_back({texts(rule["apiGroups"]), texts(rule["resources"]), texts(rule["verbs"])});
    }
    return rules;
}

bool grants(const std::vector<Rule>& rules, std::string_view group, std::string_view resource, std::string_view verb) {
    return std::ranges::any_of(rules, [&](const Rule& rule) {
        return rule.groups.contains(std::string(group)) && rule.resources.contains(std::string(resource)) &&
               rule.verbs.contains(std::string(verb));
    });
}

TEST_CASE("the base role may list and watch every kind that is always watched, and that of preemption the budgets") {
    const auto all = roles();
    for (const auto& kind : echelon::kube::watched_kinds) {
        CAPTURE(kind.resource);
        const auto rules = rules_of(all[kind.is_budget ? "preempt" : "base"]);
        CHECK(grants(rules, kind.group, kind.resource, "list"));
        CHECK(grants(rules, kind.group, kind.resource, "watch"));
    }
}

TEST_CASE("the base role may ask which kinds are served") {
    bool is_granted = false;
    for (const auto& rule : roles()["base"])
        is_granted |= texts(rule["nonResourceURLs"]).contains("/apis/*") && texts(rule["verbs"]).contains("get");
    CHECK(is_granted);
}

TEST_CASE("every write that the engine can ask for has its right, in the role that switches it") {
    struct Row {
        const char* write;
        const char* role;
        const char* group;
        const char* resource;
        const char* verb;
    };
    const std::vector<Row> rows = {
        {"BindPod", "place", "", "pods/binding", "create"},
        {"ReadPod", "base", "", "pods", "get"},
        {"ReadGroup", "base", "scheduling.k8s.io", "podgroups", "get"},
        {"ReadGroup", "base", "scheduling.k8s.io", "compositepodgroups", "get"},
        {"ReadGroup", "base", "scheduler.grove.io", "podgangs", "get"},
        {"ReadGroup", "base", "scheduling.run.ai", "podgroups", "get"},
        {"ReadGroup", "base", "jobset.x-k8s.io", "jobsets", "get"},
        {"ReadGroup", "base", "echelon.sh", "gangs", "get"},
        {"RecordPlan", "place", "echelon.sh", "gangplans", "create"},
        {"RecordPlan", "place", "echelon.sh", "gangplans", "patch"},
        {"RecordPlan", "place", "echelon.sh", "gangplans/status", "patch"},
        {"ScoreGang", "place", "scheduler.grove.io", "podgangs/status", "patch"},
        {"TellGang", "place", "events.k8s.io", "events", "create"},
        {"ForgetPlan", "place", "echelon.sh", "gangplans", "delete"},
        {"UngatePod", "gates", "", "pods", "patch"},
        {"KickPod", "gates", "", "pods", "patch"},
        {"EvictPod", "preempt", "", "pods/eviction", "create"},
        {"NominatePod", "nominate", "", "pods/status", "patch"},
        {"reading the Lease", "follow", "coordination.k8s.io", "leases", "get"},
        {"reading our own Lease", "lease", "coordination.k8s.io", "leases", "get"},
        {"making our own Lease", "lease", "coordination.k8s.io", "leases", "create"},
        {"watching pushed topologies", "topologies", "", "configmaps", "watch"},
        {"keeping a pushed topology", "topologies", "", "configmaps", "patch"},
        {"renewing our own Lease", "lease", "coordination.k8s.io", "leases", "update"},
    };
    const auto all = roles();
    for (const auto& row : rows) {
        CAPTURE(row.write);
        CHECK(grants(rules_of(all[row.role]), row.group, row.resource, row.verb));
    }
    CHECK_FALSE(grants(rules_of(all["base"]), "", "pods", "patch"));
    CHECK_FALSE(grants(rules_of(all["base"]), "", "pods/status", "patch"));
}

TEST_CASE(
    "of other people's objects only the score of a PodGang may be written, and what is switched on may write (A7)") {
    const std::set<std::string> own = {"", "echelon.sh", "coordination.k8s.io", "events.k8s.io"};
    const std::set<std::string> reading = {"get", "list", "watch"};
    std::set<std::string> writes;  // "ROLE: VERB RESOURCE.GROUP".
    for (const auto& role : roles()) {
        for (const auto& rule : rules_of(role.second)) {
            for (const auto& group : rule.groups) {
                for (const auto& resource : rule.resources) {
                    for (const auto& verb : rule.verbs) {
                        if (!own.contains(group) && !reading.contains(verb))
                            writes.insert(role.first.as<std::string>() + ": " + verb + " " + resource + "." + group);
                    }
                }
            }
        }
    }
    std::erase_if(writes, [](const std::string& write) { return write.starts_with("export-"); });
    CHECK(writes == std::set<std::string>{"conditions: patch compositepodgroups/status.scheduling.k8s.io",
                                          "conditions: patch podgroups/status.scheduling.k8s.io",
                                          "place: patch podgangs/status.scheduler.grove.io",
                                          "translate: create podgroups.scheduling.sigs.k8s.io",
                                          "translate: delete podgroups.scheduling.sigs.k8s.io",
                                          "translate: patch podgroups.scheduling.sigs.k8s.io",
                                          "translate: update podgangs/finalizers.scheduler.grove.io"});
}

TEST_CASE("each kind that a topology is exported as is written by a role for it alone (Z34)") {
    const std::map<std::string, std::string> written = {
        {"export-hypernode", "topology.volcano.sh hypernodes"},
        {"export-kueuetopology", "kueue.x-k8s.io topologies"},
        {"export-kaitopology", "kai.scheduler topologies"},
        {"export-clusternetworktopology", "scheduling.koordinator.sh clusternetworktopologies"}};
    std::map<std::string, std::string> found;
    for (const auto& role : roles()) {
        const auto name = role.first.as<std::string>();
        if (!name.starts_with("export-"))
            continue;
        const auto rules = rules_of(role.second);
        REQUIRE(rules.size() == 1);
        REQUIRE(rules.front().groups.size() == 1);
        REQUIRE(rules.front().resources.size() == 1);
        CHECK(rules.front().verbs == decltype(rules.front().verbs){"create", "delete", "patch"});
        found[name] = *rules.front().groups.begin() + " " + *rules.front().resources.begin();
    }
    CHECK(found == written);
}

TEST_CASE("no role may read secrets, delete pods, change nodes, or do just anything, and one alone may evict pods") {
    const auto all = roles();
    REQUIRE(all.size() > 3);
    for (const auto& role : all) {
        CAPTURE(role.first.as<std::string>());
        for (const auto& rule : rules_of(role.second)) {
            CHECK_FALSE(rule.groups.contains("*"));
            CHECK_FALSE(rule.resources.contains("*"));
            CHECK_FALSE(rule.verbs.contains("*"));
            CHECK_FALSE(rule.resources.contains("secrets"));
            CHECK((role.first.as<std::string>() == "preempt" || !rule.resources.contains("pods/eviction")));
            CHECK_FALSE((rule.resources.contains("pods") && rule.verbs.contains("delete")));
            CHECK_FALSE((rule.resources.contains("nodes") && rule.verbs.size() > 3));
        }
    }
}

}  // namespace

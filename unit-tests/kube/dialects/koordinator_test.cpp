#include "kube/dialects/koordinator.hpp"

#include "unit-tests/kube/support/rows.hpp"

namespace echelon::kube {
namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;

constexpr const char* version = "scheduling.sigs.k8s.io/v1alpha1";
constexpr const char* groups = "gang.scheduling.koordinator.sh/groups";
constexpr const char* topology = "gang.scheduling.koordinator.sh/network-topology-spec";

model::GroupSet read(const nlohmann::json& annotations, const std::string& spec = R"({"minMember": 2})") {
    return set_in(group_object(version, "PodGroup", spec, annotations));
}

std::string problem(const nlohmann::json& annotations) {
    return read(annotations).groups.front().problem;
}

TEST_CASE("a Koordinator PodGroup by itself is a gang of one leaf") {
    const auto set = read({{"gang.scheduling.koordinator.sh/total-number", "5"},
                           {"gang.scheduling.koordinator.sh/mode", "NonStrict"},
                           {"gang.scheduling.koordinator.sh/match-policy", "once-satisfied"}});
    REQUIRE(set.groups.size() == 1);
    CHECK(set.shared.empty());
    const Group& leaf = set.groups.front();
    CHECK(leaf.key == GroupKey{"koordinator-podgroup", "ns/g"});
    CHECK(leaf.minimum == 2);
    CHECK(leaf.expected == 5);
    CHECK_FALSE(leaf.parent);
    CHECK(read({{"gang.scheduling.koordinator.sh/total-number", "1"}}).groups.front().expected == 2);
    CHECK(read({{"gang.scheduling.koordinator.sh/min-available", "7"}}, "{}").groups.front().minimum == 7);
    CHECK(read({{"gang.scheduling.koordinator.sh/min-available", "7"}}).groups.front().minimum == 2);
}

TEST_CASE("gangs that list each other hang below one root named by the sorted list (Z1, Z12)") {
    const auto set = read({{groups, R"(["other/b", "ns/a", "other/b"])"}});
    REQUIRE(set.shared.size() == 1);
    const Group& root = set.shared.front();
    CHECK(root.key == GroupKey{"koordinator-gang-group", "ns/a,ns/g,other/b"});
    CHECK(root.kind == GroupKind::composite);
    CHECK(root.policy.inherits_widest_child_level);
    CHECK_FALSE(root.minimum);
    REQUIRE(root.listed.size() == 3);
    CHECK(root.listed.front() == GroupKey{"koordinator-podgroup", "ns/a"});
    CHECK(set.groups.front().parent == root.key);
    CHECK(read({{groups, R"(["ns/g"])"}}).shared.empty());
    CHECK(read({{groups, "[]"}}).shared.empty());
}

TEST_CASE("the name of a gang of many is short, the same for the same list, and another for any other list (BD1)") {
    const auto name_of = [](int from, int count) {
        nlohmann::json list = nlohmann::json::array();
        for (int i = 0; i < count; ++i)
            list.push_back("ns/gang-" + std::to_string(from + i));
        return read({{groups, list.dump()}}).shared.front().key.name;
    };
    const std::string name = name_of(0, 1'000).str();
    CHECK(name.size() < 300);
    CHECK(name.starts_with("ns/g,ns/gang-0,ns/gang-1,ns/gang-10,"));
    CHECK(name.find(",+") != std::string::npos);
    CHECK(name == name_of(0, 1'000));
    CHECK(name != name_of(0, 1'001));
    CHECK(name != name_of(1, 1'000));
    CHECK(read({{groups, R"(["ns/a"])"}}).shared.front().key.name == "ns/a,ns/g");
}

TEST_CASE("MustGather is required, PreferGather preferred, podCountMultiple a multiple of either") {
    const auto leaf = read({{topology, R"({"gatherStrategy": [
        {"layer": "blockLayer", "strategy": "MustGather"},
        {"layer": "rackLayer", "strategy": "PreferGather", "podCountMultiple": 4},
        {"layer": "hostLayer", "strategy": "MustGather", "podCountMultiple": 0}]})"}})
                          .groups.front();
    CHECK(leaf.problem == "");
    CHECK(leaf.required == std::vector<std::string>{"blockLayer", "hostLayer"});
    CHECK(leaf.preferred == std::vector<std::string>{"rackLayer"});
    CHECK(leaf.multiples == std::map<std::string, std::int64_t>{{"rackLayer", 4}});
    CHECK(read({{topology, "{}"}}).groups.front().problem == "");
}

TEST_CASE("keys of the topology annotation count in any case, as for Koordinator (A3)") {
    const auto leaf = read({{topology, R"({"gatherstrategy": [
        {"Layer": "rackLayer", "STRATEGY": "MustGather", "podcountmultiple": 4}]})"}})
                          .groups.front();
    CHECK(leaf.problem == "");
    CHECK(leaf.required == std::vector<std::string>{"rackLayer"});
    CHECK(leaf.multiples == std::map<std::string, std::int64_t>{{"rackLayer", 4}});
    CHECK(problem({{topology, R"({"gatherStrategy": [], "gatherstrategy": []})"}})
              .ends_with("which has keys that differ only in case"));
}

TEST_CASE("an annotation that can't be read makes the gang Invalid, never \"no rule\" (A3)") {
    CHECK(problem({{groups, "ns/a"}}) ==
          std::string("the annotation ") + groups + " is \"ns/a\", which isn't a JSON list of \"namespace/name\"");
    for (const char* bad : {"7", R"(["a"])", R"([7])", R"(["a/b/c"])"}) {
        CHECK(problem({{groups, bad}}) != "");
    }
    for (const char* bad :
         {"[]", "{", R"({"gatherStrategy": 7})", R"({"gatherStrategy": [{}]})",
          R"({"gatherStrategy": [{"layer": "", "strategy": "MustGather"}]})",
          R"({"gatherStrategy": [{"layer": "r", "strategy": "Gather"}]})",
          R"({"gatherStrategy": [{"layer": "r", "strategy": 7}]})",
          R"({"gatherStrategy": [{"layer": "r", "strategy": "MustGather", "podCountMultiple": "4"}]})",
          R"({"gatherStrategy": [{"layer": "r", "strategy": "MustGather", "podCountMultiple": -1}]})"}) {
        CAPTURE(bad);
        CHECK(problem({{topology, bad}}) != "");
    }
    CHECK(problem({{"gang.scheduling.koordinator.sh/total-number", "many"}}) ==
          "gang.scheduling.koordinator.sh/total-number is \"many\", which isn't a number from 0 on");
    CHECK(fault_in(group_object(version, "PodGroup", R"({"minMember": 0})")) ==
          "PodGroup ns/g: spec.minMember: must be between 1 and 2147483647, not 0");
}

TEST_CASE("fields of Koordinator's PodGroup, row by row (A3)") {
    check_faults(
        version, "PodGroup",
        {{"spec", "7", "spec: must be an object, not 7"},
         {"minMember: text", R"({"minMember": "2"})", "spec.minMember: must be an integer, not \"2\""},
         {"minMember: fraction", R"({"minMember": 1.5})", "spec.minMember: must be an integer, not 1.5"},
         {"minMember: below", R"({"minMember": 0})", "spec.minMember: must be between 1 and 2147483647, not 0"},
         {"minMember: above", R"({"minMember": 2147483648})",
          "spec.minMember: must be between 1 and 2147483647, not 2147483648"},
         {"scheduleTimeoutSeconds: text", R"({"minMember": 1, "scheduleTimeoutSeconds": "60"})",
          "spec.scheduleTimeoutSeconds: must be an integer, not \"60\""},
         {"scheduleTimeoutSeconds: above", R"({"minMember": 1, "scheduleTimeoutSeconds": 2147483648})",
          "spec.scheduleTimeoutSeconds: must be between -2147483648 and 2147483647, not 2147483648"}});
}

TEST_CASE("annotations of Koordinator, row by row (A3)") {
    struct Row {
        const char* key;
        const char* value;
        const char* problem;  // After "KEY is VALUE, which ".
    };
    const std::vector<Row> rows = {
        {"min-available", "0", "isn't a number from 1 on"},  {"min-available", "two", "isn't a number from 1 on"},
        {"min-available", "", "isn't a number from 1 on"},   {"total-number", "-1", "isn't a number from 0 on"},
        {"total-number", "2.0", "isn't a number from 0 on"}, {"groups", "ns/a", "isn't a JSON list"},
        {"network-topology-spec", "rack", "can't be read"},  {"match-policy", "sometimes", "isn't a match policy"},
        {"waiting-time", "600", "isn't a duration"},         {"waiting-time", "soon", "isn't a duration"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.key);
        CAPTURE(row.value);
        const std::string key = std::string("gang.scheduling.koordinator.sh/") + row.key;
        const std::string said = problem({{key, row.value}});
        CHECK(said.find(key + " is \"" + row.value + "\", which " + row.problem) != std::string::npos);
        // The same on the pods of a gang without a PodGroup.
        const auto pod = membership_of(nullptr, {{"gang.scheduling.koordinator.sh/name", "g"}, {key, row.value}});
        CHECK(pod->declared.front().problem == said);
    }
    CHECK(fault_in(group_object(version, "PodGroup", "{}", {{groups, 7}})) ==
          std::string("PodGroup ns/g: metadata.annotations[\"") + groups + "\"]: must be a string, not 7");
}

TEST_CASE("an empty annotation of Koordinator is absent, as it is there") {
    const auto plain = read(nullptr);
    for (const char* key :
         {"total-number", "groups", "network-topology-spec", "match-policy", "waiting-time", "mode"}) {
        CAPTURE(key);
        const nlohmann::json named = {{"gang.scheduling.koordinator.sh/name", "g"}};
        nlohmann::json annotated = named;
        annotated[std::string("gang.scheduling.koordinator.sh/") + key] = "";
        CHECK(read(annotated) == plain);
        CHECK(membership_of(nullptr, annotated) == membership_of(nullptr, named));
    }
    const Group leaf = read({{"gang.scheduling.koordinator.sh/match-policy", ""},
                             {"pod-group.scheduling.sigs.k8s.io/match-policy", "only-waiting"}})
                           .groups.front();
    CHECK(leaf.policy.counts_only_waiting);
}

TEST_CASE("the minimum of a gang without a PodGroup is in the label of the pods, else in their annotation") {
    struct Row {
        const char* label;       // Empty: the label is empty.
        const char* annotation;  // Empty: absent.
        std::optional<std::int64_t> minimum;
        const char* problem;
    };
    const std::vector<Row> rows = {
        {"2", "", 2, ""},
        {"2", "3", 2, ""},
        {"", "3", 3, ""},
        {"2", "many", 2, ""},
        {"", "", std::nullopt, ""},
        {"0", "3", std::nullopt,
         "pod-group.scheduling.sigs.k8s.io/min-available is \"0\", which isn't a number from 1 on"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.label);
        CAPTURE(row.annotation);
        nlohmann::json annotations = nlohmann::json::object();
        if (*row.annotation != '\0')
            annotations["gang.scheduling.koordinator.sh/min-available"] = row.annotation;
        const auto pod = membership_of({{"pod-group.scheduling.sigs.k8s.io/name", "g"},
                                        {"pod-group.scheduling.sigs.k8s.io/min-available", row.label}},
                                       annotations);
        CHECK(pod->declared.front().minimum == row.minimum);
        CHECK(pod->declared.front().problem == row.problem);
    }
}

TEST_CASE("the match policy may be written under its older key, which yields to the newer one") {
    const std::string policy = "gang.scheduling.koordinator.sh/match-policy";
    const std::string older = "pod-group.scheduling.sigs.k8s.io/match-policy";
    CHECK(problem({{older, "once-satisfied"}}) == "");
    CHECK(problem({{older, "waiting-and-running"}}) == "");
    const auto counts_only_waiting = [](const nlohmann::json& annotations) {
        CHECK(problem(annotations) == "");
        return read(annotations).groups.front().policy.counts_only_waiting;
    };
    CHECK_FALSE(counts_only_waiting(nullptr));
    CHECK_FALSE(counts_only_waiting({{policy, "waiting-and-running"}}));
    CHECK(counts_only_waiting({{policy, "only-waiting"}}));
    CHECK(counts_only_waiting({{older, "only-waiting"}}));
    CHECK_FALSE(counts_only_waiting({{older, "only-waiting"}, {policy, "once-satisfied"}}));
    CHECK(counts_only_waiting({{older, "once-satisfied"}, {policy, "only-waiting"}}));
}

TEST_CASE("the time-out is the spec's, else that of the annotation, and what isn't above 0 states none") {
    struct Row {
        const char* seconds;  // In the spec; empty: absent.
        const char* time;     // In the annotation; empty: absent.
        std::optional<std::int64_t> timeout;
    };
    const std::vector<Row> rows = {{"", "", std::nullopt},    {"60", "", 60},          {"60", "5m", 60},
                                   {"", "5m", 300},           {"0", "5m", 300},        {"-1", "", std::nullopt},
                                   {"0", "", std::nullopt},   {"null", "1h30m", 3600}, {"", "0", std::nullopt},
                                   {"", "-5m", std::nullopt}, {"", "1500ms", 2},       {"2147483647", "", 3600}};
    for (const Row& row : rows) {
        CAPTURE(row.seconds);
        CAPTURE(row.time);
        const std::string stated = row.seconds;
        const std::string spec =
            stated.empty() ? R"({"minMember": 2})" : R"({"minMember": 2, "scheduleTimeoutSeconds": )" + stated + "}";
        nlohmann::json annotations = nlohmann::json::object();
        if (*row.time != '\0')
            annotations["gang.scheduling.koordinator.sh/waiting-time"] = row.time;
        const Group leaf = read(annotations, spec).groups.front();
        CHECK(leaf.problem == "");
        CHECK(leaf.timeout == row.timeout);
    }
    const auto pod = membership_of(nullptr, {{"gang.scheduling.koordinator.sh/name", "g"},
                                             {"gang.scheduling.koordinator.sh/waiting-time", "90s"}});
    CHECK(pod->declared.front().timeout == 90);
}

TEST_CASE("a mode makes no difference, and one that isn't known is taken for the strict one") {
    const auto warnings = [](const char* mode) {
        const Group leaf = read({{"gang.scheduling.koordinator.sh/mode", mode}}).groups.front();
        CHECK(leaf.problem == "");
        return leaf.warnings;
    };
    CHECK(warnings("Strict").empty());
    CHECK(warnings("NonStrict").empty());
    CHECK(warnings("Loose") == std::vector<std::string>{"the annotation gang.scheduling.koordinator.sh/mode is "
                                                        "\"Loose\", taken for Strict"});
}

TEST_CASE("what Koordinator alone uses changes nothing, whatever it says") {
    const auto plain = read(nullptr);
    CHECK(read(nullptr, R"({"minMember": 2, "minResources": {"cpu": "many"}})") == plain);
    const nlohmann::json named = {{"gang.scheduling.koordinator.sh/name", "g"}};
    nlohmann::json chooses = named;
    chooses["scheduling.koordinator.sh/network-topology-selector"] = "job-7";
    CHECK(membership_of(nullptr, chooses) == membership_of(nullptr, named));
    CHECK_FALSE(read(nullptr, "{}").groups.front().minimum);  // Nothing says it: the tree is Invalid.
    CHECK(read(nullptr, R"({"minMember": null})") == read(nullptr, "{}"));
    CHECK_FALSE(plain.groups.front().expected);
    CHECK_FALSE(plain.groups.front().parent);
}

TEST_CASE("a pod names its Koordinator group by label, or forms it by annotations") {
    CHECK(membership_of({{"pod-group.scheduling.sigs.k8s.io", "g"}})->leaf == GroupKey{"koordinator-podgroup", "ns/g"});
    const auto read = membership_of(nullptr, {{"gang.scheduling.koordinator.sh/name", "free"},
                                              {"gang.scheduling.koordinator.sh/min-available", "3"},
                                              {"gang.scheduling.koordinator.sh/network-topology-index", "4"},
                                              {groups, R"(["ns/free", "ns/g"])"}});
    REQUIRE(read);
    CHECK(read->leaf == GroupKey{"koordinator-podgroup", "ns/free"});
    CHECK(read->rank == 4);
    REQUIRE(read->declared.size() == 2);
    CHECK(read->declared.front().minimum == 3);
    CHECK(read->declared.back().key.name == "ns/free,ns/g");
    CHECK(membership_of({{"pod-group.scheduling.sigs.k8s.io/name", "old"}})->leaf.name == "ns/old");
    CHECK(membership_of({{"pod-group.scheduling.sigs.k8s.io/name", "old"}},
                        {{"gang.scheduling.koordinator.sh/name", "free"}})
              ->leaf.name == "ns/old");
    const auto rank = [](const char* index) {
        return membership_of({{"pod-group.scheduling.sigs.k8s.io", "g"}},
                             {{"gang.scheduling.koordinator.sh/network-topology-index", index}})
            ->rank;
    };
    CHECK(rank("0") == 0);
    CHECK(rank("-1") == -1);
    CHECK(rank("first") == -1);
}

}  // namespace
}  // namespace echelon::kube

#include "kube/topology/hypernode.hpp"

#include "kube/decode.hpp"
#include "model/facts/eligibility.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using nlohmann::json;

json hypernode(json spec) {
    json out{{"apiVersion", "topology.volcano.sh/v1alpha1"}, {"kind", "HyperNode"}, {"metadata", {{"name", "s0"}}}};
    out["spec"] = std::move(spec);
    return out;
}

model::DeclaredDomain read(const json& spec) {
    const auto events = decode(hypernode(spec), Change::seen);
    REQUIRE_MESSAGE(events, (events ? "" : events.error().sentence));
    return std::get<model::DomainSeen>(events->at(0)).domain;
}

std::string error_of(const json& spec) {
    const auto events = decode(hypernode(spec), Change::seen);
    return events ? "" : events.error().sentence;
}

json one_member(const std::string& type, const json& selector) {
    return {{"tier", 1}, {"members", {{{"type", type}, {"selector", selector}}}}};
}

model::DomainMember member(const std::string& type, const char* selector) {
    return read(one_member(type, json::parse(selector))).members.at(0);
}

TEST_CASE("a HyperNode is a domain with a tier, perhaps a name for it, and members") {
    const auto domain = read(json::parse(R"({"tier": 2, "tierName": "spine", "unknown": 7, "members": [
        {"type": "HyperNode", "selector": {"exactMatch": {"name": "leaf0"}}},
        {"type": "Node", "selector": {"exactMatch": {"name": "n7"}}}]})"));
    CHECK(domain.name == "s0");
    CHECK(domain.api_kind == "HyperNode.topology.volcano.sh");
    CHECK(domain.tier == 2);
    CHECK(domain.tier_name == "spine");
    REQUIRE(domain.members.size() == 2);
    CHECK(domain.members[0].kind == model::DomainMember::Kind::domain);
    CHECK(domain.members[0].name == "leaf0");
    CHECK(domain.members[1].kind == model::DomainMember::Kind::node);
    CHECK(domain.members[1].name == "n7");
    CHECK(domain.problem.empty());
    CHECK(read({{"tier", 0}}).tier == 0);
    CHECK(read({{"tier", 0}}).members.empty());
    CHECK(std::get<model::DomainGone>(decode(hypernode({}), Change::gone)->at(0)).name == "s0");
}

TEST_CASE("patterns are RE2, and match anywhere in the name") {
    const auto matches = [](const char* pattern, const char* name) {
        json selector;
        selector["regexMatch"]["pattern"] = pattern;
        const auto read_member = read(one_member("Node", selector)).members.at(0);
        CHECK(read_member.problem == "");
        return read_member.pattern.matches(name);
    };
    CHECK(matches("gpu-[0-3]", "rack1-gpu-2-a"));
    CHECK_FALSE(matches("^gpu-[0-3]$", "rack1-gpu-2-a"));
    CHECK(matches("^gpu-[0-3]$", "gpu-3"));
    CHECK(matches("(?i)GPU", "gpu-0"));
    CHECK_FALSE(matches("\\d{3}", "n12"));
    // Endless for a matcher that backtracks.
    CHECK_FALSE(matches("^(a+)+$", (std::string(2000, 'a') + "b").c_str()));
}

TEST_CASE("label selectors choose as Kubernetes' do") {
    const auto chosen = member("Node", R"({"labelMatch": {"matchLabels": {"rack": "r0"}, "matchExpressions": [
        {"key": "pool", "operator": "NotIn", "values": ["spare", "old"]}, {"key": "broken", "operator": "DoesNotExist"},
        {"key": "kind", "operator": "Exists"}, {"key": "gen", "operator": "In", "values": ["h200", "h100"]}]}})");
    CHECK(chosen.problem == "");
    const auto is_in = [&](const model::Labels& labels) {
        model::Node node;
        node.labels = labels;
        return model::matches(node, chosen.labels);
    };
    CHECK(is_in({{"rack", "r0"}, {"kind", ""}, {"gen", "h100"}}));
    CHECK(is_in({{"rack", "r0"}, {"kind", ""}, {"gen", "h200"}, {"pool", "main"}}));
    CHECK_FALSE(is_in({{"rack", "r1"}, {"kind", ""}, {"gen", "h100"}}));
    CHECK_FALSE(is_in({{"rack", "r0"}, {"kind", ""}, {"gen", "h100"}, {"pool", "old"}}));
    CHECK_FALSE(is_in({{"rack", "r0"}, {"kind", ""}, {"gen", "h100"}, {"broken", ""}}));
    CHECK_FALSE(is_in({{"rack", "r0"}, {"gen", "h100"}}));
}

TEST_CASE("a member that can't be followed is empty, and says why") {
    struct Row {
        const char* type;
        const char* selector;
        const char* problem;
    };
    const Row rows[] = {
        {"Node", "{}",
         "spec.members[0].selector must have exactly one of exactMatch, regexMatch and labelMatch, not 0"},
        {"Node", R"({"exactMatch": {"name": "a"}, "labelMatch": {"matchLabels": {"a": "b"}}})",
         "spec.members[0].selector must have exactly one of exactMatch, regexMatch and labelMatch, not 2"},
        {"Node", R"({"exactMatch": {}})", "spec.members[0].selector.exactMatch.name is missing"},
        {"Node", R"({"regexMatch": {}})", "spec.members[0].selector.regexMatch.pattern is missing"},
        {"Node", R"({"regexMatch": {"pattern": "a("}})",
         "spec.members[0].selector.regexMatch.pattern \"a(\" isn't an RE2 pattern: \"missing ): a(\""},
        {"Node", R"j({"regexMatch": {"pattern": "(?=a)"}})j",
         "spec.members[0].selector.regexMatch.pattern \"(?=a)\" isn't an RE2 pattern: \"invalid perl operator: (?=\""},
        {"Node", R"({"labelMatch": {}})", "spec.members[0].selector.labelMatch is empty and matches nothing"},
        {"Node", R"({"labelMatch": {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]}})",
         "spec.members[0].selector.labelMatch.matchExpressions[0].operator \"Gt\" isn't In, NotIn, Exists or "
         "DoesNotExist"},
        {"Node", R"({"labelMatch": {"matchExpressions": [{"key": "a", "operator": "In"}]}})",
         "spec.members[0].selector.labelMatch.matchExpressions[0].values may not be empty with operator In"},
        {"Node", R"({"labelMatch": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}})",
         "spec.members[0].selector.labelMatch.matchExpressions[0].values must be empty with operator Exists"},
        {"HyperNode", R"({"regexMatch": {"pattern": "leaf"}})",
         "spec.members[0].selector: a HyperNode is chosen by exactMatch alone"},
        {"HyperNode", R"({"labelMatch": {"matchLabels": {"a": "b"}}})",
         "spec.members[0].selector: a HyperNode is chosen by exactMatch alone"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.selector);
        CHECK(member(row.type, row.selector).problem == row.problem);
    }
}

TEST_CASE("a pattern that needs too much memory is a problem, not a failure") {
    json selector;
    selector["regexMatch"]["pattern"] = "((a{1,99}){1,9}b){1,9}{9}";
    CHECK_FALSE(read(one_member("Node", selector)).members.at(0).problem.empty());
}

TEST_CASE("fields of the wrong type or range are an error, and the HyperNode is no domain (A3)") {
    CHECK(error_of(json::object()) == "HyperNode s0: spec.tier is missing");
    CHECK(error_of({{"tier", -1}}).starts_with("HyperNode s0: spec.tier: "));
    CHECK(error_of({{"tier", "1"}}) == "HyperNode s0: spec.tier: must be an integer, not \"1\"");
    CHECK(error_of({{"tier", 1}, {"tierName", 7}}) == "HyperNode s0: spec.tierName: must be a string, not 7");
    CHECK(error_of({{"tier", 1}, {"members", "a"}}) == "HyperNode s0: spec.members: must be a list, not \"a\"");
    CHECK(error_of(one_member("Rack", json::object())) ==
          "HyperNode s0: spec.members[0].type: must be Node or HyperNode, not \"Rack\"");
    CHECK(error_of({{"tier", 1}, {"members", {json::object()}}}) == "HyperNode s0: spec.members[0].type is missing");
    CHECK(error_of(one_member("Node", {{"exactMatch", {{"name", 7}}}})) ==
          "HyperNode s0: spec.members[0].selector.exactMatch.name: must be a string, not 7");
    const json broken = hypernode({{"tier", "1"}, {"tierName", "rack"}});
    const auto stands = event_of_unreadable(broken, decode(broken, Change::seen).error());
    REQUIRE(stands);
    const auto& domain = std::get<model::DomainSeen>(*stands).domain;
    CHECK(domain.tier_name == "rack");
    CHECK(domain.problem == "spec.tier: must be an integer, not \"1\"");
}

TEST_CASE("an object that comes again unchanged is the same") {
    const json spec = one_member("Node", {{"regexMatch", {{"pattern", "^n[0-9]+$"}}}});
    CHECK(read(spec) == read(spec));
    CHECK_FALSE(read(spec) == read(one_member("Node", {{"regexMatch", {{"pattern", "^n[0-9]$"}}}})));
}

}  // namespace
}  // namespace echelon::kube

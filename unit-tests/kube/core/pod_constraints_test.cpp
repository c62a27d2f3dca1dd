#include "kube/core/pod_constraints.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using model::NodeTerm;
using model::Requirement;
using model::TaintEffect;
using model::Toleration;
using nlohmann::json;

json affinity(const std::string& terms) {
    return json::parse(R"({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
        {"nodeSelectorTerms": )" +
                       terms + "}}}}");
}

TEST_CASE("required node affinity is read with all its operators, sorted") {
    const json spec = affinity(R"([
        {"matchExpressions": [{"key": "z", "operator": "NotIn", "values": ["2", "1", "2"]}, {"key": "a", "operator": "Exists"}]},
        {"matchExpressions": [{"key": "n", "operator": "Gt", "values": ["7"]}, {"key": "n", "operator": "Lt", "values": ["-1"]},
                              {"key": "d", "operator": "DoesNotExist"}, {"key": "i", "operator": "In", "values": ["x"]}],
         "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]},
        {}])");
    FieldFault fault;
    const auto terms = read_node_affinity(Field(spec, fault));
    CHECK(fault.sentence().empty());
    using enum Requirement::Operator;
    REQUIRE(terms);
    CHECK(*terms == std::vector<NodeTerm>{
                        {},
                        {.labels = {{"a", exists, {}}, {"z", not_in, {"1", "2"}}}, .fields = {}},
                        {.labels = {{"d", does_not_exist, {}},
                                    {"i", in, {"x"}},
                                    {"n", greater_than, {"7"}},
                                    {"n", less_than, {"-1"}}},
                         .fields = {{"metadata.name", in, {"n1"}}}},
                    });
}

TEST_CASE("no affinity is no constraint, and one without terms matches nothing") {
    FieldFault fault;
    CHECK_FALSE(read_node_affinity(Field(json::object(), fault)));
    const json preferred_only = json::parse(R"({"affinity": {"nodeAffinity":
        {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {}}]}}})");
    CHECK_FALSE(read_node_affinity(Field(preferred_only, fault)));
    const json none = affinity("[]");
    const auto terms = read_node_affinity(Field(none, fault));
    REQUIRE(terms);
    CHECK(terms->empty());
    CHECK_FALSE(fault.found());
}

TEST_CASE("constraints in another order are the same constraints") {
    const json one = affinity(R"([{"matchExpressions": [{"key": "a", "operator": "In", "values": ["1", "2"]},
        {"key": "b", "operator": "Exists"}]}, {"matchExpressions": [{"key": "c", "operator": "Exists"}]}])");
    const json other = affinity(R"([{"matchExpressions": [{"key": "c", "operator": "Exists"}]},
        {"matchExpressions": [{"key": "b", "operator": "Exists"}, {"key": "a", "operator": "In", "values": ["2", "1"]}]}])");
    FieldFault fault;
    CHECK(read_node_affinity(Field(one, fault)) == read_node_affinity(Field(other, fault)));
}

TEST_CASE("wrong affinity is a fault with its path") {
    const std::string start =
        "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].";
    struct Row {
        std::string term;
        std::string fault;
    };
    const Row rows[] = {
        {R"({"matchExpressions": [{"key": "a", "operator": "Like"}]})",
         "matchExpressions[0].operator: \"Like\" isn't an operator"},
        {R"({"matchExpressions": [{"operator": "Exists"}]})", "matchExpressions[0].key is missing"},
        {R"({"matchExpressions": [{"key": "a"}]})", "matchExpressions[0].operator is missing"},
        {R"({"matchExpressions": [{"key": "a", "operator": "In"}]})",
         "matchExpressions[0].values: must not be empty for In and NotIn"},
        {R"({"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["x"]}]})",
         "matchExpressions[0].values: must be empty for Exists and DoesNotExist"},
        {R"({"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1", "2"]}]})",
         "matchExpressions[0].values: must be one value for Gt and Lt"},
        {R"({"matchExpressions": [{"key": "a", "operator": "Lt", "values": [1]}]})",
         "matchExpressions[0].values[0]: must be a string, not 1"},
        {R"({"matchFields": [{"key": "spec.x", "operator": "In", "values": ["x"]}]})",
         "matchFields: \"spec.x\" isn't a field of a node that can be selected by"},
        {R"({"matchFields": [{"key": "metadata.name", "operator": "Exists"}]})",
         "matchFields: takes In and NotIn only"},
    };
    for (const Row& row : rows) {
        const json spec = affinity("[" + row.term + "]");
        FieldFault fault;
        (void)read_node_affinity(Field(spec, fault));
        CHECK(fault.sentence() == start + row.fault);
    }
}

TEST_CASE("tolerations are read, sorted, each once") {
    const json spec = json::parse(R"({"tolerations": [
        {"operator": "Exists"},
        {"key": "b", "operator": "Equal", "value": "1", "effect": "NoSchedule"},
        {"key": "b", "value": "1", "effect": "NoSchedule"},
        {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
        {"key": "n", "operator": "Gt", "value": "5"}]})");
    FieldFault fault;
    CHECK(read_tolerations(Field(spec, fault)) ==
          std::vector<Toleration>{{.key = "", .exists = true, .value = "", .effect = std::nullopt},
                                  {.key = "a", .exists = true, .value = "", .effect = TaintEffect::no_execute},
                                  {.key = "b", .exists = false, .value = "1", .effect = TaintEffect::no_schedule}});
    CHECK(fault.sentence().empty());
}

TEST_CASE("wrong tolerations are faults with their path") {
    struct Row {
        std::string toleration;
        std::string fault;
    };
    const Row rows[] = {
        {R"({"key": "a", "operator": "Like"})", "tolerations[0].operator: \"Like\" isn't an operator"},
        {R"({"value": "a"})", "tolerations[0].operator: must be Exists when there is no key"},
        {R"({"key": "a", "effect": "NoFun"})", "tolerations[0].effect: \"NoFun\" isn't an effect of a taint"},
        {R"({"key": "a", "value": 1})", "tolerations[0].value: must be a string, not 1"},
    };
    for (const Row& row : rows) {
        const json spec = json::parse("{\"tolerations\": [" + row.toleration + "]}");
        FieldFault fault;
        (void)read_tolerations(Field(spec, fault));
        CHECK(fault.sentence() == row.fault);
    }
}

}  // namespace
}  // namespace echelon::kube

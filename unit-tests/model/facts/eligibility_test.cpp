#include "model/facts/eligibility.hpp"

#include "unit-tests/model/support/facts.hpp"

#include <doctest/doctest.h>

using namespace echelon::model;
using Op = Requirement::Operator;

namespace {

PodClass with(Requirement requirement) {
    PodClass pod_class;
    pod_class.node_affinity = std::vector<NodeTerm>{{{std::move(requirement)}, {}}};
    return pod_class;
}

}  // namespace

TEST_CASE("a node that isn't ready, is cordoned or is being deleted takes nothing") {
    auto node = facts::node("n0");
    CHECK(may_host(node, {}));
    SUBCASE("not ready") {
        node.ready = false;
    }
    SUBCASE("cordoned") {
        node.unschedulable = true;
    }
    SUBCASE("being deleted") {
        node.deleting = true;
    }
    CHECK(!may_host(node, {}));
}

TEST_CASE("every label of a node selector must be there with its value") {
    const auto node = facts::node("n0", {{"zone", "a"}, {"disk", "ssd"}});
    PodClass pod_class;
    pod_class.node_selector = {{"zone", "a"}, {"disk", "ssd"}};
    CHECK(is_selected(node, pod_class));
    pod_class.node_selector["disk"] = "hdd";
    CHECK(!is_selected(node, pod_class));
    pod_class.node_selector = {{"absent", ""}};
    CHECK(!is_selected(node, pod_class));
}

TEST_CASE("each operator of node affinity means what kube-scheduler means by it") {
    const auto node = facts::node("n0", {{"zone", "a"}, {"gen", "5"}, {"word", "x"}});
    struct Row {
        const char* name;
        Requirement requirement;
        bool holds;
    };
    const std::vector<Row> rows = {
        {"in", {"zone", Op::in, {"a", "b"}}, true},
        {"in, other value", {"zone", Op::in, {"b"}}, false},
        {"in, no label", {"none", Op::in, {"a"}}, false},
        {"not in", {"zone", Op::not_in, {"b"}}, true},
        {"not in, same value", {"zone", Op::not_in, {"a"}}, false},
        {"not in, no label", {"none", Op::not_in, {"a"}}, true},
        {"exists", {"zone", Op::exists, {}}, true},
        {"exists, no label", {"none", Op::exists, {}}, false},
        {"does not exist", {"none", Op::does_not_exist, {}}, true},
        {"does not exist, but does", {"zone", Op::does_not_exist, {}}, false},
        {"greater", {"gen", Op::greater_than, {"4"}}, true},
        {"greater, equal", {"gen", Op::greater_than, {"5"}}, false},
        {"greater, no number", {"word", Op::greater_than, {"4"}}, false},
        {"greater than no number", {"gen", Op::greater_than, {"v4"}}, false},
        {"greater than too large a number", {"gen", Op::greater_than, {"9223372036854775808"}}, false},
        {"less", {"gen", Op::less_than, {"6"}}, true},
        {"less, no label", {"none", Op::less_than, {"6"}}, false},
        {"less, limit is no number", {"gen", Op::less_than, {"six"}}, false},
    };
    for (const auto& row : rows) {
        CAPTURE(row.name);
        CHECK(is_selected(node, with(row.requirement)) == row.holds);
    }
}

TEST_CASE("one term of a node affinity suffices, all requirements in it must hold, and an empty term matches nothing") {
    const auto node = facts::node("n0", {{"zone", "a"}});
    PodClass pod_class;
    pod_class.node_affinity = std::vector<NodeTerm>{};
    CHECK(!is_selected(node, pod_class));
    pod_class.node_affinity = std::vector<NodeTerm>{{}};
    CHECK(!is_selected(node, pod_class));
    pod_class.node_affinity = std::vector<NodeTerm>{{{{"zone", Op::in, {"b"}}}, {}}, {{{"zone", Op::in, {"a"}}}, {}}};
    CHECK(is_selected(node, pod_class));
    pod_class.node_affinity = std::vector<NodeTerm>{{{{"zone", Op::in, {"a"}}, {"none", Op::exists, {}}}, {}}};
    CHECK(!is_selected(node, pod_class));
    pod_class.node_affinity = std::vector<NodeTerm>{{{}, {{"metadata.name", Op::in, {"n0"}}}}};
    CHECK(is_selected(node, pod_class));
    pod_class.node_affinity = std::vector<NodeTerm>{{{}, {{"metadata.name", Op::not_in, {"n0"}}}}};
    CHECK(!is_selected(node, pod_class));
}

TEST_CASE("a taint keeps pods away unless a toleration covers key, value and effect") {
    auto node = facts::node("n0");
    node.taints = {{"team", "red", TaintEffect::no_schedule}};
    struct Row {
        const char* name;
        Toleration toleration;
        bool covers;
    };
    const std::vector<Row> rows = {
        {"equal", {"team", false, "red", {}}, true},
        {"other value", {"team", false, "blue", {}}, false},
        {"exists", {"team", true, "", {}}, true},
        {"exists, every key", {"", true, "", {}}, true},
        {"same effect", {"team", true, "", TaintEffect::no_schedule}, true},
        {"other effect", {"team", true, "", TaintEffect::no_execute}, false},
        {"other key", {"rest", true, "", {}}, false},
    };
    CHECK(!may_host(node, {}));
    for (const auto& row : rows) {
        CAPTURE(row.name);
        PodClass pod_class;
        pod_class.tolerations = {row.toleration};
        CHECK(may_host(node, pod_class) == row.covers);
    }
    node.taints = {{"team", "red", TaintEffect::prefer_no_schedule}};
    CHECK(may_host(node, {}));
    node.taints = {{"team", "red", TaintEffect::no_execute}};
    CHECK(!may_host(node, {}));
}

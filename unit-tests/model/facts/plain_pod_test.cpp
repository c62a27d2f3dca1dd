#include "model/facts/plain_pod.hpp"

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using Operator = Requirement::Operator;

Requirement host_label(std::vector<std::string> names, Operator op = Operator::in) {
    return {.key = "kubernetes.io/hostname", .op = op, .values = std::move(names)};
}

PodClass with(std::vector<NodeTerm> terms) {
    PodClass pod_class;
    pod_class.node_affinity = std::move(terms);
    return pod_class;
}

TEST_CASE("a pod names its one host by selector, by label or by field (PR2)") {
    const Requirement field{.key = "metadata.name", .op = Operator::in, .values = {"n1"}};
    const Requirement gpu{.key = "example.com/gpu", .op = Operator::exists, .values = {}};
    PodClass selector;
    selector.node_selector = {{"kubernetes.io/hostname", "n1"}};
    CHECK(names_one_host(selector));
    CHECK(names_one_host(with({{.labels = {}, .fields = {field}}})));
    CHECK(names_one_host(with({{.labels = {gpu, host_label({"n1"})}, .fields = {}}})));
    CHECK(names_one_host(with({{.labels = {host_label({"n1"})}, .fields = {}}, {.labels = {gpu}, .fields = {field}}})));
}

TEST_CASE("a pod that may go to several hosts names none (PR2)") {
    const Requirement rack{.key = "example.com/rack", .op = Operator::in, .values = {"r1"}};
    PodClass selector;
    selector.node_selector = {{"example.com/rack", "r1"}};
    CHECK_FALSE(names_one_host(PodClass{}));
    CHECK_FALSE(names_one_host(selector));
    CHECK_FALSE(names_one_host(with({})));
    CHECK_FALSE(names_one_host(with({{.labels = {rack}, .fields = {}}})));
    CHECK_FALSE(names_one_host(with({{.labels = {host_label({"n1", "n2"})}, .fields = {}}})));
    CHECK_FALSE(names_one_host(with({{.labels = {host_label({"n1"}, Operator::not_in)}, .fields = {}}})));
    CHECK_FALSE(names_one_host(
        with({{.labels = {host_label({"n1"})}, .fields = {}}, {.labels = {host_label({"n2"})}, .fields = {}}})));
    CHECK_FALSE(
        names_one_host(with({{.labels = {host_label({"n1"})}, .fields = {}}, {.labels = {rack}, .fields = {}}})));
}

}  // namespace
}  // namespace echelon::model

#include "kube/core/pod_terms.hpp"

#include "kube/decode.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using model::PodTerm;
using model::Requirement;
using nlohmann::json;
using enum model::Requirement::Operator;

model::Pod read(const std::string& affinity, std::string& fault) {
    const json spec = json::parse(R"({"affinity": )" + affinity + "}");
    FieldFault first;
    model::Pod pod;
    pod.ns = "ml";
    const json labels = {{"app", "web"}, {"rev", "2"}};
    read_pod_terms(Field(spec, first), Field(labels, first), pod);
    fault = first.sentence();
    return pod;
}

model::Pod read(const std::string& affinity) {
    std::string fault;
    auto pod = read(affinity, fault);
    CHECK(fault.empty());
    return pod;
}

std::string anti(const std::string& term) {
    return R"({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [)" + term + "]}}";
}

TEST_CASE("a term of anti-affinity is read with its labels, in the pod's own namespace (D14)") {
    const auto pod = read(anti(R"({"topologyKey": "example.com/rack", "labelSelector": {
        "matchLabels": {"app": "web"},
        "matchExpressions": [{"key": "job", "operator": "NotIn", "values": ["b", "a"]},
                             {"key": "job", "operator": "Exists"}]}})"));
    REQUIRE(pod.terms.size() == 1);
    const auto& term = pod.terms[0];
    CHECK(term.kind == PodTerm::Kind::apart);
    CHECK(term.key == "example.com/rack");
    CHECK(term.labels ==
          std::vector<Requirement>{{"app", in, {"web"}}, {"job", not_in, {"a", "b"}}, {"job", exists, {}}});
    CHECK(term.namespaces == std::vector<std::string>{"ml"});
    CHECK_FALSE(term.is_everywhere);
    CHECK_FALSE(pod.has_unread_terms);
}

TEST_CASE("a pod's own labels join the selector by matchLabelKeys, as the API server stores it (D14)") {
    const auto labels_of = [](const std::string& more) {
        return read(anti(R"({"topologyKey": "k", "labelSelector": {"matchLabels": {"app": "web"}}, )" + more + "}"))
            .terms.at(0)
            .labels;
    };
    const Requirement app{"app", in, {"web"}};
    const Requirement rev{"rev", in, {"2"}};
    CHECK(labels_of(R"("matchLabelKeys": ["rev", "unknown"])") == std::vector<Requirement>{app, rev});
    CHECK(labels_of(R"("mismatchLabelKeys": ["rev"])") == std::vector<Requirement>{app, {"rev", not_in, {"2"}}});
    const auto stored = read(anti(R"({"topologyKey": "k", "matchLabelKeys": ["rev"], "labelSelector": {
        "matchExpressions": [{"key": "rev", "operator": "In", "values": ["1"]}]}})"));
    CHECK(stored.terms.at(0).labels == std::vector<Requirement>{{"rev", in, {"1"}}});
    CHECK(read(anti(R"({"topologyKey": "k", "matchLabelKeys": ["rev"]})")).terms.empty());
}

TEST_CASE("namespaces of a term are those it lists, all of them, or one by its name (D14)") {
    const std::string rest = R"("topologyKey": "k", "labelSelector": {}})";
    CHECK(read(anti(R"({"namespaces": ["b", "a", "b"], )" + rest)).terms[0].namespaces ==
          std::vector<std::string>{"a", "b"});
    const auto all = read(anti(R"({"namespaces": ["b"], "namespaceSelector": {}, )" + rest));
    CHECK(all.terms[0].is_everywhere);
    CHECK(all.terms[0].namespaces.empty());
    const auto named =
        read(anti(R"({"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "x"}}, )" + rest));
    CHECK(named.terms[0].namespaces == std::vector<std::string>{"x"});
}

TEST_CASE("a term by other labels of namespaces isn't read, and that is kept (D14)") {
    const auto pod =
        read(anti(R"({"topologyKey": "k", "labelSelector": {}, "namespaceSelector": {"matchLabels": {"team": "x"}}})"));
    CHECK(pod.terms.empty());
    CHECK(pod.has_unread_terms);
}

TEST_CASE("without a label selector anti-affinity means no pod, and affinity is never met (D14)") {
    CHECK(read(anti(R"({"topologyKey": "k"})")).terms.empty());
    const auto pod =
        read(R"({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "k"}]}})");
    REQUIRE(pod.terms.size() == 1);
    CHECK(pod.terms[0].kind == PodTerm::Kind::together);
    CHECK_FALSE(model::selects(pod.terms[0], "ml", {{"", ""}, {"app", "web"}}));
}

TEST_CASE("preferred terms are left to kube-scheduler (D14)") {
    CHECK(read(R"({"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 1, "podAffinityTerm": {"topologyKey": "k", "labelSelector": {}}}]}})")
              .terms.empty());
}

TEST_CASE("that a pod must be spread is kept, that it should be isn't (A8)") {
    const auto is_spread = [](const std::string& constraints) {
        const json spec = json::parse(R"({"topologySpreadConstraints": )" + constraints + "}");
        FieldFault first;
        model::Pod pod;
        read_pod_terms(Field(spec, first), Field(spec, first).at("labels"), pod);
        CHECK(first.sentence().empty());
        CHECK(pod.terms.empty());
        return pod.has_unread_spread;
    };
    const std::string wish = R"({"maxSkew": 1, "topologyKey": "k", "whenUnsatisfiable": "ScheduleAnyway"})";
    const std::string rule = R"({"maxSkew": 1, "topologyKey": "k", "whenUnsatisfiable": "DoNotSchedule"})";
    CHECK_FALSE(is_spread("[]"));
    CHECK_FALSE(is_spread("[" + wish + "]"));
    CHECK(is_spread("[" + rule + ", " + wish + "]"));
}

TEST_CASE("a term that makes no sense is a fault of that field") {
    std::string fault;
    static_cast<void>(read(anti(R"({"labelSelector": {}})"), fault));
    CHECK(fault == "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey is missing");
    static_cast<void>(read(anti(R"({"topologyKey": "k", "labelSelector": {
        "matchExpressions": [{"key": "n", "operator": "Gt", "values": ["1"]}]}})"),
                           fault));
    CHECK(fault.ends_with("labelSelector.matchExpressions: takes In, NotIn, Exists and DoesNotExist only"));
}

TEST_CASE("the labels of a pod come with it") {
    const auto events = decode(json::parse(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {
        "name": "p", "labels": {"app": "web"}}, "spec": {}})"),
                               Change::seen);
    REQUIRE(events);
    CHECK(std::get<model::PodSeen>(events->front()).labels == model::Labels{{"app", "web"}});
}

}  // namespace
}  // namespace echelon::kube

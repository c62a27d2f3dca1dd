// When do pods end, as the API declares it? (Q17)

#include "kube/core/job_decoder.hpp"
#include "unit-tests/kube/support/decoded.hpp"

namespace echelon::kube {
namespace {

using nlohmann::json;

constexpr std::int64_t new_year = 1767225600;  // 2026-01-01T00:00:00Z

model::Event read(const json& object) {
    const auto events = decode(object, Change::seen);
    REQUIRE_MESSAGE(events, (events ? "" : events.error().sentence));
    return events->front();
}

json job(const json& spec, const json& status) {
    return {{"apiVersion", "batch/v1"},
            {"kind", "Job"},
            {"metadata", {{"name", "train"}, {"namespace", "ns"}, {"uid", "u"}}},
            {"spec", spec},
            {"status", status}};
}

std::int64_t end_of(const json& spec, const json& status) {
    return std::get<model::JobSeen>(read(job(spec, status))).ends;
}

std::int64_t start_of(const json& spec, const json& status) {
    json object{{"apiVersion", "v1"},
                {"kind", "Pod"},
                {"metadata", {{"name", "p"}, {"namespace", "ns"}, {"creationTimestamp", "2026-01-01T00:00:00Z"}}},
                {"spec", {{"containers", json::array()}}},
                {"status", status}};
    object["spec"].update(spec);
    return std::get<model::PodSeen>(read(object)).pod.started;
}

TEST_CASE("a Job ends its pods when its deadline has passed since its start (Q17)") {
    CHECK(end_of({{"activeDeadlineSeconds", 600}}, {{"startTime", "2026-01-01T00:00:00Z"}}) == new_year + 600);
    CHECK(end_of({{"activeDeadlineSeconds", 600}}, json::object()) == 0);  // Suspended.
    CHECK(end_of(json::object(), {{"startTime", "2026-01-01T00:00:00Z"}}) == 0);
    const auto events = decode(job(json::object(), json::object()), Change::gone);
    REQUIRE(events);
    CHECK(std::get<model::JobGone>(events->front()).uid == "u");
}

TEST_CASE("a pod belongs to the Job that controls it (Q17)") {
    const auto job_of = [](const char* kind, bool is_controller) -> std::string {
        const json owner{{"kind", kind}, {"name", "train"}, {"uid", "u"}, {"controller", is_controller}};
        const json pod{{"apiVersion", "v1"},
                       {"kind", "Pod"},
                       {"metadata", {{"name", "p"}, {"namespace", "ns"}, {"ownerReferences", json::array({owner})}}},
                       {"spec", {{"containers", json::array()}}}};
        return *std::get<model::PodSeen>(read(pod)).pod.job;
    };
    CHECK(job_of("Job", true) == "u");
    CHECK(job_of("Job", false).empty());
    CHECK(job_of("ReplicaSet", true).empty());
}

TEST_CASE("until a pod has started its deadline counts from its binding (Q17)") {
    const json on_node{{"nodeName", "n"}, {"activeDeadlineSeconds", 60}};
    const auto scheduled = [](const char* status) {
        return json{{"conditions", json::array({{{"type", "PodScheduled"},
                                                 {"status", status},
                                                 {"lastTransitionTime", "2026-01-01T00:01:00Z"}}})}};
    };
    json started = scheduled("True");
    started["startTime"] = "2026-01-01T00:02:00Z";
    CHECK(start_of(on_node, started) == new_year + 120);
    CHECK(start_of(on_node, scheduled("True")) == new_year + 60);
    CHECK(start_of(on_node, json::object()) == new_year);  // It was created on its node.
    CHECK(start_of({{"activeDeadlineSeconds", 60}}, scheduled("False")) == 0);
    CHECK(start_of({{"nodeName", "n"}}, scheduled("True")) == 0);  // Without a deadline nobody asks.
}

}  // namespace
}  // namespace echelon::kube

#include "kube/write/write_request.hpp"

#include "unit-tests/kube/protobuf/protobuf_bytes.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using model::Outcome;
using nlohmann::json;
using Ending = HttpAnswer::Ending;

const model::PodRef pod{.ns = "team", .name = "train-0", .uid = "u0"};

HttpAnswer answered(int status, const std::string& body = "") {
    return {.ending = Ending::complete, .status = status, .body = body};
}

TEST_CASE("a binding names pod, uid, node and plan") {
    const HttpRequest request = request_of(model::BindPod{.pod = pod, .node = "n1", .plan = "team.train.7"});
    CHECK(request.method == "POST");
    CHECK(request.target == "/api/v1/namespaces/team/pods/train-0/binding");
    CHECK(request.content_type == "application/json");
    CHECK(json::parse(request.body) == json::parse(R"({
        "apiVersion": "v1", "kind": "Binding",
        "metadata": {"name": "train-0", "namespace": "team", "uid": "u0",
                     "annotations": {"echelon.sh/plan": "team.train.7"}},
        "target": {"apiVersion": "v1", "kind": "Node", "name": "n1"}})"));
    const HttpRequest plain = request_of(model::BindPod{.pod = pod, .node = "n1", .plan = ""});
    CHECK_FALSE(json::parse(plain.body)["metadata"].contains("annotations"));
}

TEST_CASE("a GangPlan that the API server can't store is rejected, and is said to be too large") {
    struct Row {
        int status;
        const char* message;
        bool is_too_large;
    };
    const Row rows[] = {
        {500, "etcdserver: request is too large", true},
        {500, "rpc error: code = ResourceExhausted desc = trying to send message larger than max (3 vs. 2)", true},
        {413, "limit is 3145728", true},
        {500, "etcdserver: request timed out", false},
        {422, "the request is too large", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.message);
        const HttpAnswer answer{.ending = HttpAnswer::Ending::complete,
                                .status = row.status,
                                .body = json{{"kind", "Status"}, {"message", row.message}}.dump(),
                                .content_type = "application/json"};
        const Outcome outcome = outcome_of_record({}, answer);
        CHECK(outcome.is_too_large == row.is_too_large);
        CHECK((outcome.kind == Outcome::Kind::unknown) == (row.status == 500 && !row.is_too_large));
    }
}

TEST_CASE("patches carry the uid and nothing but their own field") {
    struct Row {
        HttpRequest request;
        const char* target;
        const char* body;
    };
    const Row rows[] = {
        {request_of(model::NominatePod{.pod = pod, .node = "n1"}), "/api/v1/namespaces/team/pods/train-0/status",
         R"({"metadata":{"uid":"u0"},"status":{"nominatedNodeName":"n1"}})"},
        {request_of(model::UngatePod{.pod = pod}), "/api/v1/namespaces/team/pods/train-0",
         R"({"metadata":{"uid":"u0"},"spec":{"schedulingGates":[{"$patch":"delete","name":"echelon.sh/gang"}]}})"},
        {request_of(model::KickPod{.pod = pod, .value = "3"}), "/api/v1/namespaces/team/pods/train-0",
         R"({"metadata":{"uid":"u0","annotations":{"echelon.sh/kick":"3"}}})"},
        {request_of(model::KickPod{.pod = pod, .value = "3", .by_label = true}), "/api/v1/namespaces/team/pods/train-0",
         R"({"metadata":{"uid":"u0","labels":{"echelon.sh/kick":"3"}}})"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.body);
        CHECK(row.request.method == "PATCH");
        CHECK(row.request.target == row.target);
        CHECK(row.request.content_type == "application/strategic-merge-patch+json");
        CHECK(json::parse(row.request.body) == json::parse(row.body));
    }
}

TEST_CASE("unused answers are requested as metadata in protobuf, and others as objects") {
    CHECK(request_of(model::BindPod{.pod = pod, .node = "n1", .plan = ""}).accept == protobuf_or_json);
    CHECK(request_of(model::NominatePod{.pod = pod, .node = "n1"}).accept == protobuf_metadata_or_json);
    CHECK(request_of(model::UngatePod{.pod = pod}).accept == protobuf_metadata_or_json);
    CHECK(apply_plan_status({}, "", "").accept == protobuf_metadata_or_json);
    CHECK(apply_plan({}).accept == "application/json");  // The record that was there is read.
}

TEST_CASE("a refusal and a pod are read from protobuf") {
    const auto in_protobuf = [](int status, const std::string& body) {
        HttpAnswer answer = answered(status, body);
        answer.content_type = "application/vnd.kubernetes.protobuf";
        return answer;
    };
    const std::string cause = field(1, "FieldValueInvalid") + field(2, "immutable") + field(3, "metadata.uid");
    const std::string refusal = envelope("v1", "Status", field(3, "another UID") + field(5, field(4, cause)));
    const Outcome outcome = outcome_of("patching", in_protobuf(422, refusal));
    CHECK(outcome.kind == Outcome::Kind::conflict);
    CHECK(outcome.sentence == "patching was answered with 422: another UID");
    const std::string object =
        envelope("v1", "Pod", field(1, metadata("train-0", "u0", "7")) + field(2, field(10, "n1")));
    const Outcome read = outcome_of_read(model::ReadPod{.pod = pod}, in_protobuf(200, object));
    CHECK(read.kind == Outcome::Kind::done);
    CHECK(read.uid == "u0");
    CHECK(read.node == "n1");
    CHECK(outcome_of_read(model::ReadPod{.pod = pod}, in_protobuf(200, "{}")).kind == Outcome::Kind::unknown);
}

TEST_CASE("an eviction names the pod and its UID as a precondition (P1)") {
    const HttpRequest request = request_of(model::EvictPod{.pod = pod});
    CHECK(request.method == "POST");
    CHECK(request.target == "/api/v1/namespaces/team/pods/train-0/eviction");
    CHECK(request.content_type == "application/json");
    CHECK(json::parse(request.body) == json::parse(R"({
        "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "train-0", "namespace": "team"},
        "deleteOptions": {"preconditions": {"uid": "u0"}}})"));
}

TEST_CASE("an eviction that a disruption budget refuses is final, and one that a busy API server refuses is not (P5)") {
    const model::EvictPod write{.pod = pod};
    const auto budget = outcome_of_eviction(write, answered(429, R"({"message":
        "Cannot evict pod as it would violate the pod's disruption budget.", "reason": "TooManyRequests",
        "details": {"causes": [{"reason": "DisruptionBudget",
                                "message": "The disruption budget web needs 2 healthy pods and has 2 currently"}]}})"));
    CHECK(budget.kind == Outcome::Kind::rejected);
    CHECK(budget.budget == "web");
    CHECK(budget.sentence.starts_with("evicting team/train-0 was answered with 429"));
    const auto busy = outcome_of_eviction(write, answered(429, R"({"message": "too many requests"})"));
    CHECK(busy.kind == Outcome::Kind::unknown);
    CHECK(busy.budget.empty());
    const auto nameless = outcome_of_eviction(
        write, answered(429, R"({"details": {"causes": [{"reason": "DisruptionBudget", "message": "no"}]}})"));
    CHECK(nameless.kind == Outcome::Kind::rejected);
    CHECK(nameless.budget == "?");
    CHECK(outcome_of_eviction(write, answered(201)).kind == Outcome::Kind::done);
    CHECK(outcome_of_eviction(write, answered(404)).kind == Outcome::Kind::gone);
    CHECK(outcome_of_eviction(write, answered(409)).kind == Outcome::Kind::conflict);
    CHECK(outcome_of_eviction(write, answered(403)).kind == Outcome::Kind::rejected);
    CHECK(outcome_of_eviction(write, answered(500)).kind == Outcome::Kind::unknown);
}

TEST_CASE("a score goes into the status of the gang's object, and of no successor's") {
    const HttpRequest request =
        request_of(model::WritePlacementScore{"scheduler.grove.io/v1alpha1", "PodGang", "team", "g", "u1", 750});
    CHECK(request.method == "PATCH");
    CHECK(request.target == "/apis/scheduler.grove.io/v1alpha1/namespaces/team/podgangs/g/status");
    CHECK(request.content_type == "application/merge-patch+json");
    CHECK(json::parse(request.body) ==
          json::parse(R"({"metadata": {"uid": "u1"}, "status": {"placementScore": 0.75}})"));
}

TEST_CASE("a condition goes into the status of the group's object, beside those of others (Z32)") {
    const model::WriteGroupCondition waiting{.api_version = "scheduling.k8s.io/v1alpha3",
                                             .api_kind = "CompositePodGroup",
                                             .ns = "team",
                                             .name = "g",
                                             .uid = "u1",
                                             .version = "77",
                                             .type = "CompositePodGroupInitiallyScheduled",
                                             .is_met = false,
                                             .reason = "Unschedulable",
                                             .message = "no rack has room",
                                             .generation = 3,
                                             .is_transition = true};
    const HttpRequest request = request_of(waiting, "2026-01-02T03:04:05Z");
    CHECK(request.method == "PATCH");
    CHECK(request.target == "/apis/scheduling.k8s.io/v1alpha3/namespaces/team/compositepodgroups/g/status");
    CHECK(request.content_type == "application/strategic-merge-patch+json");
    CHECK(json::parse(request.body) == json::parse(R"({
        "metadata": {"uid": "u1", "resourceVersion": "77"},
        "status": {"conditions": [{"type": "CompositePodGroupInitiallyScheduled", "status": "False",
                                   "reason": "Unschedulable", "message": "no rack has room",
                                   "observedGeneration": 3, "lastTransitionTime": "2026-01-02T03:04:05Z"}]}})"));
    auto again = waiting;
    again.version.clear();
    again.is_transition = false;
    const auto body = json::parse(request_of(again, "2026-01-02T03:04:05Z").body);
    CHECK_FALSE(body["metadata"].contains("resourceVersion"));
    CHECK_FALSE(body["status"]["conditions"][0].contains("lastTransitionTime"));
}

TEST_CASE("an event is about the object of the gang, or about its GangPlan") {
    model::EmitGangEvent write{.ns = "team",
                               .plan = "train",
                               .about_api_version = "scheduling.k8s.io/v1alpha3",
                               .about_kind = "PodGroup",
                               .about_name = "train",
                               .about_uid = "g1",
                               .reason = "NoRoom",
                               .sentence = "echelon: gang team/train: no rack has room",
                               .is_warning = true};
    const HttpRequest request = request_of(write, "p1", "host-1", "2026-01-02T03:04:05.000006Z");
    CHECK(request.method == "POST");
    CHECK(request.target == "/apis/events.k8s.io/v1/namespaces/team/events");
    CHECK(json::parse(request.body) == json::parse(R"({
        "apiVersion": "events.k8s.io/v1", "kind": "Event",
        "metadata": {"namespace": "team", "generateName": "train-"},
        "eventTime": "2026-01-02T03:04:05.000006Z",
        "reportingController": "echelon.sh/echelon", "reportingInstance": "host-1",
        "action": "Planning", "reason": "NoRoom", "type": "Warning",
        "regarding": {"apiVersion": "scheduling.k8s.io/v1alpha3", "kind": "PodGroup", "namespace": "team",
                      "name": "train", "uid": "g1"},
        "note": "echelon: gang team/train: no rack has room"})"));
    write.about_api_version.clear();
    write.is_warning = false;
    const auto plain = json::parse(request_of(write, "p1", "", "").body);
    CHECK(plain["type"] == "Normal");
    CHECK(plain["reportingInstance"] == "echelon");
    CHECK(plain["regarding"] == json::parse(R"({"apiVersion": "echelon.sh/v1alpha1", "kind": "GangPlan",
                                                "namespace": "team", "name": "train", "uid": "p1"})"));
    CHECK_FALSE(json::parse(request_of(write, "", "", "").body)["regarding"].contains("uid"));
}

TEST_CASE("an event is no longer than the API server takes, and ends with a whole character") {
    model::EmitGangEvent write;
    write.ns = "team";
    write.plan = "train";
    write.reason = "NoRoom";
    write.sentence = std::string(1023, 'a') + "\u00e4" + std::string(100, 'b');
    const auto event = json::parse(request_of(write, "", std::string(200, 'h'), "").body);
    CHECK(event["note"] == std::string(1000, 'a') + "... (1000 of 1125 bytes)");
    CHECK(event["reportingInstance"] == std::string(128, 'h'));
}

TEST_CASE("plans are applied by server-side apply, object and status apart") {
    model::PlanRecord record;
    record.ns = "team";
    record.name = "train";
    record.root = {.kind = "podgroup", .name = "team/train"};
    const HttpRequest object = apply_plan(record);
    const HttpRequest status = apply_plan_status(record, "2026-01-02T03:04:05Z");
    CHECK(object.target == "/apis/echelon.sh/v1alpha1/namespaces/team/gangplans/train?fieldManager=echelon&force=true");
    CHECK(status.target ==
          "/apis/echelon.sh/v1alpha1/namespaces/team/gangplans/train/status?fieldManager=echelon&force=true");
    for (const HttpRequest& request : {object, status}) {
        CHECK(request.method == "PATCH");
        CHECK(request.content_type == "application/apply-patch+yaml");
        CHECK(json::parse(request.body)["kind"] == "GangPlan");
    }
    const HttpRequest forget = request_of(model::DeletePlan{.ns = "team", .name = "train", .uid = "u-1"});
    CHECK(forget.method == "DELETE");
    CHECK(forget.content_type == "application/json");
    CHECK(json::parse(forget.body) ==
          json{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", {{"uid", "u-1"}}}});
    CHECK(forget.target == "/apis/echelon.sh/v1alpha1/namespaces/team/gangplans/train");
}

TEST_CASE("names from outside can't leave their place in a path") {
    const HttpRequest request = request_of(model::ReadPod{.pod = {.ns = "a/..", .name = "b?c", .uid = ""}});
    CHECK(request.target == "/api/v1/namespaces/a%2F../pods/b%3Fc");
}

TEST_CASE("every answer has its outcome") {
    struct Row {
        HttpAnswer answer;
        Outcome::Kind kind;
        const char* sentence;
    };
    const std::string status = R"({"kind":"Status","message":"pod is already assigned"})";
    const Row rows[] = {
        {answered(201), Outcome::Kind::done, ""},
        {answered(200), Outcome::Kind::done, ""},
        {answered(409, status), Outcome::Kind::conflict, "binding x was answered with 409: pod is already assigned"},
        {answered(404), Outcome::Kind::gone, "binding x was answered with 404"},
        {answered(400), Outcome::Kind::rejected, "binding x was answered with 400"},
        {answered(403), Outcome::Kind::rejected, "binding x was answered with 403"},
        {answered(422, "<html>"), Outcome::Kind::rejected, "binding x was answered with 422"},
        {answered(422, R"({"message":"immutable","details":{"causes":[{"field":"spec"},{"field":"metadata.uid"}]}})"),
         Outcome::Kind::conflict, "binding x was answered with 422: immutable"},
        {answered(422, R"({"message":"no","details":{"causes":[{"field":"spec.schedulingGates"},7]}})"),
         Outcome::Kind::rejected, "binding x was answered with 422: no"},
        {answered(401), Outcome::Kind::rejected, "binding x was answered with 401"},
        {answered(302), Outcome::Kind::rejected, "binding x was answered with 302"},
        {answered(408), Outcome::Kind::unknown, "binding x was answered with 408"},
        {answered(429), Outcome::Kind::unknown, "binding x was answered with 429"},
        {answered(500), Outcome::Kind::unknown, "binding x was answered with 500"},
        {answered(504), Outcome::Kind::unknown, "binding x was answered with 504"},
        {{.ending = Ending::silent, .sentence = "it was silent"}, Outcome::Kind::unknown, "binding x: it was silent"},
        {{.ending = Ending::broken, .status = 201, .sentence = "it broke"},
         Outcome::Kind::unknown,
         "binding x: it broke"},
        {{.ending = Ending::unreachable, .sentence = "nobody there"},
         Outcome::Kind::unknown,
         "binding x: nobody there"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.sentence);
        const Outcome outcome = outcome_of("binding x", row.answer);
        CHECK(outcome.kind == row.kind);
        CHECK(outcome.sentence == row.sentence);
    }
}

TEST_CASE("a read pod gives its node and uid, and any other object gives nothing") {
    const model::ReadPod write{.pod = pod};
    const Outcome bound =
        outcome_of_read(write, answered(200, R"({"metadata":{"uid":"u9"},"spec":{"nodeName":"n1"}})"));
    CHECK(bound.kind == Outcome::Kind::done);
    CHECK(bound.uid == "u9");
    CHECK(bound.node == "n1");
    const Outcome waiting = outcome_of_read(write, answered(200, R"({"metadata":{"uid":"u9"},"spec":{}})"));
    CHECK(waiting.kind == Outcome::Kind::done);
    CHECK(waiting.node.empty());
    CHECK(outcome_of_read(write, answered(404)).kind == Outcome::Kind::gone);
    for (const char* body : {"", "[]", "{}", R"({"metadata":{"uid":7}})", R"({"metadata":[]})"}) {
        CAPTURE(body);
        const Outcome odd = outcome_of_read(write, answered(200, body));
        CHECK(odd.kind == Outcome::Kind::unknown);
        CHECK(odd.sentence == "reading team/train-0: the answer isn't a pod");
    }
}

TEST_CASE("a read group gives its uid and generation, and any other object gives nothing") {
    const model::ReadGroup write{"scheduling.k8s.io/v1alpha3", "CompositePodGroup", "team", "train"};
    CHECK(request_of(write).method == "GET");
    CHECK(request_of(write).target == "/apis/scheduling.k8s.io/v1alpha3/namespaces/team/compositepodgroups/train");
    CHECK(request_of(model::ReadGroup{"example.com/v1", "Squad", "a/b", "c/d"}).target ==
          "/apis/example.com/v1/namespaces/a%2Fb/squads/c%2Fd");
    const Outcome read = outcome_of_read(write, answered(200, R"({"metadata":{"uid":"u9","generation":3}})"));
    CHECK(read.kind == Outcome::Kind::done);
    CHECK(read.uid == "u9");
    CHECK(read.generation == 3);
    CHECK(outcome_of_read(write, answered(200, R"({"metadata":{"uid":"u9"}})")).generation == 0);
    CHECK(outcome_of_read(write, answered(404)).kind == Outcome::Kind::gone);
    CHECK(outcome_of_read(write, answered(403)).kind == Outcome::Kind::rejected);
    for (const char* body :
         {"", "[]", "{}", R"({"metadata":{"uid":7}})", R"({"metadata":{"uid":"u","generation":"3"}})",
          R"({"metadata":{"uid":"u","generation":1.5}})"}) {
        CAPTURE(body);
        const Outcome odd = outcome_of_read(write, answered(200, body));
        CHECK(odd.kind == Outcome::Kind::unknown);
        CHECK(odd.sentence == "reading CompositePodGroup team/train: the answer isn't a group");
    }
}

TEST_CASE("every write has its words") {
    const model::Write writes[] = {model::BindPod{pod, "n1", ""}, model::NominatePod{pod, "n1"},  model::UngatePod{pod},
                                   model::KickPod{pod, "1"},      model::DeletePlan{"team", "t"}, model::ReadPod{pod}};
    const char* words[] = {"binding team/train-0 to n1",        "nominating n1 for team/train-0",
                           "removing the gate of team/train-0", "waking team/train-0",
                           "deleting the plan team/t",          "reading team/train-0"};
    for (std::size_t i = 0; i < std::size(writes); ++i)
        CHECK(action_of(writes[i]) == words[i]);
}

}  // namespace
}  // namespace echelon::kube

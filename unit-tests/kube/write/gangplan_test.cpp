#include "kube/write/gangplan.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using nlohmann::json;

model::PlanRecord full_record() {
    model::PlanRecord record;
    record.ns = "team";
    record.name = "train";
    record.root = {.kind = "compositepodgroup", .name = "team/train"};
    record.owner_api_version = "scheduling.k8s.io/v1alpha3";
    record.owner_kind = "CompositePodGroup";
    record.owner_uid = "owner-1";
    record.epoch = 7;
    record.holder = "node1_4f";
    record.phase = model::Phase::committed;
    record.message = "4 members in b0/r1";
    record.seats = {{.pod = "team/train-0", .uid = "u0", .node = "n1", .bound = true, .ran_before = true},
                    {.pod = "team/train-1", .uid = "u1", .node = "n2", .bound = false}};
    record.groups = {{.group = "team/train", .placed = 2, .minimum = 2, .domain = "b0/r1"},
                     {.group = "team/train-a", .placed = 2, .minimum = 1, .domain = ""}};
    record.victims = {{.pod = "team/low-0", .uid = "v0", .node = "n2", .gang = "team/low", .priority = -5},
                      {.pod = "team/plain", .uid = "v1", .node = "n3", .gang = {}, .priority = 0}};
    record.observed_generation = 3;
    record.scheduler_names = {"default-scheduler", "gpu-scheduler"};
    return record;
}

// What the API server holds after both applies.
json stored(const model::PlanRecord& record) {
    json object = gangplan_object(record);
    object["status"] = gangplan_status(record, "2026-01-02T03:04:05Z")["status"];
    return object;
}

TEST_CASE("a record that was written reads back the same, in every phase") {
    for (const model::Phase phase : {model::Phase::pending, model::Phase::clearing, model::Phase::held,
                                     model::Phase::committed, model::Phase::bound, model::Phase::degraded}) {
        model::PlanRecord record = full_record();
        record.phase = phase;
        record.reason = phase == model::Phase::pending ? "NoRoom" : "";
        const auto read = decode_gangplan(stored(record));
        REQUIRE(read.has_value());
        CHECK(*read == record);
    }
}

TEST_CASE("a gang without an owner object has no owner reference, and a root by labels keeps its slashes") {
    model::PlanRecord record = full_record();
    record.owner_api_version = record.owner_kind = record.owner_uid = "";
    record.root = {.kind = "label-group", .name = "team/lws/3"};
    const json object = stored(record);
    CHECK_FALSE(object["metadata"].contains("ownerReferences"));
    CHECK(object["spec"]["root"] == json{{"kind", "label-group"}, {"name", "lws/3"}});
    const auto read = decode_gangplan(object);
    REQUIRE(read.has_value());
    CHECK(*read == record);
}

TEST_CASE("the object and its status are two bodies, each with its own fields only") {
    const model::PlanRecord record = full_record();
    const json object = gangplan_object(record);
    const json status = gangplan_status(record, "2026-01-02T03:04:05Z");
    CHECK(object["apiVersion"] == "echelon.sh/v1alpha1");
    CHECK(object["kind"] == "GangPlan");
    CHECK_FALSE(object.contains("status"));
    CHECK_FALSE(status.contains("spec"));
    CHECK_FALSE(status["metadata"].contains("ownerReferences"));
    CHECK(object["metadata"]["ownerReferences"][0]["name"] == "train");
    CHECK(status["status"]["bound"] == "1/2");
    CHECK(status["status"]["victimCount"] == 2);
    CHECK(status["status"]["victims"][0] ==
          json{{"pod", "team/low-0"}, {"uid", "v0"}, {"node", "n2"}, {"gang", "team/low"}, {"priority", -5}});
    const json& condition = status["status"]["conditions"][0];
    CHECK(condition["type"] == "Placed");
    CHECK(condition["status"] == "True");
    CHECK(condition["reason"] == "Committed");
    CHECK(condition["lastTransitionTime"] == "2026-01-02T03:04:05Z");
    CHECK(condition["observedGeneration"] == 3);
}

TEST_CASE("a gang counts as placed while its plan is valid") {
    struct Row {
        model::Phase phase;
        const char* status;
    };
    for (const Row& row : {Row{model::Phase::pending, "False"}, Row{model::Phase::clearing, "False"},
                           Row{model::Phase::held, "True"}, Row{model::Phase::committed, "True"},
                           Row{model::Phase::bound, "True"}, Row{model::Phase::degraded, "False"}}) {
        model::PlanRecord record = full_record();
        record.phase = row.phase;
        CHECK(placed_status(record) == row.status);
    }
}

TEST_CASE("a condition is read from the object, and an unreadable one is absent") {
    const auto found = placed_condition(stored(full_record()));
    REQUIRE(found.has_value());
    CHECK(*found == PlacedCondition{.status = "True", .since = "2026-01-02T03:04:05Z"});
    for (const char* text :
         {"[]", "{}", R"({"status":[]})", R"({"status":{"conditions":{}}})", R"({"status":{"conditions":[1,null]}})",
          R"({"status":{"conditions":[{"type":"Placed","status":true}]}})",
          R"({"status":{"conditions":[{"type":"Other","status":"True","lastTransitionTime":"x"}]}})"}) {
        CAPTURE(text);
        CHECK_FALSE(placed_condition(json::parse(text)).has_value());
    }
}

TEST_CASE("a plan whose status was never written is pending at epoch 0") {
    const auto read = decode_gangplan(gangplan_object(full_record()));
    REQUIRE(read.has_value());
    CHECK(read->phase == model::Phase::pending);
    CHECK(read->epoch == 0);
    CHECK(read->seats.empty());
}

TEST_CASE("a field of the wrong type is refused with its path and the object's name") {
    struct Row {
        const char* pointer;
        json value;
        const char* sentence;
    };
    const Row rows[] = {
        {"/status/epoch", -1, "GangPlan team/train: status.epoch must be a whole number from 0"},
        {"/status/epoch", 1.5, "GangPlan team/train: status.epoch must be a whole number from 0"},
        {"/status/epoch", 18446744073709551615ULL, "GangPlan team/train: status.epoch must be a whole number from 0"},
        {"/status/phase", "Odd",
         "GangPlan team/train: status.phase must be Pending, Clearing, Held, Committed, Bound or Degraded"},
        {"/status/seats/1/bound", "yes", "GangPlan team/train: status.seats[1].bound must be true or false"},
        {"/status/seats/0", 3, "GangPlan team/train: status.seats[0] must be an object"},
        {"/status/groups", "x", "GangPlan team/train: status.groups must be a list"},
        {"/spec/root/name", "", "GangPlan team/train: spec.root.name must be set"},
        {"/spec", nullptr, "GangPlan team/train: spec.root must be an object"},
        {"/metadata/ownerReferences/0/uid", 7, "GangPlan team/train: metadata.ownerReferences[0].uid must be a string"},
        {"/metadata/name", 1, "GangPlan: metadata.name must be a string"},
        {"/metadata/namespace", nullptr, "GangPlan: metadata.name and metadata.namespace must be set"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.pointer);
        json object = stored(full_record());
        object[json::json_pointer(row.pointer)] = row.value;
        const auto read = decode_gangplan(object);
        REQUIRE_FALSE(read.has_value());
        CHECK(read.error().sentence == row.sentence);
    }
    CHECK_FALSE(decode_gangplan(json::array()).has_value());
}

}  // namespace
}  // namespace echelon::kube

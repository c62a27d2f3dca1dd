// A record is not written over a clearing that this echelon has not seen (P4).

#include "kube/write/plan_precedence.hpp"

#include "kube/write/gangplan.hpp"
#include "unit-tests/kube/writer_desk.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using namespace desk;
using nlohmann::json;

model::ApplyPlan clearing(const std::vector<std::string>& victims, std::int64_t epoch = 1) {
    auto write = plan(model::Phase::clearing, epoch);
    for (const auto& uid : victims)
        write.record.victims.push_back({.pod = "team/" + uid, .uid = uid, .node = "n1", .gang = {}, .priority = 0});
    return write;
}

// The GangPlan as the API server gives it.
std::string stored(const model::ApplyPlan& write) {
    json object = gangplan_object(write.record);
    object.update(gangplan_status(write.record, "2026-01-01T00:00:00Z"), true);
    object["metadata"]["uid"] = "u-plan";
    object["metadata"]["resourceVersion"] = "41";
    return object.dump();
}

// An API server that has this GangPlan.
struct Server {
    explicit Server(const model::ApplyPlan& there, int status_of_deletion = 200)
        : desk(
              [text = stored(there), status_of_deletion](const httplib::Request& request, httplib::Response& response) {
                  answer(response, request.method == "DELETE" ? status_of_deletion : 200, text);
              }) {}
    Desk desk;
};

TEST_CASE("a record may replace a clearing that names all these victims, or that it counts on from (P4)") {
    const auto there = clearing({"a", "b"}, 5).record;
    CHECK(may_replace(there, clearing({"a", "b"}, 5).record));
    CHECK(may_replace(there, clearing({"b"}, 1).record));
    CHECK_FALSE(may_replace(there, clearing({"a", "c"}, 9).record));
    CHECK(may_replace(there, plan(model::Phase::pending, 5).record));
    CHECK(may_replace(there, plan(model::Phase::held, 6).record));
    CHECK_FALSE(may_replace(there, plan(model::Phase::pending, 4).record));
    CHECK(may_replace(plan(model::Phase::pending, 9).record, clearing({"c"}, 1).record));
    auto another = clearing({"c"}, 9).record;
    another.owner_uid = "another";
    CHECK(may_replace(there, another));
}

TEST_CASE(
    "the first record of a gang is a conflict where a clearing would be lost, and its status is not written (P4)") {
    Server server(clearing({"a", "b"}, 5));
    const auto outcome = server.desk.carried_out(clearing({"c"}, 5));
    CHECK(outcome.kind == Outcome::Kind::conflict);
    CHECK(outcome.sentence.find("the record of a clearing that was not seen yet") != std::string::npos);
    REQUIRE(server.desk.server.seen.all().size() == 1);
    CHECK(server.desk.carried_out(plan(model::Phase::pending, 1)).kind == Outcome::Kind::conflict);
    CHECK(server.desk.carried_out(clearing({"a"}, 5)).kind == Outcome::Kind::done);
    // From then on it is this echelon's own.
    CHECK(server.desk.carried_out(clearing({"c"}, 6)).kind == Outcome::Kind::done);
}

TEST_CASE("the first status is written over the version alone that was looked at (P4)") {
    Server server(plan(model::Phase::pending));
    CHECK(server.desk.carried_out(clearing({"a"})).kind == Outcome::Kind::done);
    CHECK(server.desk.carried_out(plan(model::Phase::held)).kind == Outcome::Kind::done);
    const auto seen = server.desk.server.seen.all();
    REQUIRE(seen.size() == 3);
    CHECK(json::parse(seen[0].body)["metadata"].contains("resourceVersion") == false);
    CHECK(json::parse(seen[1].body)["metadata"]["resourceVersion"] == "41");
    CHECK(json::parse(seen[2].body)["metadata"].contains("resourceVersion") == false);
}

TEST_CASE("under another lead what others have written since is looked at again (P4)") {
    Server server(clearing({"a"}, 5));
    const auto carried_out = [&server](std::uint64_t id, const model::Write& write, std::shared_ptr<const Lead> lead) {
        server.desk.writer->submit(id, write, std::move(lead));
        REQUIRE(server.desk.reports.wait([id](const auto& all) { return all.size() == id; }));
        return server.desk.reports.all().back().outcome.kind;
    };
    const auto until = Lead::Instant::clock::now() + std::chrono::hours(1);
    const auto first = std::make_shared<const Lead>(until);
    const auto second = std::make_shared<const Lead>(until);
    CHECK(carried_out(1, clearing({"a"}, 5), first) == Outcome::Kind::done);
    CHECK(carried_out(2, clearing({"b"}, 6), first) == Outcome::Kind::done);
    CHECK(carried_out(3, clearing({"b"}, 6), second) == Outcome::Kind::conflict);
}

TEST_CASE("a GangPlan that could not be deleted does not hinder the next gang of that name (P4)") {
    Server server(clearing({"a"}, 5), 500);
    REQUIRE(server.desk.carried_out(model::DeletePlan{"team", "train", "u-plan"}).kind == Outcome::Kind::unknown);
    CHECK(server.desk.carried_out(clearing({"c"}, 1)).kind == Outcome::Kind::done);
}

TEST_CASE("of GangPlans that could not be deleted the newest thousand are remembered (I12)") {
    Server server(clearing({"a"}, 5), 500);
    const auto is_remembered = [&](const std::string& uid, int others) {
        static_cast<void>(server.desk.carried_out(model::DeletePlan{"team", "train", uid}));
        for (int other = 0; other < others; ++other)
            static_cast<void>(server.desk.carried_out(model::DeletePlan{"team", "x", "u-" + std::to_string(other)}));
        return server.desk.carried_out(clearing({"c"}, 1)).kind == Outcome::Kind::done;
    };
    CHECK_FALSE(is_remembered("u-plan", 1'000));
    CHECK(is_remembered("u-plan", 10));
}

}  // namespace
}  // namespace echelon::kube

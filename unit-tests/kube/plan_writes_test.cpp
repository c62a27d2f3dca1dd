// Writes of GangPlans: records, in their order, and deletions.

#include "unit-tests/kube/writer_desk.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using namespace desk;
using nlohmann::json;

TEST_CASE("a plan is applied as an object once, and then as status only") {
    Desk desk([](const httplib::Request&, httplib::Response& response) { answer(response, 200); });
    CHECK(desk.carried_out(plan(model::Phase::held)).kind == Outcome::Kind::done);
    CHECK(desk.carried_out(plan(model::Phase::committed)).kind == Outcome::Kind::done);
    model::ApplyPlan adopted = plan(model::Phase::committed);
    adopted.record.owner_uid = "new-owner";
    CHECK(desk.carried_out(adopted).kind == Outcome::Kind::done);
    CHECK(desk.carried_out(model::DeletePlan{"team", "train", "u-1"}).kind == Outcome::Kind::done);
    CHECK(desk.carried_out(adopted).kind == Outcome::Kind::done);
    std::string story;
    for (const SeenRequest& each : desk.server.seen.all())
        story += each.method == "DELETE" ? "d" : each.target.find("/status?") != std::string::npos ? "s" : "o";
    CHECK(story == "ossosdos");
}

TEST_CASE("the time of the last transition stays while the condition does, also over a restart") {
    // The earlier condition in the API server: placed since last year.
    const std::string old = R"({"status":{"conditions":[
        {"type":"Placed","status":"True","lastTransitionTime":"2025-01-01T00:00:00Z"}]}})";
    Desk desk([&](const httplib::Request&, httplib::Response& response) { answer(response, 200, old); });
    std::vector<std::string> times;
    for (const model::Phase phase :
         {model::Phase::held, model::Phase::bound, model::Phase::degraded, model::Phase::pending}) {
        CHECK(desk.carried_out(plan(phase)).kind == Outcome::Kind::done);
        const json body = json::parse(desk.server.seen.all().back().body);
        times.push_back(body["status"]["conditions"][0]["lastTransitionTime"]);
    }
    CHECK(times[0] == "2025-01-01T00:00:00Z");
    CHECK(times[1] == times[0]);
    CHECK(times[2] != times[0]);
    CHECK(times[2].size() == times[0].size());
    CHECK(times[3] == times[2]);
}

TEST_CASE("a deleted plan is applied again") {
    std::atomic<bool> deleted = false;
    Desk desk([&](const httplib::Request& request, httplib::Response& response) {
        const bool is_status = request.path.ends_with("/status");
        if (!is_status)
            deleted = false;
        answer(response, deleted ? 404 : 200);
    });
    CHECK(desk.carried_out(plan(model::Phase::held)).kind == Outcome::Kind::done);
    deleted = true;
    CHECK(desk.carried_out(plan(model::Phase::bound)).kind == Outcome::Kind::done);
    CHECK(desk.server.seen.all().size() == 5);
}

TEST_CASE("without the kind a plan is gone, and its failures are tried once only") {
    for (const int status : {404, 500, 422}) {
        Desk desk([&](const httplib::Request&, httplib::Response& response) { answer(response, status); });
        const Outcome outcome = desk.carried_out(plan(model::Phase::held));
        CHECK(outcome.kind == (status == 404   ? Outcome::Kind::gone
                               : status == 500 ? Outcome::Kind::unknown
                                               : Outcome::Kind::rejected));
        CHECK(desk.server.seen.all().size() == 1);
    }
    Desk no_status([](const httplib::Request& request, httplib::Response& response) {
        answer(response, request.path.ends_with("/status") ? 404 : 200);
    });
    CHECK(no_status.carried_out(plan(model::Phase::held)).kind == Outcome::Kind::gone);
    CHECK(no_status.server.seen.all().size() == 2);
}

TEST_CASE("records of one plan are written one after the other, those that newer ones replace not at all") {
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    Desk desk([&](const httplib::Request&, httplib::Response& response) {
        most = std::max(most.load(), ++inside);
        std::this_thread::yield();
        --inside;
        answer(response, 200);
    });
    for (std::int64_t epoch = 1; epoch <= 100; ++epoch)
        desk.writer->submit(static_cast<std::uint64_t>(epoch), plan(model::Phase::held, epoch));
    CHECK(desk.reports.wait_for_count(100));
    CHECK(most == 1);
    std::int64_t last = 0;
    for (const SeenRequest& each : desk.server.seen.all()) {
        const json body = json::parse(each.body);
        if (body.contains("status")) {
            const auto epoch = body["status"]["epoch"].get<std::int64_t>();
            CHECK(epoch > last);
            last = epoch;
        }
    }
    CHECK(last == 100);
}

TEST_CASE("a plan is deleted by the UID that it was recorded under, and another of the same name stays (BD9)") {
    std::atomic<bool> is_another = false;
    Desk desk([&](const httplib::Request& request, httplib::Response& response) {
        if (request.method != "DELETE")
            return answer(response, 200, R"({"metadata":{"uid":"u-1"}})");
        const json body = json::parse(request.body, nullptr, false);
        const bool fits = body.is_object() && body["preconditions"]["uid"] == (is_another ? "u-2" : "u-1");
        answer(response, fits ? 200 : 409);
    });
    CHECK(desk.carried_out(plan(model::Phase::held)).uid == "u-1");
    SUBCASE("the UID comes with the write") {
        CHECK(desk.carried_out(model::DeletePlan{"team", "train", "u-1"}).kind == Outcome::Kind::done);
    }
    SUBCASE("without one that of the record is meant") {
        CHECK(desk.carried_out(model::DeletePlan{"team", "train", ""}).kind == Outcome::Kind::done);
    }
    SUBCASE("it was created anew") {
        is_another = true;
        CHECK(desk.carried_out(model::DeletePlan{"team", "train", "u-1"}).kind == Outcome::Kind::conflict);
    }
    CHECK(desk.server.seen.all().size() == 3);
    // A plan that was neither recorded nor seen isn't known to exist.
    CHECK(desk.carried_out(model::DeletePlan{"team", "train", ""}).kind == Outcome::Kind::gone);
    CHECK(desk.server.seen.all().size() == 3);
}

TEST_CASE("a deletion and records of one plan keep their order, whichever threads write them (BD9)") {
    Happenings<bool> may_go;
    Desk desk([&](const httplib::Request& request, httplib::Response& response) {
        if (request.method == "DELETE")
            CHECK(may_go.wait_for_count(1));
        answer(response, 200, R"({"metadata":{"uid":"u-1"}})");
    });
    CHECK(desk.carried_out(plan(model::Phase::held)).kind == Outcome::Kind::done);
    desk.writer->submit(100, model::DeletePlan{"team", "train", "u-1"});
    desk.writer->submit(101, plan(model::Phase::committed));  // Goes over the connections of bindings.
    desk.writer->submit(102, model::DeletePlan{"team", "train", "u-1"});
    CHECK(desk.carried_out(binding("a")).kind == Outcome::Kind::done);  // Others don't wait.
    CHECK(desk.server.seen.wait_for_count(4));
    may_go.add(true);
    CHECK(desk.reports.wait_for_count(5));
    std::string story;
    for (const SeenRequest& each : desk.server.seen.all()) {
        if (each.method != "POST")
            story += each.method == "DELETE" ? "d" : each.target.find("/status?") != std::string::npos ? "s" : "o";
    }
    CHECK(story == "osdosd");
}

}  // namespace
}  // namespace echelon::kube

#include "kube/write/writer.hpp"

#include "unit-tests/kube/test_files.hpp"
#include "unit-tests/kube/writer_desk.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using namespace desk;
using nlohmann::json;

TEST_CASE("each write reaches its place and is reported once") {
    Desk desk([](const httplib::Request& request, httplib::Response& response) {
        answer(response, request.method == "POST" ? 201 : 200, R"({"metadata":{"uid":"u"},"spec":{"nodeName":"n7"}})");
    });
    for (const model::Write& write :
         {model::Write(binding("a")), model::Write(model::NominatePod{pod("a"), "n1"}),
          model::Write(model::UngatePod{pod("a")}), model::Write(model::KickPod{pod("a"), "1"}),
          model::Write(model::DeletePlan{"team", "train", "u-1"})})
        CHECK(desk.carried_out(write).kind == Outcome::Kind::done);
    const Outcome group = desk.carried_out(model::ReadGroup{"scheduling.k8s.io/v1alpha3", "PodGroup", "team", "train"});
    CHECK(group.uid == "u");
    const Outcome read = desk.carried_out(model::ReadPod{pod("a")});
    CHECK(read.node == "n7");
    CHECK(read.uid == "u");
    std::vector<std::string> lines;
    for (const SeenRequest& each : desk.server.seen.all())
        lines.push_back(each.method + " " + each.target);
    CHECK(lines == std::vector<std::string>{
                       "POST /api/v1/namespaces/team/pods/a/binding", "PATCH /api/v1/namespaces/team/pods/a/status",
                       "PATCH /api/v1/namespaces/team/pods/a", "PATCH /api/v1/namespaces/team/pods/a",
                       "DELETE /apis/echelon.sh/v1alpha1/namespaces/team/gangplans/train",
                       "GET /apis/scheduling.k8s.io/v1alpha3/namespaces/team/podgroups/train",
                       "GET /api/v1/namespaces/team/pods/a"});
    CHECK(desk.reports.all().size() == 7);
}

TEST_CASE("what is queued when the lead ends is reported and never sent, but for reads (BD6)") {
    std::mutex gate;
    std::unique_lock closed(gate);
    Desk desk(
        [&](const httplib::Request&, httplib::Response& response) {
            const std::lock_guard opened(gate);
            answer(response, 201, R"({"metadata":{"uid":"u"},"spec":{}})");
        },
        {.bind_connections = 1, .other_connections = 1, .reporter = {}});
    const auto lead = std::make_shared<Lead>(Lead::Instant::max());
    desk.writer->submit(1, binding("first"), lead);
    desk.writer->submit(2, model::NominatePod{pod("first"), "n1"}, lead);
    CHECK(desk.server.seen.wait_for_count(2));  // Under way.
    for (std::uint64_t id = 3; id <= 20; ++id)
        desk.writer->submit(id, binding("p" + std::to_string(id)), lead);
    desk.writer->submit(21, plan(model::Phase::held), lead);
    desk.writer->submit(22, model::ReadPod{pod("first")}, lead);
    desk.writer->submit(23, binding("of nobody's lead"));
    lead->end();
    // A later lead of ours opens nothing of an earlier one.
    desk.writer->submit(24, binding("of the next lead"), std::make_shared<Lead>(Lead::Instant::max()));
    closed.unlock();
    CHECK(desk.reports.wait_for_count(24));
    CHECK(desk.server.seen.all().size() == 5);
    for (const Report& report : desk.reports.all()) {
        CAPTURE(report.id);
        const bool is_sent = report.id < 3 || report.id > 21;
        CHECK(report.outcome.kind == (is_sent ? Outcome::Kind::done : Outcome::Kind::rejected));
        if (!is_sent)
            CHECK(report.outcome.sentence.ends_with(": not sent, this echelon no longer leads"));
    }
}

TEST_CASE("a lead that is over keeps no worker waiting for tokens (BD6)") {
    Desk desk([](const httplib::Request&, httplib::Response& response) { answer(response, 200); },
              {.qps = 0.001, .burst = 1, .reporter = {}});
    const auto lead = std::make_shared<Lead>(Lead::Instant::min());
    for (std::uint64_t id = 1; id <= 100; ++id)
        desk.writer->submit(id, model::KickPod{pod("a"), "1"}, lead);
    CHECK(desk.reports.wait_for_count(100));
    CHECK(desk.server.seen.all().empty());
}

TEST_CASE("a thousand bindings are each posted and reported once") {
    Desk desk([](const httplib::Request&, httplib::Response& response) { answer(response, 201); });
    for (std::uint64_t id = 1; id <= 1000; ++id)
        desk.writer->submit(id, binding("p" + std::to_string(id)));
    CHECK(desk.reports.wait_for_count(1000));
    std::map<std::uint64_t, int> reported;
    for (const Report& report : desk.reports.all())
        ++reported[report.id];
    CHECK(reported.size() == 1000);
    std::map<std::string, int> posted;
    for (const SeenRequest& each : desk.server.seen.all())
        ++posted[each.target];
    CHECK(posted.size() == 1000);
    CHECK(std::ranges::all_of(posted, [](const auto& each) { return each.second == 1; }));
}

TEST_CASE("an answer that is lost is unknown, and the binding isn't sent a second time") {
    std::atomic<FakeApiServer*> self = nullptr;
    Desk desk([&](const httplib::Request&, httplib::Response& response) {
        response.status = 201;
        self.load()->stream(response, {"{"}, FakeApiServer::Then::reset);
    });
    self = &desk.server;
    CHECK(desk.carried_out(binding("a")).kind == Outcome::Kind::unknown);
    CHECK(desk.server.seen.all().size() == 1);
}

TEST_CASE("bindings are counted by the answer that came, with the time that it took") {
    Desk desk([](const httplib::Request& request, httplib::Response& response) {
        const bool is_taken = request.path.find("/b/") != std::string::npos;
        const bool is_odd = request.path.find("/c/") != std::string::npos;
        answer(response, is_taken ? 409 : (is_odd ? 418 : 201));
    });
    for (const char* name : {"a", "b", "c", "d"})
        static_cast<void>(desk.carried_out(binding(name)));
    static_cast<void>(desk.carried_out(model::ReadPod{pod("a")}));
    const auto figures = desk.writer->bind_figures();
    const auto count = [&](std::string_view code) {
        const auto at = std::ranges::find(BindFigures::codes, code) - BindFigures::codes.begin();
        return figures.requests.at(static_cast<std::size_t>(at));
    };
    CHECK(count("201") == 2);
    CHECK(count("409") == 1);
    CHECK(count("other") == 1);
    CHECK(count("none") == 0);
    std::uint64_t timed = 0;
    for (const auto in_bucket : figures.durations.counts)
        timed += in_bucket;
    CHECK(timed == 4);
    CHECK(figures.durations.sum_seconds > 0);
}

TEST_CASE("an event about a GangPlan names the UID that the plan was recorded under") {
    Happenings<std::string> events;
    Desk desk([&](const httplib::Request& request, httplib::Response& response) {
        if (request.path.find("/events") != std::string::npos)
            events.add(request.body);
        answer(response, 200, R"({"metadata": {"uid": "p-7"}})");
    });
    CHECK(desk.carried_out(plan(model::Phase::held)).kind == Outcome::Kind::done);
    const model::EmitGangEvent event = planned();
    CHECK(desk.carried_out(event).kind == Outcome::Kind::done);
    REQUIRE(events.wait_for_count(1));
    CHECK(json::parse(events.all().front())["regarding"]["uid"] == "p-7");
}

TEST_CASE("too many events are dropped, and nothing else waits for them") {
    std::promise<void> go;
    const std::shared_future<void> gone = go.get_future().share();
    WriterOptions options;
    options.most_events_waiting = 2;
    Desk desk(
        [&](const httplib::Request& request, httplib::Response& response) {
            if (request.path.find("/events") != std::string::npos)
                gone.wait();
            answer(response, 201);
        },
        options);
    const model::EmitGangEvent event = planned();
    for (std::uint64_t id = 1000; id < 1010; ++id)
        desk.writer->submit(id, event);
    CHECK(desk.carried_out(binding("a")).kind == Outcome::Kind::done);
    CHECK(desk.carried_out(model::NominatePod{pod("a"), "n1"}).kind == Outcome::Kind::done);
    go.set_value();
    REQUIRE(desk.reports.wait_for_count(12));
    const auto all = desk.reports.all();
    const auto dropped = std::ranges::count_if(all, [](const Report& report) {
        return report.outcome.kind == Outcome::Kind::unknown &&
               report.outcome.sentence == "writing an event about team/train: too many events wait already";
    });
    CHECK(dropped >= 7);
    CHECK(dropped <= 8);
}

TEST_CASE("bindings go on while every other write hangs") {
    std::promise<void> go;
    const std::shared_future<void> gone = go.get_future().share();
    Desk desk([&](const httplib::Request& request, httplib::Response& response) {
        if (request.method == "PATCH")
            gone.wait();
        answer(response, 201);
    });
    for (std::uint64_t id = 100; id < 120; ++id)
        desk.writer->submit(id, model::KickPod{pod("k" + std::to_string(id)), "1"});
    CHECK(desk.server.seen.wait_for_count(6));
    CHECK(desk.carried_out(binding("a")).kind == Outcome::Kind::done);
    CHECK(desk.reports.all().size() == 1);
    go.set_value();
}

TEST_CASE("a refused token is read again and the write repeated once") {
    const TestFolder folder;
    const std::string file = folder.write("token", "old");
    std::atomic<bool> rotated = false;
    Desk desk(
        [&](const httplib::Request& request, httplib::Response& response) {
            if (!rotated.exchange(true))
                folder.write("token", "new");
            answer(response, request.get_header_value("Authorization") == "Bearer new" ? 201 : 401);
        },
        {}, file);
    CHECK(desk.carried_out(binding("a")).kind == Outcome::Kind::done);
    CHECK(desk.server.seen.all().size() == 2);
}

TEST_CASE("the end finishes what is under way and drops what is queued") {
    std::promise<void> go;
    const std::shared_future<void> gone = go.get_future().share();
    Desk desk(
        [&](const httplib::Request&, httplib::Response& response) {
            gone.wait();
            answer(response, 201);
        },
        {.bind_connections = 2, .reporter = {}});
    for (std::uint64_t id = 1; id <= 10; ++id)
        desk.writer->submit(id, binding("p" + std::to_string(id)));
    CHECK(desk.server.seen.wait_for_count(2));
    auto ended = std::async(std::launch::async, [&] { desk.writer.reset(); });
    go.set_value();
    ended.get();
    const std::vector<Report> reports = desk.reports.all();
    CHECK(reports.size() == desk.server.seen.all().size());
    CHECK(reports.size() >= 2);
    for (const Report& report : reports)
        CHECK(report.outcome.kind == Outcome::Kind::done);
}

TEST_CASE("an end without work, or behind a full bucket, needs no server") {
    Desk idle([](const httplib::Request&, httplib::Response& response) { answer(response, 200); });
    idle.writer.reset();
    CHECK(idle.reports.all().empty());
    Desk slow([](const httplib::Request&, httplib::Response& response) { answer(response, 200); },
              {.qps = 0.001, .burst = 1, .reporter = {}});
    for (std::uint64_t id = 1; id <= 10; ++id)
        slow.writer->submit(id, model::KickPod{pod("a"), "1"});
    CHECK(slow.reports.wait_for_count(1));
    slow.writer.reset();
    CHECK(slow.reports.all().size() == 1);
}

}  // namespace
}  // namespace echelon::kube

#include "kube/writer.hpp"

#include "unit-tests/kube/fake_apiserver.hpp"
#include "unit-tests/kube/test_files.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using model::Outcome;
using nlohmann::json;

struct Report {
    std::uint64_t id;
    Outcome outcome;
};

model::PodRef pod(const std::string& name) {
    return {.ns = "team", .name = name, .uid = "u-" + name};
}
model::BindPod binding(const std::string& name) {
    return {.pod = pod(name), .node = "n1", .plan = "p"};
}
model::TellGang planned() {
    model::TellGang event;
    event.ns = "team";
    event.plan = "train";
    event.reason = "Held";
    event.sentence = "planned";
    return event;
}
model::RecordPlan plan(model::Phase phase, std::int64_t epoch = 1) {
    model::RecordPlan write;
    write.record.ns = "team";
    write.record.name = "train";
    write.record.root = {.kind = "podgroup", .name = "team/train"};
    write.record.phase = phase;
    write.record.epoch = epoch;
    return write;
}

// A writer on a scripted server, and what it reported.
struct Desk {
    explicit Desk(FakeApiServer::Handler handler, const WriterOptions& options = {}, const std::string& token_file = "")
        : server(std::move(handler)),
          writer(std::make_unique<Writer>(
              server.credentials("", token_file), options,
              [this](std::uint64_t id, const Outcome& outcome) { reports.add({id, outcome}); })) {}
    ~Desk() { writer.reset(); }
    Desk(const Desk&) = delete;
    Desk& operator=(const Desk&) = delete;

    // One write and what came of it.
    Outcome carried_out(const model::Write& write) {
        const std::uint64_t id = ++last_;
        writer->submit(id, write);
        CHECK(reports.wait(
            [id](const std::vector<Report>& all) { return std::ranges::count(all, id, &Report::id) == 1; }));
        for (const Report& report : reports.all()) {
            if (report.id == id)
                return report.outcome;
        }
        return {};
    }

    Happenings<Report> reports;
    FakeApiServer server;
    std::unique_ptr<Writer> writer;

private:
    std::uint64_t last_ = 0;
};

void answer(httplib::Response& response, int status, const std::string& body = "{}") {
    response.status = status;
    response.set_content(body, "application/json");
}

TEST_CASE("each write reaches its place and is reported once") {
    Desk desk([](const httplib::Request& request, httplib::Response& response) {
        answer(response, request.method == "POST" ? 201 : 200, R"({"metadata":{"uid":"u"},"spec":{"nodeName":"n7"}})");
    });
    for (const model::Write& write :
         {model::Write(binding("a")), model::Write(model::NominatePod{pod("a"), "n1"}),
          model::Write(model::UngatePod{pod("a"), {}}), model::Write(model::KickPod{pod("a"), "1"}),
          model::Write(model::ForgetPlan{"team", "train"})})
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
    const model::TellGang event = planned();
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
    const model::TellGang event = planned();
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

TEST_CASE("a plan is applied as an object once, and then as status only") {
    Desk desk([](const httplib::Request&, httplib::Response& response) { answer(response, 200); });
    CHECK(desk.carried_out(plan(model::Phase::held)).kind == Outcome::Kind::done);
    CHECK(desk.carried_out(plan(model::Phase::committed)).kind == Outcome::Kind::done);
    model::RecordPlan adopted = plan(model::Phase::committed);
    adopted.record.owner_uid = "new-owner";
    CHECK(desk.carried_out(adopted).kind == Outcome::Kind::done);
    CHECK(desk.carried_out(model::ForgetPlan{"team", "train"}).kind == Outcome::Kind::done);
    CHECK(desk.carried_out(adopted).kind == Outcome::Kind::done);
    std::string story;
    for (const SeenRequest& each : desk.server.seen.all())
        story += each.method == "DELETE" ? "d" : each.target.find("/status?") != std::string::npos ? "s" : "o";
    CHECK(story == "ossosdos");
}

TEST_CASE("the time of the last transition stays while the condition does, also over a restart") {
    // What stood in the API server before: placed since last year.
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

TEST_CASE("a plan that somebody deleted is applied anew") {
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

TEST_CASE("records of one plan are written in their order, one after the other") {
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
            CHECK(body["status"]["epoch"] == last + 1);
            ++last;
        }
    }
    CHECK(last == 100);
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

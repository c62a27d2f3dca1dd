#include "kube/lease/lease_follower.hpp"

#include "unit-tests/kube/fake_apiserver.hpp"

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::kube {
namespace {

using std::chrono::seconds;

constexpr std::chrono::hours for_ever{24};

LeaseRecord held_by(const std::string& holder, const std::string& renewed = "1", std::int64_t transitions = 0) {
    return {.holder = holder, .renewed = renewed, .transitions = transitions};
}

LeaseFollowerOptions following(std::chrono::milliseconds interval) {
    return {
        .ns = "kube-system", .name = "kube-scheduler", .hostname = "us", .interval = interval, .patience = for_ever};
}

TEST_CASE("our neighbour holds the Lease only if all before the last underscore is our hostname") {
    struct Row {
        std::string hostname, holder;
        bool leads;
    };
    const std::vector<Row> rows = {{"node1", "node1_4f9c", true},
                                   {"node1", "node10_4f9c", false},
                                   {"node10", "node1_4f9c", false},
                                   {"node1", "node1", false},
                                   {"node1", "node1_", true},
                                   {"a_b", "a_b_4f9c", true},
                                   {"a", "a_b_4f9c", false},
                                   {"node1", "", false},
                                   {"node1", "NODE1_4f9c", false},
                                   {"node1", "x-node1_4f9c", false},
                                   {"node1", "_", false},
                                   {"", "_4f9c", false},
                                   {"node1", "node1.local_4f", false}};
    for (const Row& row : rows) {
        CAPTURE(row.hostname);
        CAPTURE(row.holder);
        CHECK(LeaseObserver(row.hostname).observe(held_by(row.holder), {}) == row.leads);
    }
}

TEST_CASE("a Lease expires when it hasn't changed for its duration by our own clock") {
    struct Step {
        int at;  // Seconds.
        std::optional<LeaseRecord> record;
        bool leads;
    };
    LeaseRecord brief = held_by("us_1", "8", 1);
    brief.duration = seconds(2);
    const std::vector<Step> steps = {
        {0, std::nullopt, false},
        {100, held_by("us_1", "1970-01-01T00:00:00Z"), true},  // An old time means nothing.
        {114, held_by("us_1", "1970-01-01T00:00:00Z"), true},
        {115, held_by("us_1", "1970-01-01T00:00:00Z"), false},
        {116, held_by("us_1", "2999-01-01T00:00:00Z"), true},  // Renewed.
        {131, held_by("us_1", "2999-01-01T00:00:00Z"), false},
        {132, held_by("us_1", "2999-01-01T00:00:00Z", 1), true},  // Taken once more.
        {133, held_by("them_1", "7", 1), false},
        {134, held_by("us_1", "7", 1), true},
        {135, std::nullopt, false},
        {136, held_by("us_1", "7", 1), true},  // Another Lease of that name.
        {150, brief, true},
        {151, brief, true},
        {152, brief, false},
    };
    LeaseObserver judge("us");
    for (const Step& step : steps) {
        CAPTURE(step.at);
        const LeaseObserver::Instant now{seconds(step.at)};
        CHECK(judge.observe(step.record, now) == step.leads);
        CHECK(judge.leads(now) == step.leads);
    }
}

TEST_CASE(
    "a Lease that can't be read keeps the judgement until it expires, and counts from its last change after that") {
    LeaseObserver judge("us");
    CHECK_FALSE(judge.leads(LeaseObserver::Instant{seconds(1)}));
    CHECK(judge.observe(held_by("us_1"), LeaseObserver::Instant{seconds(10)}));
    CHECK(judge.leads(LeaseObserver::Instant{seconds(24)}));
    CHECK_FALSE(judge.leads(LeaseObserver::Instant{seconds(25)}));
    CHECK_FALSE(judge.observe(held_by("us_1"), LeaseObserver::Instant{seconds(30)}));
    CHECK(judge.observe(held_by("us_1", "2"), LeaseObserver::Instant{seconds(31)}));
}

TEST_CASE("a lead has an end: its duration after the renewal, by the clock of the writer (BD6)") {
    using Instant = LeaseObserver::Instant;
    LeaseObserver judge("us");
    CHECK(judge.leads_until() == Instant::min());
    judge.observe(held_by("us_1", "1"), Instant{seconds(100)});
    CHECK(judge.leads_until() == Instant{seconds(115)});
    judge.observe(held_by("us_1", "1"), Instant{seconds(110)}, seconds(10));  // Nothing new.
    CHECK(judge.leads_until() == Instant{seconds(115)});
    judge.observe(held_by("us_1", "2"), Instant{seconds(112)}, seconds(2));
    CHECK(judge.leads_until() == Instant{seconds(125)});
    judge.observe(held_by("them_1", "3"), Instant{seconds(113)});
    CHECK(judge.leads_until() == Instant::min());
    // What a kube-scheduler left that ended 20 s ago is no lead.
    CHECK_FALSE(judge.observe(held_by("us_2", "4"), Instant{seconds(200)}, seconds(20)));
    CHECK(judge.observe(held_by("us_3", "5"), Instant{seconds(201)}, seconds(-20)));  // A clock that was set back.
    CHECK(judge.leads_until() == Instant{seconds(216)});
}

TEST_CASE("every lead that is followed comes with an end, and every renewal with a later one (BD6)") {
    std::atomic<int> asked{0};
    FakeApiServer server([&](const httplib::Request&, httplib::Response& response) {
        response.set_content(fmt::format(R"({{"spec":{{"holderIdentity":"us_1","leaseDurationSeconds":3600,)"
                                         R"("leaseTransitions":{}}}}})",
                                         asked++ / 2),
                             "application/json");
    });
    Happenings<std::optional<LeaseObserver::Instant>> told;
    const LeaseFollower follower(server.credentials(), following(std::chrono::milliseconds(1)),
                                 [&](auto until) { told.add(until); }, {});
    CHECK(told.wait_for_count(4));
    const auto all = told.all();
    for (std::size_t at = 1; at < 4; ++at)
        CHECK(all[at] > all[at - 1]);
}

TEST_CASE("a Lease is read with its defaults, and one of wrong types isn't") {
    const auto full = read_lease(R"({"spec":{"holderIdentity":"us_1","renewTime":"2026-01-01T00:00:00.000000Z",
        "leaseTransitions":3,"leaseDurationSeconds":20}})");
    REQUIRE(full);
    CHECK(full->holder == "us_1");
    CHECK(full->renewed == "2026-01-01T00:00:00.000000Z");
    CHECK(full->transitions == 3);
    CHECK(full->duration == seconds(20));
    for (const char* empty : {"{}", R"({"spec":{}})", R"({"spec":{"holderIdentity":null}})"}) {
        const auto read = read_lease(empty);
        REQUIRE(read);
        CHECK(read->holder.empty());
        CHECK(read->duration == seconds(15));
    }
    for (const char* wrong : {"", "[]", R"({"spec":[]})", R"({"spec":{"holderIdentity":7}})",
                              R"({"spec":{"leaseDurationSeconds":0}})", R"({"spec":{"leaseDurationSeconds":1e99}})"})
        CHECK_FALSE(read_lease(wrong));
}

// The changes, without renewals.
std::vector<bool> changes_of(const std::vector<std::optional<LeaseObserver::Instant>>& told) {
    std::vector<bool> changes;
    for (const auto& until : told) {
        if (changes.empty() || changes.back() != until.has_value())
            changes.push_back(until.has_value());
    }
    return changes;
}

std::string lease_of(const std::string& holder) {
    return fmt::format(R"({{"spec":{{"holderIdentity":"{}","leaseDurationSeconds":86400}}}})", holder);
}

TEST_CASE("the leader is reported at first and on each change, and an unreadable Lease changes nothing") {
    const std::vector<std::pair<int, std::string>> script = {{403, ""},
                                                             {200, lease_of("them_1")},
                                                             {200, lease_of("us_1")},
                                                             {200, lease_of("us_2")},
                                                             {403, ""},
                                                             {500, ""},
                                                             {200, "no JSON"},
                                                             {200, lease_of("us_2")},
                                                             {404, ""},
                                                             {404, ""},
                                                             {200, lease_of("us_3")},
                                                             {200, lease_of("us10_1")}};
    std::atomic<std::size_t> asked{0};
    FakeApiServer server([&](const httplib::Request&, httplib::Response& response) {
        const auto& [status, body] = script[std::min(asked++, script.size() - 1)];
        response.status = status;
        response.set_content(body, "application/json");
    });
    Happenings<std::optional<LeaseObserver::Instant>> told;
    Happenings<std::string> log;
    {
        const LeaseFollower follower(
            server.credentials(), following(std::chrono::milliseconds(1)), [&](auto until) { told.add(until); },
            [&](const std::string& line) { log.add(line); });
        CHECK(server.seen.wait_for_count(script.size() + 5));
    }
    CHECK(changes_of(told.all()) == std::vector<bool>{false, true, false, true, false});
    CHECK(server.seen.all().front().target ==
          "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler");
    CHECK(log.all().size() == 4);  // Each sentence once.
    CHECK(log.all().front() == "leader.lease kube-system/kube-scheduler can't be read: it was answered with 403");
}

TEST_CASE("following a Lease ends while the server is silent and while nothing is to be done") {
    std::atomic<FakeApiServer*> self = nullptr;
    std::atomic<bool> answers{false};
    FakeApiServer server([&](const httplib::Request&, httplib::Response& response) {
        if (!answers)
            self.load()->hang();
        response.set_content(lease_of("us_1"), "application/json");
    });
    self = &server;
    Happenings<std::optional<LeaseObserver::Instant>> told;
    {
        const LeaseFollower follower(server.credentials(), following(for_ever), [&](auto until) { told.add(until); },
                                     {});
        CHECK(server.seen.wait_for_count(1));
    }
    CHECK(told.all().empty());
    answers = true;
    {
        const LeaseFollower follower(server.credentials(), following(for_ever), [&](auto until) { told.add(until); },
                                     {});
        CHECK(told.wait_for_count(1));
    }
    CHECK(changes_of(told.all()) == std::vector<bool>{true});
}

TEST_CASE("there is no leader while the API server has never been reached") {
    int port = 0;
    {
        const FakeApiServer gone([](const httplib::Request&, httplib::Response&) {});
        port = gone.port();
    }
    auto credentials =
        std::make_shared<Credentials>(Endpoint{.scheme = "http", .host = "127.0.0.1", .port = port}, "", "");
    Happenings<std::optional<LeaseObserver::Instant>> told;
    Happenings<std::string> log;
    const LeaseFollower follower(
        credentials, following(for_ever), [&](auto until) { told.add(until); },
        [&](const std::string& line) { log.add(line); });
    CHECK(told.wait_for_count(1));
    CHECK(changes_of(told.all()) == std::vector<bool>{false});
    CHECK(log.all().size() == 1);
}

TEST_CASE("this machine has a name") {
    CHECK_FALSE(own_hostname().empty());
}

}  // namespace
}  // namespace echelon::kube

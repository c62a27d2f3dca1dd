#include "kube/lease/lease_holder.hpp"

#include "kube/lease/lead.hpp"
#include "kube/write/writer.hpp"
#include "unit-tests/kube/fake_apiserver.hpp"
#include "unit-tests/kube/support/cutting_relay.hpp"
#include "unit-tests/kube/test_files.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Step = LeaseTerm::Step;
using Instant = LeaseTerm::Instant;

LeaseRecord held_by(const std::string& holder, const std::string& renewed) {
    return {.holder = holder, .renewed = renewed, .transitions = 0};
}

TEST_CASE("a Lease is taken only if it was not renewed for its duration by our own clock") {
    struct Row {
        int at;  // Seconds.
        std::optional<LeaseRecord> record;
        Step step;
    };
    const std::vector<Row> rows = {
        {0, std::nullopt, Step::create},
        {1, held_by("them", "1970"), Step::wait},  // An old time means nothing.
        {15, held_by("them", "1970"), Step::wait},
        {16, held_by("them", "1970"), Step::take},
        {17, held_by("them", "1971"), Step::wait},  // The other holder renews it.
        {18, held_by("", "1971"), Step::take},      // Given up.
        {19, held_by("us", "1972"), Step::renew},
        {20, held_by("us_", "1972"), Step::wait},
    };
    LeaseTerm term("us", seconds(15));
    for (const Row& row : rows) {
        CAPTURE(row.at);
        CHECK(term.observe(row.record, Instant{seconds(row.at)}) == row.step);
    }
}

TEST_CASE(
    "a lead ends two thirds of the duration after its last renewal was sent, or when another is seen to hold it") {
    LeaseTerm term("us", seconds(15));
    CHECK_FALSE(term.leads(Instant{seconds(1)}));
    const auto ours = held_by("us", "1");
    term.wrote(ours, Instant{seconds(100)});
    CHECK(term.leads(Instant{seconds(109)}));
    CHECK_FALSE(term.leads(Instant{seconds(110)}));
    term.wrote(ours, Instant{seconds(112)});
    CHECK(term.leads(Instant{seconds(113)}));
    static_cast<void>(term.observe(held_by("them", "1"), Instant{seconds(114)}));
    CHECK_FALSE(term.leads(Instant{seconds(114)}));
    term.wrote(ours, Instant{seconds(120)});
    static_cast<void>(term.observe(std::nullopt, Instant{seconds(121)}));  // Somebody deleted it.
    CHECK_FALSE(term.leads(Instant{seconds(121)}));
}

TEST_CASE("a lead is as long as the Lease in the answer, and there is none if that names another holder (BD6)") {
    LeaseTerm term("us", seconds(15));
    auto answered = held_by("us", "1");
    answered.duration = seconds(3);
    term.wrote(answered, Instant{seconds(100)});
    CHECK(term.leads(Instant{seconds(101)}));
    CHECK_FALSE(term.leads(Instant{seconds(102)}));
    answered.duration = seconds(3600);  // Our configuration says 15 s, and the next renewal writes it.
    term.wrote(answered, Instant{seconds(200)});
    CHECK_FALSE(term.leads(Instant{seconds(210)}));
    term.wrote(held_by("them", "2"), Instant{seconds(300)});
    CHECK_FALSE(term.leads(Instant{seconds(300)}));
}

TEST_CASE("a Lease is written as it was read, with a new holder counted and a renewal not") {
    LeaseWriting writing{"ns", "echelon", "us", seconds(15), "T1"};
    const auto fresh = json::parse(*written_lease("", writing));
    CHECK(fresh == json::parse(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
        "metadata":{"namespace":"ns","name":"echelon"},
        "spec":{"holderIdentity":"us","leaseDurationSeconds":15,"acquireTime":"T1","renewTime":"T1",
                "leaseTransitions":0}})"));
    writing.now_text = "T2";
    const auto renewed = json::parse(*written_lease(fresh.dump(), writing));
    CHECK(renewed["spec"]["acquireTime"] == "T1");
    CHECK(renewed["spec"]["renewTime"] == "T2");
    CHECK(renewed["spec"]["leaseTransitions"] == 0);
    auto theirs = fresh;
    theirs["metadata"]["resourceVersion"] = "17";
    theirs["metadata"]["labels"] = {{"team", "a"}};
    theirs["spec"]["holderIdentity"] = "them";
    theirs["spec"]["leaseTransitions"] = 4;
    const auto taken = json::parse(*written_lease(theirs.dump(), writing));
    CHECK(taken["metadata"]["resourceVersion"] == "17");
    CHECK(taken["metadata"]["labels"]["team"] == "a");
    CHECK(taken["spec"]["leaseTransitions"] == 5);
    CHECK(taken["spec"]["acquireTime"] == "T2");
    writing.identity.clear();
    const auto given_up = json::parse(*written_lease(taken.dump(), writing));
    CHECK(given_up["spec"]["holderIdentity"] == "");
    CHECK(given_up["spec"]["leaseDurationSeconds"] == 1);
    CHECK_FALSE(written_lease("[]", writing));
}

// One Lease as in the API server: a version for each write, and a conflict for an old one.
class LeaseShelf {
public:
    void serve(const httplib::Request& request, httplib::Response& response) {
        const std::lock_guard lock(mutex_);
        if (is_down_) {
            response.status = 503;
            return;
        }
        const bool is_read = request.method == "GET";
        const json sent = is_read ? json() : json::parse(request.body);
        if (is_read && lease_.is_null()) {
            response.status = 404;
        } else if (!is_read && (request.method == "POST") != lease_.is_null()) {
            response.status = request.method == "POST" ? 409 : 404;
        } else if (request.method == "PUT" && sent["metadata"]["resourceVersion"] != version()) {
            response.status = 409;
        } else {
            if (!is_read) {
                ++version_;
                lease_ = sent;
                lease_["metadata"]["resourceVersion"] = version();
            }
            response.status = request.method == "POST" ? 201 : 200;
            response.set_content(lease_.dump(), "application/json");
        }
    }
    [[nodiscard]] std::string holder() {
        const std::lock_guard lock(mutex_);
        return lease_.is_null() ? "" : lease_["spec"]["holderIdentity"].get<std::string>();
    }
    void put(const json& lease) {
        const std::lock_guard lock(mutex_);
        ++version_;
        lease_ = lease;
        lease_["metadata"]["resourceVersion"] = version();
    }
    void set_down(bool is_down) {
        const std::lock_guard lock(mutex_);
        is_down_ = is_down;
    }

private:
    [[nodiscard]] std::string version() const { return std::to_string(version_); }

    std::mutex mutex_;
    json lease_;
    int version_ = 0;
    bool is_down_ = false;
};

LeaseHolderOptions taking(const std::string& identity, seconds duration) {
    return {.ns = "kube-system",
            .name = "echelon",
            .identity = identity,
            .duration = duration,
            .interval = milliseconds(5)};
}

using Told = Happenings<std::optional<Instant>>;

bool leads(const std::vector<std::optional<Instant>>& told) {
    return !told.empty() && told.back().has_value();
}

TEST_CASE("of two holders one leads, and the other one once the first has released the Lease") {
    LeaseShelf shelf;
    FakeApiServer server([&](const auto& request, auto& response) { shelf.serve(request, response); });
    Told told_a;
    Told told_b;
    auto a = std::make_unique<LeaseHolder>(
        server.credentials(), taking("a", seconds(3600)), [&](auto until) { told_a.add(until); }, LeaseHolder::Log{});
    CHECK(told_a.wait(leads));
    const LeaseHolder b(
        server.credentials(), taking("b", seconds(3600)), [&](auto until) { told_b.add(until); }, LeaseHolder::Log{});
    CHECK(told_b.wait_for_count(1));
    CHECK_FALSE(told_b.all().front().has_value());
    CHECK(shelf.holder() == "a");
    a.reset();
    CHECK(told_b.wait(leads));
    CHECK(shelf.holder() == "b");
    CHECK(server.seen.all().front().target == "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/echelon");
}

TEST_CASE("every renewal reports a later end of the lead") {
    LeaseShelf shelf;
    FakeApiServer server([&](const auto& request, auto& response) { shelf.serve(request, response); });
    Told told;
    const LeaseHolder holder(
        server.credentials(), taking("a", seconds(3600)), [&](auto until) { told.add(until); }, LeaseHolder::Log{});
    CHECK(told.wait_for_count(4));
    const auto all = told.all();
    for (std::size_t i = 1; i < 4; ++i)
        CHECK(all[i] > all[i - 1]);
}

// A clock that advances only when an answer is slow.
struct SlowAnswers {
    [[nodiscard]] Instant now() const { return Instant{milliseconds(millis.load())}; }
    void pass(milliseconds time) { millis += time.count(); }
    [[nodiscard]] LeaseHolderOptions taking(const std::string& identity, seconds duration) const {
        auto options = kube::taking(identity, duration);
        options.clock = [this] { return now(); };
        return options;
    }
    std::atomic<std::int64_t> millis{1'000'000};
};

TEST_CASE("a slow answer makes no lead longer: it counts from when the renewal was sent (BD6)") {
    LeaseShelf shelf;
    SlowAnswers time;
    FakeApiServer server([&](const auto& request, auto& response) {
        if (request.method != "GET")
            time.pass(seconds(4));
        shelf.serve(request, response);
    });
    Told told;
    const LeaseHolder holder(
        server.credentials(), time.taking("a", seconds(15)), [&](auto until) { told.add(until); }, LeaseHolder::Log{});
    CHECK(told.wait_for_count(3));
    for (std::size_t at = 0; at < 3; ++at) {
        const auto sent = Instant{milliseconds(1'000'000)} + seconds(4) * at;
        CHECK(told.all()[at] == sent + seconds(10));
    }
}

TEST_CASE("a holder whose renewal is answered after the end of the lead doesn't lead (BD6)") {
    LeaseShelf shelf;
    SlowAnswers time;
    FakeApiServer server([&](const auto& request, auto& response) {
        if (request.method != "GET")
            time.pass(seconds(11));
        shelf.serve(request, response);
    });
    Told told;
    const LeaseHolder holder(
        server.credentials(), time.taking("a", seconds(15)), [&](auto until) { told.add(until); }, LeaseHolder::Log{});
    CHECK(server.seen.wait_for_count(8));
    CHECK_FALSE(leads(told.all()));
}

// It may have been renewed at any moment before the answer arrived.
TEST_CASE("the Lease of another holder counts from the answer, not from the request (BD6)") {
    SlowAnswers time;
    std::atomic<int> reads{0};
    FakeApiServer server([&](const httplib::Request& request, httplib::Response& response) {
        // Renewed once, while the first answer is on its way for 20 s.
        if (request.method == "GET" && reads++ == 0)
            time.pass(seconds(20));
        response.set_content(
            R"({"metadata":{},"spec":{"holderIdentity":"them","renewTime":"1","leaseDurationSeconds":15}})",
            "application/json");
    });
    Told told;
    const LeaseHolder holder(
        server.credentials(), time.taking("a", seconds(15)), [&](auto until) { told.add(until); }, LeaseHolder::Log{});
    CHECK(server.seen.wait_for_count(5));
    for (const auto& each : server.seen.all())
        CHECK(each.method == "GET");  // No holder takes a valid Lease.
    time.pass(seconds(15));
    CHECK(server.seen.wait([](const auto& all) {
        return std::ranges::any_of(all, [](const SeenRequest& each) { return each.method == "PUT"; });
    }));
}

TEST_CASE("a holder that can't renew steps down, and logs why once") {
    LeaseShelf shelf;
    FakeApiServer server([&](const auto& request, auto& response) { shelf.serve(request, response); });
    Told told;
    Happenings<std::string> log;
    const LeaseHolder holder(
        server.credentials(), taking("a", seconds(1)), [&](auto until) { told.add(until); },
        [&](const std::string& line) { log.add(line); });
    CHECK(told.wait(leads));
    shelf.set_down(true);
    CHECK(told.wait([](const auto& all) { return all.back() == std::nullopt; }));
    CHECK(log.all() ==
          std::vector<std::string>{"leader.lease kube-system/echelon can't be read: it was answered with 503"});
    shelf.set_down(false);
    CHECK(told.wait(leads));
}

TEST_CASE("a holder goes on when the server fell silent inside an answer, and says so (BD6)") {
    LeaseShelf shelf;
    const TestCertificate own("IP:127.0.0.1");
    FakeApiServer server([&](const auto& request, auto& response) { shelf.serve(request, response); },
                         std::make_unique<httplib::SSLServer>(own.certificate.get(), own.key.get()));
    CuttingRelay relay(server.port());
    const Endpoint endpoint{.scheme = "https", .host = "127.0.0.1", .port = relay.port(), .insecure = true};
    Told told;
    Happenings<std::string> log;
    const LeaseHolder holder(
        std::make_shared<Credentials>(endpoint, "", ""), taking("a", seconds(1)), [&](auto until) { told.add(until); },
        [&](const std::string& line) { log.add(line); });
    CHECK(told.wait(leads));
    relay.cut_next(40);
    REQUIRE(log.wait_for_count(1));
    CHECK(log.all().front().ends_with("was silent for 200 ms"));
    const auto before = told.all().size();
    CHECK(told.wait([before](const auto& all) { return all.size() > before && leads(all); }));
}

TEST_CASE("a Lease is released after the end of the lead was reported, so nothing that is queued follows (BD6)") {
    LeaseShelf shelf;
    FakeApiServer server([&](const httplib::Request& request, httplib::Response& response) {
        if (request.path.ends_with("/leases") || request.path.ends_with("/leases/echelon"))
            return shelf.serve(request, response);
        response.set_content("{}", "application/json");
    });
    std::promise<std::shared_ptr<Lead>> leads;
    std::shared_ptr<Lead> lead;
    auto holder = std::make_unique<LeaseHolder>(
        server.credentials(), taking("a", seconds(3600)),
        [&](auto until) {
            if (!until)
                return lead->end();
            if (lead)
                return lead->renew(*until);
            lead = std::make_shared<Lead>(*until);
            leads.set_value(lead);
        },
        LeaseHolder::Log{});
    Happenings<std::uint64_t> reported;
    Writer writer(server.credentials(), {.qps = 5, .burst = 1, .other_connections = 1, .reporter = {}},
                  [&](std::uint64_t id, const model::Outcome&) { reported.add(id); });
    const auto current = leads.get_future().get();
    for (std::uint64_t id = 1; id <= 2000; ++id)
        writer.submit(id, model::UngatePod{{"team", "p", "u"}}, current);
    CHECK(reported.wait_for_count(2));  // The next one waits for a token.
    holder.reset();
    CHECK(shelf.holder().empty());
    CHECK(reported.wait_for_count(2000));
    CHECK(std::ranges::count(server.seen.all(), "PATCH", &SeenRequest::method) == 2);
}

TEST_CASE("a Lease that another has taken meanwhile is not written over") {
    LeaseShelf shelf;
    FakeApiServer server([&](const auto& request, auto& response) { shelf.serve(request, response); });
    Told told;
    const LeaseHolder holder(
        server.credentials(), taking("a", seconds(3600)), [&](auto until) { told.add(until); }, LeaseHolder::Log{});
    CHECK(told.wait(leads));
    shelf.put(json::parse(R"({"metadata":{},"spec":{"holderIdentity":"them","leaseDurationSeconds":3600}})"));
    CHECK(told.wait([](const auto& all) { return all.back() == std::nullopt; }));
    CHECK(shelf.holder() == "them");
}

TEST_CASE("holding a Lease ends while the server is silent") {
    std::atomic<FakeApiServer*> self = nullptr;
    FakeApiServer server([&](const httplib::Request&, httplib::Response&) { self.load()->hang(); });
    self = &server;
    Told told;
    {
        const LeaseHolder holder(
            server.credentials(), taking("a", seconds(3600)), [&](auto until) { told.add(until); }, LeaseHolder::Log{});
        CHECK(server.seen.wait_for_count(1));
    }
    CHECK(told.all().empty());
}

TEST_CASE("no two identities are equal") {
    CHECK(new_identity() != new_identity());
    CHECK(new_identity().starts_with(own_hostname() + "_"));
}

}  // namespace
}  // namespace echelon::kube

// In which order do writes go out that wait for a connection or a token?

#include "kube/write/writer.hpp"
#include "unit-tests/kube/writer_desk.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::kube {
namespace {

using namespace desk;

model::KickPod kick(const std::string& ns, const std::string& name) {
    return {{.ns = ns, .name = name, .uid = "u-" + name}, "1"};
}
model::ApplyPlan plan_of(const std::string& name, model::Phase phase) {
    auto write = plan(phase);
    write.record.name = name;
    return write;
}

// The only connection for other writes than bindings is in use until the gate opens.
struct GatedDesk {
    GatedDesk() {
        desk.writer->submit(1, kick("team", "first"));
        CHECK(desk.server.seen.wait_for_count(1));
    }

    std::mutex gate;
    std::unique_lock<std::mutex> closed{gate};
    Desk desk{[this](const httplib::Request&, httplib::Response& response) {
                  const std::lock_guard opened(gate);
                  answer(response, 200, R"({"metadata": {"uid": "u"}})");
              },
              {.other_connections = 1, .reporter = {}}};
};

// The names of the objects in the order of their first writes. All are queued while the connection is in use, but for
// those that go out at once over another one.
std::vector<std::string> order_of(const std::vector<model::Write>& writes, std::size_t at_once = 0) {
    GatedDesk gated;
    auto& desk = gated.desk;
    std::uint64_t id = 1;
    for (const auto& write : writes)
        desk.writer->submit(++id, write);
    CHECK(desk.server.seen.wait_for_count(1 + at_once));
    gated.closed.unlock();
    CHECK(desk.reports.wait_for_count(id));
    std::vector<std::string> names;
    for (const auto& each : desk.server.seen.all()) {
        std::string_view target = each.target;
        for (const std::string_view kind : {"/pods/", "/gangplans/"}) {
            if (const auto at = target.find(kind); at != std::string_view::npos)
                target.remove_prefix(at + kind.size());
        }
        const std::string name(target.substr(0, target.find_first_of("/?")));
        if (std::ranges::find(names, name) == names.end())  // A GangPlan has a status, too.
            names.push_back(name);
    }
    names.erase(names.begin());
    return names;
}

TEST_CASE("what the start of a gang waits for goes ahead of what only reports, and gates go first") {
    const auto names = order_of({plan_of("refused", model::Phase::pending), plan_of("bound", model::Phase::bound),
                                 model::NominatePod{pod("nominated"), "n1"}, plan_of("held", model::Phase::held),
                                 plan_of("clearing", model::Phase::clearing), model::EvictPod{pod("victim")},
                                 kick("team", "kicked"), model::UngatePod{pod("ungated")}});
    CHECK(names ==
          std::vector<std::string>{"ungated", "nominated", "held", "clearing", "victim", "kicked", "refused", "bound"});
}

TEST_CASE("namespaces take turns, and each keeps its order") {
    const auto names = order_of({kick("many", "m1"), kick("many", "m2"), kick("many", "m3"), kick("few", "f1"),
                                 kick("few", "f2"), kick("one", "o1")});
    CHECK(names == std::vector<std::string>{"m1", "f1", "o1", "m2", "f2", "m3"});
}

TEST_CASE("one write in eight is of the last rank, however many go ahead") {
    std::vector<model::Write> writes = {plan_of("refused", model::Phase::pending),
                                        plan_of("refused-too", model::Phase::pending)};
    for (int number = 1; number <= 20; ++number)
        writes.emplace_back(model::UngatePod{pod("p" + std::to_string(number))});
    const auto names = order_of(writes);
    REQUIRE(names.size() == 22);
    CHECK(names[6] == "refused");  // The eighth write, with the first.
    CHECK(names[14] == "refused-too");
}

TEST_CASE("a commit doesn't wait behind an earlier record of the gang that has not been sent") {
    std::vector<model::Write> writes = {plan_of("refused", model::Phase::pending),
                                        plan_of("train", model::Phase::pending)};
    for (int number = 1; number <= 20; ++number)
        writes.emplace_back(model::UngatePod{pod("p" + std::to_string(number))});
    writes.emplace_back(plan_of("train", model::Phase::committed));
    const auto names = order_of(writes, 1);
    CHECK(names.size() == 22);
    CHECK(names.front() == "train");
}

TEST_CASE("nor does it wait for the turn of a deletion before it") {
    std::vector<model::Write> writes = {model::DeletePlan{"team", "train", "u"}};
    for (int number = 1; number <= 20; ++number)
        writes.emplace_back(model::UngatePod{pod("p" + std::to_string(number))});
    writes.emplace_back(plan_of("train", model::Phase::committed));
    const auto names = order_of(writes, 1);
    CHECK(names.size() == 21);
    CHECK(names.front() == "train");
}

TEST_CASE("a record keeps its turn when a newer one replaces it, and a deletion stays between two records") {
    GatedDesk gated;
    auto& desk = gated.desk;
    const model::DeletePlan deletion{"team", "train", "u"};
    desk.writer->submit(2, plan(model::Phase::pending, 1));
    desk.writer->submit(3, plan_of("other", model::Phase::pending));
    desk.writer->submit(4, plan(model::Phase::pending, 2));
    desk.writer->submit(5, deletion);
    desk.writer->submit(6, plan(model::Phase::pending, 3));
    gated.closed.unlock();
    REQUIRE(desk.reports.wait_for_count(6));
    std::vector<std::uint64_t> ids;
    for (const auto& report : desk.reports.all()) {
        ids.push_back(report.id);
        CHECK((report.outcome.kind == Outcome::Kind::unknown) == (report.id == 2));
    }
    CHECK(ids == std::vector<std::uint64_t>{2, 1, 4, 3, 5, 6});
}

}  // namespace
}  // namespace echelon::kube

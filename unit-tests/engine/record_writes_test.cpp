// When are GangPlans written again or deleted, if the watch of them lags or another echelon leads?

#include "base/kubernetes_names.hpp"
#include "unit-tests/engine/support/clearing_world.hpp"
#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::count_of;
using test::Rig;
using Kind = model::Outcome::Kind;

// A GangPlan whose gang is gone.
model::PlanSeen orphan(const std::string& name) {
    model::PlanRecord record;
    record.ns = "default";
    record.name = name;
    record.root = {"podgroup", "default/" + name};
    record.phase = model::Phase::bound;
    return {record, "uid-of-" + name};
}

// Nodes without pods.
void empty_cluster(Rig& rig) {
    rig.fabric(1, 1, 2);
    rig.synced();
    rig.advance(Time{1000});
}

// A held gang of two pods, whose watch of GangPlans then shows nothing any more.
struct Lagging {
    Rig rig;
    std::vector<Time> times;                 // When a GangPlan was written.
    std::vector<model::PlanRecord> written;  // What was written then.

    Lagging() {
        rig.fabric(1, 1, 2);
        rig.gang({"train", 2});
        rig.pods("train", 0, 2);
        rig.synced();
        rig.advance(Time{1000});
        rig.fate = [this](const model::Write& write) -> std::optional<model::Outcome> {
            const auto* apply = std::get_if<model::ApplyPlan>(&write);
            if (apply == nullptr)
                return std::nullopt;
            times.push_back(rig.now);
            written.push_back(apply->record);
            return model::Outcome{Kind::done, "", "", "plan-1"};
        };
    }

    // Seconds between the writes of the last record.
    [[nodiscard]] std::vector<std::int64_t> gaps() const {
        std::vector<std::int64_t> gaps;
        const auto first = static_cast<std::size_t>(std::ranges::find(written, written.back()) - written.begin());
        for (auto i = first + 1; i < times.size(); ++i)
            gaps.push_back((times[i] - times[i - 1]) / Time{1000});
        return gaps;
    }
};

using Gaps = std::vector<std::int64_t>;

TEST_CASE("a GangPlan that was deleted before the watch showed it is written again") {
    Rig rig;
    rig.fabric(1, 1, 1);
    rig.gang({"train", 2});
    rig.pods("train", 0, 2);
    std::vector<Time> times;
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::ApplyPlan>(write))
            return std::nullopt;
        times.push_back(rig.now);
        return model::Outcome{Kind::done, "", "", "plan-1"};
    };
    rig.synced();
    REQUIRE(times.size() == 1);
    rig.fate = nullptr;
    rig.advance(Time{2000});
    CHECK(rig.record("train") != nullptr);
    CHECK(count_of(rig.writes, "record train") == 2);
    rig.advance(Time{60'000});
    CHECK(count_of(rig.writes, "record train") == 2);
}

TEST_CASE("GangPlans of bound gangs are written again when the API server serves GangPlans again") {
    Rig rig;
    rig.fabric(1, 1, 4);
    for (const char* name : {"a", "b"}) {
        rig.gang({name, 2});
        rig.pods(name, 0, 2);
    }
    rig.synced();
    rig.schedule_all();
    rig.advance(Time{5000});
    REQUIRE(rig.bound().size() == 4);
    bool is_served = false;
    std::vector<Time> times;
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::ApplyPlan>(write))
            return std::nullopt;
        times.push_back(rig.now);
        return is_served ? std::nullopt : std::optional(model::Outcome{Kind::gone, "not served", "", ""});
    };
    for (const char* name : {"a", "b"})
        rig.step(Observed{model::PlanGone{"default", name}});
    rig.advance(Time{120'000});
    CHECK(times.size() == 2);  // Refused, and not tried again while the kind isn't served.
    is_served = true;
    times.clear();
    rig.step(Observed{model::Synced{"gangplans.echelon.sh"}});
    rig.advance(Time{10'000});
    REQUIRE(times.size() == 2);
    CHECK(times[0] != times[1]);
    CHECK(rig.record("a") != nullptr);
    CHECK(rig.record("b") != nullptr);
    rig.step(Observed{model::Synced{"gangplans.echelon.sh"}});
    rig.advance(Time{60'000});
    CHECK(times.size() == 2);
}

// A record of a commit with one seat, whose gang isn't there.
model::PlanSeen open_commit(const std::string& name, const std::string& pod, const base::Text& uid) {
    auto seen = orphan(name);
    seen.record.phase = model::Phase::committed;
    seen.record.seats.push_back({"default/" + pod, uid, "n", true});
    return seen;
}

TEST_CASE("a commit record is kept as long as its pods are there, though the objects of the gang aren't read") {
    for (const bool is_there : {true, false}) {
        CAPTURE(is_there);
        Rig rig;
        rig.fabric(1, 1, 2);
        rig.pod("kept-0", "part-of-kept");
        rig.step(Observed{open_commit("kept", "kept-0", is_there ? rig.pod_of("kept-0").uid : "gone")});
        rig.synced();
        rig.advance(Time{120'000});
        CHECK(count_of(rig.writes, "forget kept") == (is_there ? 0 : 1));
        rig.remove_pod("kept-0");
        rig.advance(Time{60'000});
        CHECK(count_of(rig.writes, "forget kept") == 1);
    }
}

TEST_CASE("a commit record whose gang is gone is deleted, though its pods are there as those of another one") {
    for (const std::string other : {"", "other"}) {
        CAPTURE(other);
        Rig rig;
        rig.fabric(1, 1, 2);
        rig.gang({"other", 1});
        rig.pod("kept-0", other);
        rig.step(Observed{open_commit("kept", "kept-0", rig.pod_of("kept-0").uid)});
        rig.synced();
        rig.advance(Time{120'000});
        CHECK(count_of(rig.writes, "forget kept") == 1);
    }
}

TEST_CASE("a gang whose name no object may have gets a GangPlan of a name that is allowed") {
    for (const std::string& name :
         {std::string("a..b"), std::string("a-.b"), std::string("A_b"), std::string(240, 'a')}) {
        CAPTURE(name);
        Rig rig;
        rig.fabric(1, 1, 2);
        rig.gang({name, 1});
        rig.pods(name, 0, 1);
        std::string written;
        rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
            if (const auto* apply = std::get_if<model::ApplyPlan>(&write))
                written = apply->record.name;
            return std::nullopt;
        };
        rig.synced();
        rig.advance(Time{1000});
        CHECK(base::is_dns_subdomain(written));
        CHECK(written != name);
    }
}

TEST_CASE("a gang that binds soon after it came is recorded at its commit, and one that waits after half a second") {
    const auto records_of = [](const Rig& rig) {
        std::string records;
        for (const auto& write : rig.writes)
            records += write.starts_with("record ") ? write + ", " : "";
        return records;
    };
    for (const bool is_quick : {true, false}) {
        CAPTURE(is_quick);
        Rig rig;
        rig.fabric(1, 1, 2);
        rig.synced();
        rig.gang({"train", 2});
        rig.pods("train", 0, 1);
        rig.advance(Time{is_quick ? 200 : 600});
        rig.pods("train", 1, 2);
        rig.advance(Time{is_quick ? 200 : 600});
        rig.schedule_all();
        rig.advance(Time{2000});
        CHECK(rig.bound().size() == 2);
        const std::string earlier = is_quick ? "" : "record train Pending, record train Held, ";
        CHECK(records_of(rig) == earlier + "record train Committed, record train Bound, ");
    }
}

TEST_CASE("a commit doesn't wait for the answer to an earlier report of the gang") {
    Rig rig;
    rig.fabric(1, 1, 2);
    rig.gang({"train", 2});
    rig.is_late = [](const model::Write& write) {
        const auto* apply = std::get_if<model::ApplyPlan>(&write);
        return apply != nullptr && apply->record.phase != model::Phase::committed;
    };
    rig.synced();
    rig.pods("train", 0, 1);
    rig.advance(Time{1000});
    CHECK(rig.record("train") == nullptr);  // It waits with its reason.
    rig.pods("train", 1, 2);
    rig.live(5);
    CHECK(rig.bound().size() == 2);
}

TEST_CASE("a clearing whose record overtakes a report isn't taken for that of an earlier run (P2, P4)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    std::optional<model::PlanRecord> clearing;
    rig.is_late = [](const model::Write& write) {
        const auto* apply = std::get_if<model::ApplyPlan>(&write);
        return apply != nullptr && apply->record.phase == model::Phase::pending;
    };
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        const auto* apply = std::get_if<model::ApplyPlan>(&write);
        if (apply == nullptr || apply->record.phase != model::Phase::clearing || clearing)
            return std::nullopt;
        clearing = apply->record;
        return test::answer(Kind::unknown);
    };
    rig.gang({"top", 2, {}, 100, 2});
    rig.pods("top", 0, 1);
    rig.advance(Time{1000});
    rig.pods("top", 1, 2);
    while (!clearing)
        rig.advance(Time{10});
    rig.is_late = nullptr;
    rig.settle();  // The report is answered.
    rig.step(Observed{model::PlanSeen{*clearing, "plan-of-top"}});
    CHECK(rig.engine.published()->stats.holds_broken == 0);
    rig.advance(Time{2000});
    CHECK(rig.evicted.size() == 2);
}

TEST_CASE("a GangPlan that the watch doesn't show yet is written again after 1, 2, 4 ... 30 seconds") {
    Lagging lagging;
    auto& rig = lagging.rig;
    REQUIRE(rig.record("train") != nullptr);
    rig.remove_pod("train-1");
    rig.advance(Time{95'000});
    REQUIRE(!lagging.written.empty());
    CHECK(lagging.written.back() != *rig.record("train"));
    CHECK(lagging.gaps() == Gaps{1, 2, 4, 8, 16, 30, 30});
}

TEST_CASE("a GangPlan that the watch shows is not written again") {
    Lagging lagging;
    auto& rig = lagging.rig;
    rig.remove_pod("train-1");
    rig.advance(Time{10'000});
    REQUIRE(!lagging.written.empty());
    rig.step(Observed{model::PlanSeen{lagging.written.back(), "plan-1"}});
    const auto writes = lagging.written.size();
    rig.advance(Time{95'000});
    CHECK(lagging.written.size() == writes);
}

TEST_CASE("a GangPlan that is overwritten is written again a second later, however long the watch lagged before") {
    Lagging lagging;
    auto& rig = lagging.rig;
    const auto held = *rig.record("train");
    rig.remove_pod("train-1");
    rig.advance(Time{65'000});
    REQUIRE(!lagging.written.empty());
    const auto ours = lagging.written.back();
    auto theirs = held;
    SUBCASE("by a record that the watch has shown before") {}
    SUBCASE("by a record of another echelon") {
        theirs.message = "written by another echelon";
    }
    rig.step(Observed{model::PlanSeen{theirs, "plan-1"}});
    lagging.written.clear();
    rig.advance(Time{900});
    CHECK(lagging.written.empty());
    rig.advance(Time{200});
    REQUIRE(lagging.written.size() == 1);
    CHECK(lagging.written.back() == ours);
}

TEST_CASE("another record is written at once, and again after 1, 2, 4 ... seconds while the watch lags") {
    Lagging lagging;
    auto& rig = lagging.rig;
    rig.remove_pod("train-1");
    rig.advance(Time{65'000});
    REQUIRE(!lagging.written.empty());
    const auto before = lagging.written.size();
    rig.pod("train-1", "train");
    rig.advance(Time{8000});
    REQUIRE(lagging.written.size() > before);
    CHECK(lagging.written.back().phase == model::Phase::held);
    CHECK(lagging.gaps() == Gaps{1, 2, 4});
}

TEST_CASE("without the lead no deletion of a GangPlan is kept, and one that is gone is not deleted with the lead") {
    Rig rig;
    empty_cluster(rig);
    rig.step(LeadChanged{false});
    for (int i = 0; i < 3; ++i) {
        const auto name = fmt::format("gone-{}", i);
        rig.step(Observed{orphan(name)});
        CHECK(!rig.engine.wakes_at().has_value());
        rig.step(Observed{model::PlanGone{"default", name}});
    }
    rig.advance(Time{60'000});
    CHECK(!rig.engine.wakes_at().has_value());
    rig.step(LeadChanged{true});
    rig.advance(Time{60'000});
    CHECK(count_of(rig.writes, "forget") == 0);
}

TEST_CASE("an echelon that gets the lead deletes GangPlans without a gang, once and after a delay") {
    Rig rig;
    empty_cluster(rig);
    rig.step(LeadChanged{false});
    rig.step(Observed{orphan("left")});
    rig.advance(Time{60'000});
    CHECK(rig.writes.empty());
    rig.step(LeadChanged{true});
    rig.advance(Time{9000});
    CHECK(rig.writes.empty());
    rig.advance(Time{60'000});
    CHECK(rig.writes == std::vector<std::string>{"forget left"});
}

TEST_CASE("a GangPlan that goes before its deletion is due is not deleted") {
    Rig rig;
    empty_cluster(rig);
    rig.step(Observed{orphan("gone")});
    rig.step(Observed{orphan("left")});
    rig.advance(Time{5000});
    rig.step(Observed{model::PlanGone{"default", "gone"}});
    rig.advance(Time{60'000});
    CHECK(rig.writes == std::vector<std::string>{"forget left"});
}

TEST_CASE("a deletion that failed before the lead was lost is tried again with the lead, unless the GangPlan is gone") {
    for (const bool is_gone : {false, true}) {
        CAPTURE(is_gone);
        Rig rig;
        rig.fabric(1, 1, 2);
        rig.gang({"train", 1});
        rig.pods("train", 0, 1);
        rig.synced();
        rig.advance(Time{1000});
        rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
            if (!std::holds_alternative<model::DeletePlan>(write))
                return std::nullopt;
            return model::Outcome{Kind::unknown, "503", "", ""};
        };
        rig.remove_pod("train-0");
        rig.remove_gang("train");
        rig.settle();
        REQUIRE(count_of(rig.writes, "forget train") == 1);
        rig.fate = nullptr;
        rig.step(LeadChanged{false});
        if (is_gone)
            rig.step(Observed{model::PlanGone{"default", "train"}});
        rig.advance(Time{60'000});
        CHECK(count_of(rig.writes, "forget train") == 1);
        rig.step(LeadChanged{true});
        rig.advance(Time{60'000});
        CHECK(count_of(rig.writes, "forget train") == (is_gone ? 1 : 2));
    }
}

}  // namespace
}  // namespace echelon::engine

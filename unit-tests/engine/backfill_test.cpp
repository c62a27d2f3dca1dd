// Where running pods declare their ends, a waiting gang gets a promised start, and others may run until then (Q17,
// Q18).

#include "unit-tests/engine/support/passing_gangs.hpp"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::passes;
using test::remove_all;
using test::Rig;

constexpr std::int64_t old_end = 900;  // Seconds since 1970; the rig's time starts there.
constexpr const char* by_old_end = "; expected to start by 1970-01-01T00:15:00Z";

Options soon() {
    auto options = Rig::default_options();
    options.claim_after = Time{60'000};
    return options;
}

void end_at(Rig& rig, const std::string& pod, std::int64_t end) {
    rig.change_pod(pod, [&](model::Pod& its) {
        its.started = rig.now / Time{1000};
        its.active_deadline = end - its.started;
    });
}

// A gang that is bound in one rack. Its pods end at `end`; 0: nobody knows.
void run(Rig& rig, const std::string& gang, int size, std::int64_t end) {
    rig.gang({gang, size, test::rack_key});
    rig.pods(gang, 0, size);
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    REQUIRE(rig.racks_of(gang).size() == 1);
    for (int i = 0; i < size && end > 0; ++i)
        end_at(rig, fmt::format("{}-{}", gang, i), end);
}

// One rack of 4 hosts, two of them taken by "old". "large" wants `size` hosts, and has waited long enough.
void large_waits(Rig& rig, std::int64_t end, int size = 4) {
    rig.fabric(1, 1, 4);
    rig.synced();
    run(rig, "old", 2, end);
    rig.gang({"large", size, test::rack_key, {}, 10});
    rig.pods("large", 0, size);
    rig.advance(Time{70'000});
    REQUIRE(rig.record("large")->reason == "NoRoom");
}

std::size_t records(const Rig& rig) {
    return static_cast<std::size_t>(
        std::ranges::count_if(rig.writes, [](const std::string& write) { return write.starts_with("record"); }));
}

const std::string& message(const Rig& rig) {
    return rig.record("large")->message;
}

TEST_CASE("a gang behind pods that declare their ends is expected to start by the last of them (Q17)") {
    Rig rig(soon());
    large_waits(rig, old_end);
    CHECK(message(rig).ends_with(std::string("capacity freed in b0/r0 is reserved for it") + by_old_end));
    const auto before = records(rig);
    rig.advance(Time{300'000});  // It is planned again and again, and the promise stays the same.
    CHECK(message(rig).ends_with(by_old_end));
    CHECK(records(rig) == before);
}

TEST_CASE("others use reserved nodes until the promised start, if they end before, and the gang starts in time (Q18)") {
    Rig rig(soon());
    large_waits(rig, old_end);
    CHECK(passes(rig, "short", 1, 300));
    CHECK(!passes(rig, "long", 1, 900));
    CHECK(!passes(rig, "endless", 1, 0));
    CHECK(message(rig).ends_with(by_old_end));
    remove_all(rig, "short", 1);
    remove_all(rig, "old", 2);
    REQUIRE(rig.now < Time{old_end * 1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.racks_of("large").size() == 1);
    CHECK(rig.racks_of("endless").empty());
}

TEST_CASE("a pod of no gang that ends before the promised start may use reserved nodes (PR2, Q18)") {
    Rig rig(soon());
    large_waits(rig, old_end);
    const auto* promises = rig.engine.published()->promises.on("b0-r0-h03");
    REQUIRE(promises != nullptr);
    model::PlainPod pod{.requests = {{test::gpu, 8}}};
    CHECK(promises->room->keep_out(pod, Protection::promised, rig.now));
    pod.active_deadline = 300;
    CHECK(!promises->room->keep_out(pod, Protection::promised, rig.now));
    pod.active_deadline = old_end;
    CHECK(promises->room->keep_out(pod, Protection::promised, rig.now));
}

TEST_CASE("a pod that asks for more than can be counted promises no room by its end (BD3, Q17)") {
    Rig rig(soon());
    rig.fabric(1, 1, 4);
    rig.synced();
    run(rig, "old", 2, old_end);
    for (const char* name : {"hog-0", "hog-1"}) {  // Only the first one ends.
        rig.pod(name, "", false, 4'000'000'000'000'000'000);
        rig.change_pod(name, [](model::Pod& pod) { pod.node = "b0-r0-h03"; });
    }
    end_at(rig, "hog-0", old_end);
    rig.gang({"large", 4, test::rack_key, {}, 10});
    rig.pods("large", 0, 4);
    rig.advance(Time{70'000});
    CHECK(message(rig).find("expected to start") == std::string::npos);
}

TEST_CASE("only the nodes of the promise are kept, not the whole domain (Q17)") {
    Rig rig(soon());
    large_waits(rig, old_end, 3);
    CHECK(message(rig).ends_with(by_old_end));
    CHECK(passes(rig, "endless", 1, 0));
    CHECK(!passes(rig, "another", 1, 0));
    CHECK(message(rig).ends_with(by_old_end));
}

TEST_CASE("while one pod in the way declares no end the gang gets a domain without a promise (Q17)") {
    Rig rig(soon());
    large_waits(rig, 0);
    CHECK(message(rig).ends_with("is reserved for it"));
    CHECK(!passes(rig, "short", 1, 10'000));
    // Later both declare an end.
    end_at(rig, "old-0", old_end);
    end_at(rig, "old-1", old_end - 100);
    rig.advance(Time{150'000});
    CHECK(message(rig).ends_with(by_old_end));
}

TEST_CASE("the deadline of a Job ends its pods, counted from the start of the Job (Q17)") {
    Rig rig(soon());
    large_waits(rig, 0);
    for (const auto* pod : {"old-0", "old-1"})
        rig.change_pod(pod, [](model::Pod& its) { its.job = std::string("job-uid"); });
    rig.step(Observed{model::JobSeen{.uid = "job-uid", .ends = old_end}});
    rig.advance(Time{60'000});
    CHECK(message(rig).ends_with(by_old_end));
    rig.step(Observed{model::JobGone{"job-uid"}});
    rig.advance(Time{60'000});
    CHECK(message(rig).ends_with("is reserved for it"));
}

TEST_CASE("the promise moves when a pod in the way turns out to end later or sooner (Q17)") {
    Rig rig(soon());
    large_waits(rig, old_end - 60);
    CHECK(message(rig).ends_with("1970-01-01T00:14:00Z"));
    end_at(rig, "old-1", old_end);
    rig.advance(Time{60'000});
    CHECK(message(rig).ends_with(by_old_end));
}

}  // namespace
}  // namespace echelon::engine

// A starving gang gets a domain reserved, and other gangs may use it only by the rules Q4 to Q7.

#include "engine/reserve/domain_reservations.hpp"

#include "unit-tests/engine/support/passing_gangs.hpp"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::count_of;
using test::passes;
using test::remove_all;
using test::reserving_soon;
using test::Rig;

// A gang that takes a whole rack for as long as its pods live, bound.
void fill(Rig& rig, const std::string& gang, int size) {
    rig.gang({gang, size, test::rack_key});
    rig.pods(gang, 0, size);
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    REQUIRE(rig.racks_of(gang).size() == 1);
}

// One rack of 8 hosts, 4 of them taken for long, and "large", which wants all 8.
void large_waits(Rig& rig) {
    rig.fabric(1, 1, 8);
    rig.synced();
    fill(rig, "old", 4);
    rig.gang({"large", 8, test::rack_key, {}, 10});
    rig.pods("large", 0, 8);
    rig.advance(Time{1000});
    REQUIRE(rig.record("large")->reason == "NoRoom");
}

TEST_CASE("a refused gang doesn't block the gangs behind it before it may reserve a domain (Q4)") {
    Rig rig(reserving_soon());
    large_waits(rig);
    CHECK(passes(rig, "small", 2));
}

TEST_CASE("a gang refused for lack of room long enough gets a rack reserved, and in the end the rack (Q5)") {
    Rig rig(reserving_soon());
    large_waits(rig);
    rig.advance(Time{70'000});
    CHECK(rig.record("large")->message.find("b0/r0") != std::string::npos);
    CHECK(rig.record("large")->message.ends_with("is reserved for it"));
    CHECK(!passes(rig, "small", 2));
    CHECK(rig.record("small")->reason == "NoRoom");
    remove_all(rig, "old", 4);
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.racks_of("large").size() == 1);
    CHECK(rig.racks_of("small").empty());
    // The reservation has ended: what "large" leaves is open to every pod.
    remove_all(rig, "large", 8);
    rig.advance(Time{3000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.racks_of("small").size() == 1);
}

TEST_CASE("a reservation yields to a gang of higher priority, and to no other (Q15)") {
    Rig rig(reserving_soon());
    large_waits(rig);
    rig.advance(Time{70'000});
    REQUIRE(!passes(rig, "small", 2));
    rig.gang({"important", 2, test::rack_key, 100, 99});
    rig.pods("important", 0, 2, false);
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.racks_of("important").size() == 1);
    CHECK(rig.racks_of("small").empty());
}

TEST_CASE("a reservation ends, others have the room for a while, and then it is reserved again (Q5)") {
    Rig rig(reserving_soon());
    large_waits(rig);
    rig.advance(Time{70'000});
    REQUIRE(!passes(rig, "small", 2));
    rig.advance(Time{600'000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.racks_of("small").size() == 1);
    rig.advance(Time{120'000});
    CHECK(rig.record("large")->message.ends_with("is reserved for it"));
    CHECK(!passes(rig, "late", 2));
}

TEST_CASE("a gang keeps its age and its reservation while pods are evicted for it, and when that fails (Q5)") {
    auto options = reserving_soon();
    options.profiles["default-scheduler"].preempt = true;
    Rig rig(options);
    rig.fabric(1, 1, 8);
    rig.synced();
    fill(rig, "cheap", 8);
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::EvictPod>(write))
            return std::nullopt;
        return model::Outcome{model::Outcome::Kind::rejected, "refused", "", ""};
    };
    rig.gang({"large", 8, test::rack_key, 100, 10});
    rig.pods("large", 0, 8);
    rig.advance(Time{70'000});
    REQUIRE(count_of(rig.writes, "evict ") > 1);
    CHECK(rig.record("large")->message.find("is reserved for it") != std::string::npos);
    const auto before = count_of(rig.writes, "evict ");
    while (count_of(rig.writes, "evict ") == before)
        rig.advance(Time{1000});
    rig.advance(Time{1000});
    CHECK(rig.record("large")->message.find("is reserved for it") != std::string::npos);
    // The clearing lasts longer than a reservation takes to be judged anew.
    rig.fate = nullptr;
    while (rig.evicted.empty())
        rig.advance(Time{1000});
    rig.advance(Time{310'000});
    REQUIRE(rig.record("large")->message.find("did not go within") != std::string::npos);
    CHECK(rig.record("large")->message.find("is reserved for it") != std::string::npos);
}

TEST_CASE("a gang that no amount of waiting helps reserves nothing (Q5)") {
    Rig rig(reserving_soon());
    rig.fabric(1, 1, 8);
    rig.synced();
    fill(rig, "old", 4);
    rig.gang({"impossible", 9, test::rack_key, {}, 10});
    rig.pods("impossible", 0, 9);
    rig.gang({"incomplete", 8, test::rack_key, {}, 10});
    rig.pods("incomplete", 0, 7);
    rig.gang({"invalid", 8, "no.such/level", {}, 10});
    rig.pods("invalid", 0, 8);
    rig.advance(Time{300'000});
    CHECK(rig.record("impossible")->reason == "Impossible");
    CHECK(rig.record("incomplete")->reason == "Incomplete");
    CHECK(rig.record("invalid")->reason == "Invalid");
    CHECK(passes(rig, "small", 2));
}

TEST_CASE("a refusal without proof reserves nothing (Q5)") {
    auto options = reserving_soon();
    options.budget.steps = 1;
    Rig rig(options);
    rig.fabric(2, 2, 8);
    rig.synced();
    model::Group root;
    root.key = {"compositepodgroup", "default/both"};
    root.kind = model::GroupKind::composite;
    root.minimum = 2;
    rig.add_group("both", root);
    for (const std::string name : {"a", "b"}) {
        rig.gang({name, 8, test::rack_key});
        rig.change_gang(name, [&](model::Group& group) { group.parent = root.key; });
        rig.pods(name, 0, 8);
    }
    rig.advance(Time{300'000});
    REQUIRE(rig.record("both") != nullptr);
    REQUIRE(rig.record("both")->reason == "OutOfBudget");
    CHECK(rig.record("both")->message.find("reserved for it") == std::string::npos);
}

TEST_CASE("reserved room is open to pods that declare to end before the reservation does (Q6)") {
    Rig rig(reserving_soon());
    large_waits(rig);
    rig.advance(Time{70'000});
    CHECK(!passes(rig, "long", 1, 900));
    CHECK(passes(rig, "short", 1, 120));
    CHECK(!passes(rig, "endless", 1));
}

TEST_CASE("a domain has one reservation at most, and the next starving gang gets another domain (Q5)") {
    Rig rig(reserving_soon());
    rig.fabric(1, 2, 8);
    rig.synced();
    fill(rig, "old", 4);
    fill(rig, "older", 6);
    REQUIRE(rig.racks_of("old") != rig.racks_of("older"));
    for (const std::string name : {"first", "second"}) {
        rig.gang({name, 8, test::rack_key, {}, name == "first" ? 10 : 20});
        rig.pods(name, 0, 8);
    }
    rig.advance(Time{70'000});
    const auto near = *rig.racks_of("old").begin();  // "b0-r0" or "b0-r1": the one with fewer hosts taken.
    const auto path = "b0/" + near.substr(3);
    CHECK(rig.record("first")->message.find("freed in " + path) != std::string::npos);
    rig.advance(Time{60'000});
    CHECK(rig.record("second")->message.find("reserved for it") != std::string::npos);
    CHECK(rig.record("second")->message.find("free in " + path) == std::string::npos);
}

TEST_CASE("a stream of small gangs doesn't keep a large one out for ever (Q7)") {
    Rig rig(reserving_soon());
    rig.fabric(1, 1, 8);
    rig.synced();
    fill(rig, "s0", 4);
    rig.gang({"large", 8, test::rack_key, {}, 10});
    rig.pods("large", 0, 8);
    // The next small gang always comes before the last one ends, so all 8 hosts are never free at once.
    for (int i = 1; i < 30 && rig.racks_of("large").empty(); ++i) {
        passes(rig, fmt::format("s{}", i), 4);
        rig.advance(Time{10'000});
        if (!rig.racks_of(fmt::format("s{}", i - 1)).empty())
            remove_all(rig, fmt::format("s{}", i - 1), 4);
        rig.schedule_all();
        rig.advance(Time{1000});
    }
    CHECK(rig.racks_of("large").size() == 1);
}

TEST_CASE("a reservation lasts while nothing happens, without a wake-up") {
    Rig rig(reserving_soon());
    large_waits(rig);
    rig.advance(Time{70'000});
    const auto written = rig.writes.size();
    int wakes = 0;
    for (const Time end = rig.now + Time{500'000}; rig.now < end; ++wakes) {
        const auto wake = rig.engine.wakes_at();
        if (!wake || *wake >= end)
            break;
        rig.advance(*wake - rig.now);
    }
    CHECK(wakes < 20);
    CHECK(rig.writes.size() == written);
}

TEST_CASE("gangs that become old enough one after another need one tick each (I12)") {
    Rig rig(reserving_soon());
    large_waits(rig);
    for (int i = 0; i < 5; ++i) {
        rig.now += Time{1};
        const auto name = fmt::format("next{}", i);
        rig.gang({name, 8, test::rack_key, {}, 20});
        rig.pods(name, 0, 8);
    }
    const Time end = rig.now + Time{300'000};
    for (auto wake = rig.engine.wakes_at(); wake && *wake < end; wake = rig.engine.wakes_at()) {
        REQUIRE(*wake > rig.now);  // Whatever was due at the last tick was done by it.
        rig.now = *wake;
        rig.step(Ticked{});
        rig.settle();
    }
    CHECK(rig.engine.published()->stats.solves_infeasible > 6);
}

TEST_CASE("without a configured age nothing is reserved") {
    auto options = reserving_soon();
    options.claim_after = Time{0};
    Rig rig(options);
    large_waits(rig);
    rig.advance(Time{3'600'000});
    CHECK(passes(rig, "small", 2));
}

// --- The edge: which domain is closest.

model::Snapshot racks(std::vector<std::int64_t> free_of_8) {
    model::Cluster cluster{{{"default-scheduler", {}}}};
    model::Topology topology;
    topology.name = "fabric";
    topology.source = model::TopologySource::configuration;
    topology.levels = {test::rack_key, "kubernetes.io/hostname"};
    static_cast<void>(cluster.apply(model::TopologySeen{topology}));
    for (std::size_t n = 0; n < free_of_8.size(); ++n) {
        model::Node node;
        node.name = fmt::format("n{}", n);
        node.uid = node.name;
        node.labels = {{test::rack_key, fmt::format("r{}", n / 2)}, {"kubernetes.io/hostname", node.name}};
        node.allocatable = {{"pods", 10}, {test::gpu, 8}};
        static_cast<void>(cluster.apply(model::NodeSeen{node}));
    }
    auto snapshot = cluster.snapshot();
    const auto gpu = std::ranges::find(snapshot.resources, test::gpu) - snapshot.resources.begin();
    for (std::size_t n = 0; n < free_of_8.size(); ++n)
        snapshot.room[static_cast<std::size_t>(gpu)][*snapshot.node(fmt::format("n{}", n))] = free_of_8[n];
    // One pod class: a whole host.
    model::PodClass pod_class;
    pod_class.requests = {{"pods", 1}, {test::gpu, 8}};
    snapshot.pod_classes = {pod_class};
    snapshot.need = {std::vector<std::int64_t>(snapshot.resources.size(), 0)};
    snapshot.need[0][static_cast<std::size_t>(gpu)] = 8;
    snapshot.eligible = {std::vector<std::uint8_t>(snapshot.node_count(), 1)};
    return snapshot;
}

model::Gang leaf_of(std::uint32_t size, const model::Snapshot& snapshot, bool in_one_rack) {
    model::Gang gang;
    gang.root = {"podgroup", "default/train"};
    model::GangGroup root;
    root.key = gang.root;
    root.minimum = size;
    root.last_member = size;
    if (in_one_rack)
        root.required = {*snapshot.level(test::rack_key)};
    gang.groups = {root};
    for (std::uint32_t i = 0; i < size; ++i) {
        model::Member member;
        member.uid = member.pod = fmt::format("p{}", i);
        gang.members.push_back(member);
    }
    return gang;
}

const auto anything = [](const DomainId&) { return true; };

TEST_CASE("the closest domain misses the fewest seats, and the first of equal ones is taken") {
    const auto snapshot = racks({0, 0, 0, 8, 8, 0, 4, 7});
    CHECK(closest_domain(snapshot, leaf_of(2, snapshot, true), {}, {}, 0, anything)->path == "r1");
    const auto free = [](const DomainId& domain) { return domain.path != "r1"; };
    CHECK(closest_domain(snapshot, leaf_of(2, snapshot, true), {}, {}, 0, free)->path == "r2");
}

TEST_CASE("a domain that is too small even when it is empty is never the closest") {
    const auto snapshot = racks({8, 0, 0, 0});
    CHECK(!closest_domain(snapshot, leaf_of(3, snapshot, true), {}, {}, 0, anything));
    const auto wide = closest_domain(snapshot, leaf_of(3, snapshot, false), {}, {}, 0, anything);
    REQUIRE(wide);
    CHECK(wide->level.empty());  // No rack will do, so it takes the cluster.
}

TEST_CASE("a gang that may go anywhere takes the narrowest level first, and a wider one the next time") {
    const auto snapshot = racks({0, 0, 0, 4});
    const auto gang = leaf_of(1, snapshot, false);
    const auto host = *closest_domain(snapshot, gang, {}, {}, 0, anything);
    CHECK(host.level == "kubernetes.io/hostname");
    REQUIRE(nodes_of(snapshot, host).size() == 1);
    CHECK(host.path.ends_with("/" + snapshot.node_names[nodes_of(snapshot, host).front()]));
    CHECK(closest_domain(snapshot, gang, {}, {}, 1, anything)->level == test::rack_key);
    CHECK(closest_domain(snapshot, gang, {}, {}, 2, anything)->level.empty());
    CHECK(closest_domain(snapshot, gang, {}, {}, 9, anything)->level.empty());
}

TEST_CASE("reserved room is taken from every other gang, and given back to the byte") {
    auto snapshot = racks({8, 4, 8, 8});
    const auto before = snapshot.room;
    DomainReservations claims;
    const model::GroupKey owner{"podgroup", "default/a"};
    const auto never_ends = [](const DomainReservation&) { return false; };
    const DomainId r0{snapshot.trees[0].name, test::rack_key, "r0"};
    claims.put(owner, {r0, Time{1000}, 0});
    CHECK(claims.closed_to(owner, snapshot, never_ends).empty());
    const auto ends_then = [](const DomainReservation& claim) { return claim.until == Time{1000}; };
    CHECK(claims.closed_to({"podgroup", "default/b"}, snapshot, ends_then).empty());
    auto taken = claims.closed_to({"podgroup", "default/b"}, snapshot, never_ends).take_room(snapshot);
    for (const auto node : nodes_of(snapshot, r0)) {
        for (const auto& room : snapshot.room)
            CHECK(room[node] == 0);
    }
    taken.give_back();
    CHECK(snapshot.room == before);
    CHECK(claims.overlaps(snapshot, DomainId{}));
    CHECK(!claims.overlaps(snapshot, {snapshot.trees[0].name, test::rack_key, "r1"}));
    CHECK(claims.drop(owner));
    CHECK(!claims.overlaps(snapshot, DomainId{}));
}

TEST_CASE("a refusal names the gang for which nodes are reserved (Q5)") {
    Rig rig(reserving_soon());
    large_waits(rig);
    rig.advance(Time{70'000});
    REQUIRE(!passes(rig, "small", 2));
    CHECK(rig.record("small")->message.ends_with("; 8 nodes are reserved for gang default/large"));
    CHECK(rig.record("large")->message.find("reserved for gang") == std::string::npos);
}

}  // namespace
}  // namespace echelon::engine

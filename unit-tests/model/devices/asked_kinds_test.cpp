// What one namespace asks for leaves the devices of others counted, and costs a bounded amount (BD1, BD3).

#include "model/devices/request_kinds.hpp"
#include "unit-tests/model/support/devices.hpp"

#include <bit>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::model {
namespace {

using namespace devices_of_test;

// A pod of a namespace, and the claim of the same name that it uses.
struct Claimed {
    std::string ns;
    std::string name;
    std::vector<std::string> selectors;  // One request for each.
};

GroupKey gang_in(const std::string& ns) {
    return {"podgroup", ns + "/g"};
}

DeviceDemand demand_of(const std::vector<std::string>& selectors) {
    DeviceDemand out;
    for (const auto& selector : selectors) {
        auto& request = out.requests.emplace_back(demand(1, {selector}).requests.front());
        request.name = fmt::format("r{}", out.requests.size());
    }
    return out;
}

Event claim_of(const Claimed& claimed) {
    return DeviceClaimSeen{{.ns = claimed.ns,
                            .name = claimed.name,
                            .uid = claimed.ns + "/" + claimed.name,
                            .demand = demand_of(claimed.selectors),
                            .allocation = {}}};
}

Event pod_of(const Claimed& claimed) {
    PodSeen seen{member(claimed.ns + "-" + claimed.name, "g", 0)};
    seen.pod.ns = claimed.ns;
    seen.pod.membership = Membership{gang_in(claimed.ns), {}, -1, {}};
    seen.claims = {{.name = "c", .claim = claimed.name, .claim_template = {}}};
    return seen;
}

Change come(World& world, const Claimed& claimed) {
    world.apply(claim_of(claimed));
    return world.apply(pod_of(claimed));
}

// Warnings about the pods of a namespace.
std::vector<std::string> warnings_in(World& world, const std::string& ns) {
    static_cast<void>(world.cluster.resolve());
    return world.cluster.gang(gang_in(ns), world.cluster.snapshot()).warnings;
}

std::string selector(const std::string& ns, int number) {
    return fmt::format("device.driver != \"{}-{}\"", ns, number);
}

std::vector<std::string> selectors(const std::string& ns, int count) {
    std::vector<std::string> out;
    for (int i = 0; i < count; ++i)
        out.push_back(selector(ns, i));
    return out;
}

TEST_CASE("kinds of requests in one namespace leave another namespace its own, whatever comes first (DR9)") {
    const Claimed victim{"victim", "v", {"device.driver == \"gpu.example.com\""}};
    for (const bool is_first : {true, false}) {
        CAPTURE(is_first);
        auto world = small_world();
        if (is_first)
            come(world, victim);
        for (int i = 0; i < 80; ++i)
            come(world, {"a-tenant", fmt::format("p-{}", i), {fmt::format("{} == {}", i, i)}});
        if (!is_first)
            come(world, victim);
        CHECK(warnings_in(world, "victim") == std::vector<std::string>{});
        CHECK(warnings_in(world, "a-tenant") ==
              std::vector<std::string>{
                  "devices of request \"r1\" are left to kube-scheduler: only 64 kinds of requests are counted, and 16 "
                  "of one namespace with 256 parts of selectors and tolerations together"});
    }
}

TEST_CASE("namespaces take turns: the first kind of each is counted before the second of any (DR9)") {
    auto world = small_world();
    for (int i = 0; i < 5; ++i)
        come(world, {fmt::format("a-{}", i), "p", selectors(fmt::format("a-{}", i), 20)});
    for (int i = 0; i < 20; ++i)
        come(world, {fmt::format("z-{}", i), "p", {selector(fmt::format("z-{}", i), 0)}});
    for (int i = 0; i < 20; ++i)
        CHECK(warnings_in(world, fmt::format("z-{}", i)) == std::vector<std::string>{});
    for (int i = 0; i < 5; ++i) {
        const auto left = warnings_in(world, fmt::format("a-{}", i)).size();  // Of 20.
        CHECK(left >= 11);
        CHECK(left <= 12);
    }
}

TEST_CASE("the kinds of one namespace have at most 256 parts together (BD1, DR9)") {
    const auto of_parts = [](const std::string& text, int parts) {
        std::string out = text;
        for (int i = 4; i < parts; ++i)
            out += " && true";
        return out;
    };
    auto world = small_world();
    come(world, {"tenant", "p", {of_parts("1 == 1", 200), of_parts("2 == 2", 56), of_parts("3 == 3", 4)}});
    const auto warnings = warnings_in(world, "tenant");
    REQUIRE(warnings.size() == 1);
    CHECK(warnings.front().starts_with("devices of request \"r3\" are left to kube-scheduler: only 64 kinds"));
    come(world, {"other", "p", {of_parts("3 == 3", 4)}});
    CHECK(warnings_in(world, "tenant") == std::vector<std::string>{});
}

TEST_CASE("a new kind affects only pods and nodes whose devices it competes for (DR9)") {
    auto world = small_world();
    world.apply(NodeSeen{node("n1")});
    world.apply(DeviceClassSeen{{"nic.example.com", {"device.driver == \"nic.example.com\""}, {}}});
    auto nics = devices_of("n1", 4);
    nics.driver = nics.pool = "nic.example.com";
    world.apply(DeviceSliceSeen{nics});
    come(world, {"near", "p", {"true"}});
    auto of_nics = demand(1);
    of_nics.requests[0].device_class = "nic.example.com";
    world.apply(DeviceClaimSeen{{.ns = "far", .name = "p", .uid = "far", .demand = of_nics, .allocation = {}}});
    world.apply(pod_of({"far", "p", {}}));
    const Claimed odd{"tenant", "p", {"1 == 1"}};
    auto change = come(world, odd);
    CHECK(change.gangs == std::set{gang_in("near"), gang_in("tenant")});
    change = world.apply(PodGone{"uid-tenant-p"});
    CHECK(change.gangs == std::set{gang_in("near"), gang_in("tenant")});
}

TEST_CASE("a kind that comes back is not matched against devices again, unless another one needs its place") {
    const auto key = [](int number) {
        return RequestKey{.device_class = "c", .selectors = {fmt::format("{} == 1", number)}};
    };
    RequestKinds kinds;
    CHECK(kinds.renew({key(1), key(2)}).fresh == 3);
    const auto less = kinds.renew({key(2)});
    CHECK(less.ended == 1);
    CHECK(less.ended_keys == std::vector{key(1)});
    CHECK_FALSE(kinds.find(key(1)));
    CHECK(kinds.matched() == 3);
    const auto back = kinds.renew({key(1), key(2)});
    CHECK(back.begun == 1);
    CHECK(back.fresh == 0);
    std::set<RequestKey> others;
    for (int i = 100; i < 164; ++i)
        others.insert(key(i));
    CHECK(kinds.renew(others).fresh == ~KindSet{0});
    CHECK(kinds.renew({key(1)}).fresh != 0);
}

TEST_CASE("selectors of kinds that no longer count are kept up to 512 parts") {
    const auto key = [](int number) {
        std::string text = fmt::format("{} == 1", number);
        for (int i = 4; i < 200; ++i)
            text += " && true";
        return RequestKey{.device_class = "c", .selectors = {text}};
    };
    RequestKinds kinds;
    for (int i = 0; i < 9; ++i)
        kinds.renew({key(i)});
    CHECK(std::popcount(kinds.matched()) <= 3);
}

// What nodes offer and pods want, and what is left to kube-scheduler.
std::string written(World& world, const std::map<std::string, Claimed>& pods) {
    std::string out;
    static_cast<void>(world.cluster.resolve());
    const auto snapshot = world.cluster.snapshot();
    std::set<std::string> names(snapshot.resources.begin(), snapshot.resources.end());
    for (const auto* node : {"n0", "n1", "n2"}) {
        for (const auto& name : names) {
            if (const auto left = world.left(node, name); left > 0)
                out += fmt::format("{} {}: {}\n", node, name, left);
        }
    }
    for (const auto& [uid, claimed] : pods) {
        for (const auto& [name, amount] : world.cluster.pod(uid)->pod_class.requests.entries())
            out += fmt::format("{} {}: {}\n", uid, name, amount);
        for (const auto& warning : warnings_in(world, claimed.ns))
            out += warning + "\n";
    }
    return out;
}

World world_of_three_nodes() {
    auto world = small_world();
    for (int i = 1; i < 3; ++i) {
        world.apply(NodeSeen{node(fmt::format("n{}", i))});
        auto slice = devices_of(fmt::format("n{}", i), 2);
        for (auto& device : slice.devices) {
            device.attributes["gpu.example.com/number"] = {
                .kind = DeviceAttribute::Kind::number, .text = {}, .number = i};
        }
        world.apply(DeviceSliceSeen{slice});
    }
    return world;
}

TEST_CASE("kinds that come and go leave the same amounts as a cluster that sees only what is left (I10)") {
    std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same numbers in every run.
    for (int round = 0; round < 20; ++round) {
        auto world = world_of_three_nodes();
        std::map<std::string, Claimed> pods;
        for (int step = 0; step < 60; ++step) {
            const auto ns = fmt::format("ns-{}", random() % 6);
            const auto name = fmt::format("p-{}", random() % 3);
            const auto uid = fmt::format("uid-{}-{}", ns, name);
            if (random() % 3 == 0) {
                world.apply(PodGone{uid});
                pods.erase(uid);
                continue;
            }
            Claimed claimed{ns, name, {}};
            for (auto left = 1 + random() % 12; left > 0; --left) {
                const auto number = random() % 40;
                const std::string of_device = "device.attributes[\"gpu.example.com\"].number";
                claimed.selectors.push_back(random() % 2 == 0
                                                ? fmt::format("{} > 1", number)
                                                : fmt::format("has({0}) && {0} < {1}", of_device, number % 4));
            }
            come(world, claimed);
            pods.insert_or_assign(uid, claimed);
        }
        auto fresh = world_of_three_nodes();
        for (const auto& [uid, claimed] : pods)
            come(fresh, claimed);
        CHECK(written(world, pods) == written(fresh, pods));
    }
}

}  // namespace
}  // namespace echelon::model

// Claims get devices of one node together exactly if some way to hand them out exists (DR3).

#include "solver/packing/device_matching.hpp"

#include "unit-tests/solver/support/devices.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

using model::ClaimAsk;
using model::DeviceChoice;
using model::NodeDevices;

Feasibility fit_of(const NodeDevices& node, const std::vector<ClaimAsk>& claims) {
    ClaimCounts counts;
    for (const ClaimAsk& claim : claims) {
        ++counts[claim];
    }
    Operations work = 0;
    const Feasibility fit = DeviceMatching(node, false).fit(counts, work);
    CHECK(work > 0);
    return fit;
}

std::vector<ClaimAsk> times(int count, const ClaimAsk& claim) {
    return std::vector<ClaimAsk>(static_cast<std::size_t>(count), claim);
}

ClaimAsk with_rule(std::int64_t count, bool is_distinct = false) {
    return {.requests = {{DeviceChoice{.kind = "gpu", .count = count, .rules = {0}}}},
            .rules = {{.attribute = "root", .is_distinct = is_distinct}}};
}

// GPUs of one kind, each below the root at its place in the list.
NodeDevices gpus(const std::vector<std::string>& roots) {
    NodeDevices node{.kinds = {"gpu"}, .attributes = {"root"}, .counters = {}, .devices = {}};
    for (const std::string& root : roots) {
        node.devices.push_back({.takers = 1, .values = {root}});
    }
    return node;
}

TEST_CASE("all devices of a claim have one value of the attribute (DR3)") {
    const NodeDevices node = gpus({"a", "b", "a", "b", "a", "c", ""});
    CHECK(fit_of(node, {with_rule(3)}) == Feasibility::fits);
    CHECK(fit_of(node, {with_rule(3), with_rule(2)}) == Feasibility::fits);
    CHECK(fit_of(node, {with_rule(2), with_rule(2), with_rule(1)}) == Feasibility::fits);
    CHECK(fit_of(node, {with_rule(3), with_rule(3)}) == Feasibility::proved_not_to_fit);
    CHECK(fit_of(node, {with_rule(2), with_rule(2), with_rule(2)}) == Feasibility::proved_not_to_fit);
}

TEST_CASE("all devices of a claim have different values of the attribute (DR3)") {
    const NodeDevices node = gpus({"a", "a", "a", "b", "b", "c", ""});
    CHECK(fit_of(node, {with_rule(3, true)}) == Feasibility::fits);
    CHECK(fit_of(node, {with_rule(3, true), with_rule(2, true)}) == Feasibility::fits);
    CHECK(fit_of(node, {with_rule(4, true)}) == Feasibility::proved_not_to_fit);
    CHECK(fit_of(node, {with_rule(3, true), with_rule(3, true)}) == Feasibility::proved_not_to_fit);
}

// A GPU of seven slices for each entry; partitions of one, two and three slices at every place where they may start.
NodeDevices partitioned(std::size_t count) {
    NodeDevices node{.kinds = {"1g", "2g", "3g"}, .attributes = {}, .counters = {}, .devices = {}};
    for (std::size_t gpu = 0; gpu < count; ++gpu) {
        const auto first = static_cast<std::uint32_t>(node.counters.size());
        node.counters.insert(node.counters.end(), 8, 1);
        const auto add = [&](std::uint64_t kind, std::uint32_t at, std::uint32_t slices) {
            NodeDevices::Item item{.takers = kind, .values = {}};
            for (std::uint32_t slice = at; slice < at + slices; ++slice) {
                item.counters.emplace_back(first + slice, 1);
            }
            node.devices.push_back(std::move(item));
        };
        for (std::uint32_t at = 0; at < 7; ++at) {
            add(1, at, 1);
        }
        for (const std::uint32_t at : {0U, 2U, 4U}) {
            add(2, at, 2);
        }
        add(4, 0, 4);
        add(4, 4, 4);
    }
    return node;
}

ClaimAsk one(const std::string& kind) {
    return {.requests = {{DeviceChoice{.kind = kind}}}};
}

std::vector<ClaimAsk> partitions(int small, int medium, int large) {
    std::vector<ClaimAsk> claims = times(small, one("1g"));
    claims.insert(claims.end(), static_cast<std::size_t>(medium), one("2g"));
    claims.insert(claims.end(), static_cast<std::size_t>(large), one("3g"));
    return claims;
}

TEST_CASE("partitions fit while the counters of their device suffice (DR3)") {
    const NodeDevices node = partitioned(1);
    CHECK(fit_of(node, partitions(7, 0, 0)) == Feasibility::fits);
    CHECK(fit_of(node, partitions(0, 0, 2)) == Feasibility::fits);
    CHECK(fit_of(node, partitions(1, 3, 0)) == Feasibility::fits);
    CHECK(fit_of(node, partitions(3, 0, 1)) == Feasibility::fits);
    CHECK(fit_of(node, partitions(5, 0, 1)) == Feasibility::proved_not_to_fit);
    CHECK(fit_of(node, partitions(0, 3, 1)) == Feasibility::proved_not_to_fit);
    NodeDevices taken = node;
    taken.devices[8].is_taken = true;  // Two slices, from the third on.
    CHECK(fit_of(taken, partitions(5, 0, 0)) == Feasibility::fits);
    CHECK(fit_of(taken, partitions(6, 0, 0)) == Feasibility::proved_not_to_fit);
    CHECK(fit_of(taken, partitions(2, 0, 1)) == Feasibility::fits);
    CHECK(fit_of(taken, partitions(3, 0, 1)) == Feasibility::proved_not_to_fit);
    CHECK(fit_of(taken, partitions(0, 0, 2)) == Feasibility::proved_not_to_fit);
    Operations work = 0;
    CHECK(DeviceMatching(taken, true).fit({{one("3g"), 2}}, work) == Feasibility::fits);
}

TEST_CASE("eight GPUs with partitions of three sizes are decided within the limit of steps (DR3)") {
    const NodeDevices node = partitioned(8);
    CHECK(fit_of(node, partitions(56, 0, 0)) == Feasibility::fits);
    CHECK(fit_of(node, partitions(8, 24, 0)) == Feasibility::fits);
    CHECK(fit_of(node, partitions(0, 16, 8)) == Feasibility::fits);
    CHECK(fit_of(node, partitions(12, 6, 8)) == Feasibility::fits);
    CHECK(fit_of(node, partitions(0, 17, 8)) == Feasibility::proved_not_to_fit);
    CHECK(fit_of(node, partitions(4, 12, 9)) == Feasibility::fits);
    CHECK(fit_of(node, partitions(57, 0, 0)) == Feasibility::proved_not_to_fit);
}

TEST_CASE("counters of many terabytes are counted like small ones (DR3, BD1)") {
    for (const std::int64_t half : {std::int64_t{8'000}, std::int64_t{1} << 53, std::int64_t{1} << 61}) {
        CAPTURE(half);
        NodeDevices node{.kinds = {"half", "whole"}, .attributes = {}, .counters = {2 * half}, .devices = {}};
        for (int number = 0; number < 2; ++number) {
            node.devices.push_back({.takers = 1, .values = {}, .counters = {{0, half}}});
        }
        node.devices.push_back({.takers = 2, .values = {}, .counters = {{0, 2 * half}}});
        CHECK(fit_of(node, {one("half"), one("half")}) == Feasibility::fits);
        CHECK(fit_of(node, {one("whole")}) == Feasibility::fits);
        CHECK(fit_of(node, {one("half"), one("whole")}) == Feasibility::proved_not_to_fit);
    }
}

TEST_CASE("of alternatives one must fit as a whole (DR3)") {
    NodeDevices node{.kinds = {"big", "small"}, .attributes = {}, .counters = {}, .devices = {}};
    node.devices = {{.takers = 1, .values = {}}, {.takers = 2, .values = {}}, {.takers = 2, .values = {}}};
    const ClaimAsk either{
        .requests = {{DeviceChoice{.kind = "big", .count = 1}, DeviceChoice{.kind = "small", .count = 2}}}};
    CHECK(fit_of(node, {either}) == Feasibility::fits);
    CHECK(fit_of(node, {either, either}) == Feasibility::fits);
    CHECK(fit_of(node, {either, either, either}) == Feasibility::proved_not_to_fit);
    CHECK(fit_of(node, {either, either, one("small")}) == Feasibility::proved_not_to_fit);
    CHECK(fit_of(node, {either, one("small"), one("small")}) == Feasibility::fits);
}

TEST_CASE("a request for all devices fits where each of them is free and none has a taint against it (DR3)") {
    NodeDevices node{.kinds = {"gpu", "nic"}, .attributes = {}, .counters = {}, .devices = {}};
    node.devices = {{.takers = 1, .values = {}}, {.takers = 1, .values = {}}, {.takers = 2, .values = {}}};
    const auto all = [](const std::string& kind) {
        return ClaimAsk{.requests = {{DeviceChoice{.kind = kind, .wants_all = true}}}};
    };
    CHECK(fit_of(node, {all("gpu"), all("nic")}) == Feasibility::fits);
    CHECK(fit_of(node, {all("gpu"), one("gpu")}) == Feasibility::proved_not_to_fit);
    CHECK(fit_of(node, {all("disk")}) == Feasibility::proved_not_to_fit);
    NodeDevices tainted = node;
    tainted.never_all = 1;
    CHECK(fit_of(tainted, {all("gpu")}) == Feasibility::proved_not_to_fit);
    CHECK(fit_of(tainted, {one("gpu"), one("gpu"), all("nic")}) == Feasibility::fits);
    node.devices[0].is_taken = true;
    CHECK(fit_of(node, {all("gpu")}) == Feasibility::proved_not_to_fit);
    CHECK(fit_of(node, {one("gpu"), all("nic")}) == Feasibility::fits);
}

TEST_CASE("a search beyond its steps proves nothing (DR3)") {
    // Forty claims of two that differ, and one device too few of a kind.
    NodeDevices node{.kinds = {"x"}, .attributes = {"a", "b"}, .counters = {}, .devices = {}};
    for (int number = 0; number < 40; ++number) {
        node.devices.push_back({.takers = 1, .values = {std::to_string(number % 7), std::to_string(number % 11)}});
    }
    const ClaimAsk hard{.requests = {{DeviceChoice{.kind = "x", .count = 3, .rules = {0, 1}}}},
                        .rules = {{.attribute = "a", .is_distinct = true}, {.attribute = "b", .is_distinct = true}}};
    CHECK(fit_of(node, times(14, hard)) != Feasibility::fits);
    CHECK(fit_of(node, times(13, hard)) != Feasibility::proved_not_to_fit);
}

TEST_CASE("20,000 random nodes are decided as by trying every choice and every device (DR3)") {
    RandomMatchings random(64);
    int fitting = 0;
    for (int round = 0; round < 20'000; ++round) {
        CAPTURE(round);
        const RandomMatching world = random.next();
        const bool expected = EveryWay(world.node, world.claims).exists();
        fitting += expected ? 1 : 0;
        REQUIRE(fit_of(world.node, world.claims) == (expected ? Feasibility::fits : Feasibility::proved_not_to_fit));
    }
    CHECK(fitting > 2'000);
    CHECK(fitting < 17'000);
}

}  // namespace
}  // namespace echelon::solver::testing

// Competing requests for devices are counted so that they fit exactly when a matching exists (DR3).

#include "model/devices/device_index.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::model {
namespace {

// One node, devices with a number of properties, requests that each want one property.
struct World {
    std::vector<std::set<int>> devices;  // Their properties.
    std::vector<std::set<int>> unknown;  // [device] Properties that it lacks, so that selectors end with an error.
    struct Request {
        std::vector<int> properties;  // A device with any of them will do.
        int count = 1;
    };
    std::vector<Request> requests;
};

World random_world(std::mt19937& random, bool has_errors) {
    const auto upto = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most + 1)); };
    World world;
    const int properties = 1 + upto(3);
    world.devices.resize(static_cast<std::size_t>(upto(6)));
    world.unknown.resize(world.devices.size());
    for (auto& device : world.devices) {
        for (int property = 0; property < properties; ++property) {
            if (upto(2) > 0)
                device.insert(property);
        }
    }
    for (auto& unknown : world.unknown) {
        for (int property = 0; has_errors && property < properties; ++property) {
            if (upto(7) == 0)
                unknown.insert(property);
        }
    }
    for (int number = upto(4); number > 0; --number) {
        auto& request = world.requests.emplace_back();
        request.properties.push_back(upto(properties - 1));
        request.count = 1 + upto(2);
        for (; !has_errors && request.count == 1 && upto(2) == 0; request.properties.push_back(upto(properties - 1))) {
        }
    }
    return world;
}

// No request reaches a device at or behind one that lacks the property.
World within_reach(World world) {
    std::set<int> failed;
    for (std::size_t number = 0; number < world.devices.size(); ++number) {
        failed.insert(world.unknown[number].begin(), world.unknown[number].end());
        for (const int property : failed)
            world.devices[number].erase(property);
    }
    return world;
}

// Tries every way to hand out the devices.
bool can_be_matched(const World& world, std::size_t request, int given, std::uint32_t taken) {
    if (request == world.requests.size())
        return true;
    const auto& [properties, count] = world.requests[request];
    if (given == count)
        return can_be_matched(world, request + 1, 0, taken);
    for (std::size_t device = 0; device < world.devices.size(); ++device) {
        const auto bit = std::uint32_t{1} << device;
        const auto has = [&](int property) { return world.devices[device].contains(property); };
        if ((taken & bit) == 0 && std::ranges::any_of(properties, has) &&
            can_be_matched(world, request, given + 1, taken | bit))
            return true;
    }
    return false;
}

DeviceSlice slice_of(const World& world) {
    DeviceSlice slice{
        .name = "s", .driver = "d", .pool = "p", .generation = 1, .slice_count = 1, .node = "n", .devices = {}};
    for (std::size_t number = 0; number < world.devices.size(); ++number) {
        auto& device = slice.devices.emplace_back();
        device.name = fmt::format("device-{}", number);
        for (int property = 0; property < 4; ++property) {
            if (world.unknown[number].contains(property))
                continue;
            device.attributes[fmt::format("d/p{}", property)] = {
                .kind = DeviceAttribute::Kind::truth,
                .text = {},
                .number = world.devices[number].contains(property) ? 1 : 0};
        }
    }
    return slice;
}

DeviceRequest request_for(int property) {
    return {.name = "r",
            .device_class = "class",
            .selectors = {fmt::format("device.attributes[\"d\"].p{}", property)},
            .tolerations = {},
            .not_understood = {}};
}

PodSeen pod_with(DeviceIndex& index, std::size_t number, const World::Request& wanted) {
    const auto name = fmt::format("pod-{}", number);
    DeviceRequest request = request_for(wanted.properties.front());
    request.count = wanted.count;
    for (std::size_t i = 1; i < wanted.properties.size(); ++i)
        request.alternatives.push_back(request_for(wanted.properties[i]));
    static_cast<void>(index.see(DeviceClaimTemplate{"ns", name, DeviceDemand{{request}, {}}}));
    PodSeen seen;
    seen.pod.ns = "ns";
    seen.pod.name = name;
    seen.pod.uid = name;
    seen.claims = {{.name = "c", .claim = {}, .claim_template = name}};
    return seen;
}

TEST_CASE("pods fit by the counted sets exactly when a matching of devices exists: 20,000 worlds (DR3)") {
    std::mt19937 random(20'260'101);
    int fitting = 0;
    for (int round = 0; round < 20'000; ++round) {
        const auto world = random_world(random, round % 2 == 0);
        DeviceIndex index;
        static_cast<void>(index.see(DeviceClass{"class", {}, {}}));
        static_cast<void>(index.see(slice_of(world)));
        std::vector<PodSeen> pods;
        for (std::size_t number = 0; number < world.requests.size(); ++number) {
            pods.push_back(pod_with(index, number, world.requests[number]));
            static_cast<void>(index.keep(pods.back()));
        }
        Amounts wanted;
        for (const auto& pod : pods)
            wanted.add(index.resolve(pod.pod.uid).pod.pod_class.requests);
        const auto offer = index.offer_of("n", {});
        bool fits = true;
        for (const auto& [resource, amount] : wanted.entries())
            fits = fits && amount <= offer.all.of(resource) - offer.taken.of(resource);
        const bool expected = can_be_matched(within_reach(world), 0, 0, 0);
        fitting += expected ? 1 : 0;
        REQUIRE_MESSAGE(fits == expected, "round " << round);
    }
    CHECK(fitting > 5'000);
    CHECK(fitting < 15'000);
}

}  // namespace
}  // namespace echelon::model

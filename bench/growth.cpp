// Is the cost of an object linear in its size (BD2)? Run by `./dev gates` under callgrind. Measures decoding, building
// gangs and the setup of planning for n, 2n and 4n of whatever grows in each dialect, with one dump for each. A dump
// also has the bytes of the text, since n gangs that each list n others have a text of quadratic size.

#include "unit-tests/big_objects/growth.hpp"

#include "bench/gang_life.hpp"
#include "kube/decode.hpp"
#include "kube/topology/topograph.hpp"
#include "model/cluster/cluster.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <valgrind/callgrind.h>

namespace {

using namespace echelon;  // NOLINT(google-build-using-namespace)

constexpr std::int64_t largest = 600;  // Enough to see an exponent, in a few minutes under callgrind.

// For gangs of which each lists all others, a smaller n shows the same in less time.
std::int64_t most_of(const big_objects::Growth& growth) {
    const bool is_square = growth.name == "koordinator/mutual" || growth.name.starts_with("koordinator/overlapping");
    return std::min(growth.most, is_square ? largest / 4 : largest);
}

// Decodes the objects of one tenant and builds their gangs. Returns the number of groups in all gangs.
[[gnu::noinline]] std::size_t take_in(const big_objects::Objects& objects) {
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    for (const auto& object : objects) {
        if (kube::is_topograph(object)) {
            static_cast<void>(kube::read_topograph(object, {.name = "big", .file = {}}));
            continue;
        }
        const auto events = kube::decode(object, kube::Change::seen);
        if (!events)
            continue;
        for (const auto& event : *events)
            static_cast<void>(cluster.apply(event));
    }
    std::size_t groups = 0;
    const auto snapshot = cluster.snapshot();
    for (const auto& root : cluster.roots())
        groups += cluster.gang(root, snapshot).groups.size();
    return groups;
}

// All events of the objects, one step of the engine for each, in a burst that takes no time.
[[gnu::noinline]] void arrive(bench::GangWorld& world, const std::vector<model::Event>& events) {
    for (const auto& event : events)
        world.see(event);
}

std::vector<model::Event> events_of(const big_objects::Objects& objects) {
    std::vector<model::Event> out;
    for (const auto& object : objects) {
        if (const auto events = kube::decode(object, kube::Change::seen))
            out.insert(out.end(), events->begin(), events->end());
    }
    return out;
}

// Bytes of the manifest's text.
std::size_t bytes_of(const big_objects::Objects& objects) {
    std::size_t bytes = 0;
    for (const auto& object : objects)
        bytes += object.dump().size();
    return bytes;
}

// The whole life of a gang in the engine: the cost of a member must not grow with the gang.
void life_of_gangs() {
    for (const int members : {128, 256, 512}) {
        bench::GangWorld world(members);
        world.see(model::Synced{"all"});
        const std::string name = fmt::format("engine/life-of-a-gang@{}:{}", members, members);
        CALLGRIND_START_INSTRUMENTATION;
        static_cast<void>(bench::live(world, members, bench::gpus_of_host));
        CALLGRIND_STOP_INSTRUMENTATION;
        CALLGRIND_DUMP_STATS_AT(name.c_str());
    }
}

// The same for its end: a gang that runs loses a pod each millisecond.
void ends_of_gangs() {
    for (const int members : {512, 1'024, 2'048}) {
        bench::GangWorld world(members);
        world.see(model::Synced{"all"});
        static_cast<void>(bench::live(world, members, bench::gpus_of_host));
        const std::string name = fmt::format("engine/end-of-a-gang@{}:{}", members, members);
        CALLGRIND_START_INSTRUMENTATION;
        for (const auto& [uid, pod] : world.pods) {
            world.see(model::PodGone{uid});
            world.pass(engine::Time{1});
        }
        CALLGRIND_STOP_INSTRUMENTATION;
        CALLGRIND_DUMP_STATS_AT(name.c_str());
    }
}

// Gangs that grow pod by pod, group by group, with pods that declare groups, and as many gangs.
constexpr std::array<std::string_view, 8> growing = {
    "upstream/pods",   "upstream/children", "upstream/gangs",           "volcano/partitions",
    "grove/podgroups", "labels/groups",     "rolebasedgroup/instances", "disaggregatedset/role-pods",
};

// Objects that come one by one: one must not cost more because others came before it.
void arrivals() {
    for (const auto& growth : big_objects::all()) {
        if (std::ranges::find(growing, growth.name) == growing.end())
            continue;
        const std::int64_t step = most_of(growth) / 4;
        for (const std::int64_t count : {step, 2 * step, 4 * step}) {
            const auto objects = growth.make("tenant", count);
            const auto events = events_of(objects);
            bench::GangWorld world(1);
            world.see(model::Synced{"all"});
            const std::string name = fmt::format("engine/{}@{}:{}", growth.name, count, bytes_of(objects));
            CALLGRIND_START_INSTRUMENTATION;
            arrive(world, events);
            CALLGRIND_STOP_INSTRUMENTATION;
            CALLGRIND_DUMP_STATS_AT(name.c_str());
        }
    }
}

}  // namespace

int main() {
    life_of_gangs();
    ends_of_gangs();
    arrivals();
    std::size_t groups = 0;
    for (const auto& growth : big_objects::all()) {
        const std::int64_t step = most_of(growth) / 4;
        for (const std::int64_t count : {step, 2 * step, 4 * step}) {
            if (step < 4)
                continue;  // Nothing grows.
            const auto objects = growth.make("tenant", count);
            // Callgrind reads the text when it writes the dump.
            const std::string name = fmt::format("{}@{}:{}", growth.name, count, bytes_of(objects));
            CALLGRIND_START_INSTRUMENTATION;
            groups += take_in(objects);
            CALLGRIND_STOP_INSTRUMENTATION;
            CALLGRIND_DUMP_STATS_AT(name.c_str());
        }
    }
    return groups > 0 ? 0 : 1;
}

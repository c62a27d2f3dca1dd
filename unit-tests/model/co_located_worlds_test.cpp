// Random worlds of co-located gangs (X5): what was read before an event is never used once the event has changed it,
// and an event names all gangs that see another picture.

#include "unit-tests/model/support/facts.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <string>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace facts;

class Dice {
public:
    explicit Dice(std::uint32_t seed) : engine_(seed) {}
    std::size_t below(std::size_t bound) { return engine_() % bound; }

private:
    std::mt19937 engine_;
};

// What members say of their gangs. `unlike`: some name no anchor or another one, and groups may be below others.
enum class Say : std::uint8_t { alike, unlike };

// Gangs g0 to g5. All but g0 are anchored to g0, or to g1.
Pod random_member(Dice& dice, Say say, const std::string& name) {
    const auto number = dice.below(6);
    auto pod = member(name, "g" + std::to_string(number), static_cast<std::int64_t>(dice.below(3)));
    if (number > 0 && (say == Say::alike || dice.below(4) > 0)) {
        Group more;
        more.key = pod.membership->leaf;
        more.only_supplements = true;
        more.anchor = say == Say::unlike && number > 1 && dice.below(4) == 0 ? leaf_key("g1") : leaf_key("g0");
        pod.membership->declared = {more};
    }
    if (dice.below(4) == 0)
        pod.membership->attempt = std::to_string(dice.below(2));
    if (dice.below(5) == 0)
        pod.gates = {"example.com/wait"};
    pod.created = static_cast<std::int64_t>(dice.below(3));
    return pod;
}

Event event_of_group(Dice& dice, Say say) {
    auto group = leaf("g" + std::to_string(dice.below(6)), static_cast<std::int64_t>(dice.below(4)));
    group.created = static_cast<std::int64_t>(dice.below(3));
    if (dice.below(3) == 0)
        group.required = {dice.below(2) == 0 ? block : rack};
    if (say == Say::unlike && dice.below(4) == 0)
        group.parent = composite_key("above");
    if (dice.below(8) == 0)
        return GroupGone{group.key, group.uid};
    return GroupSeen{group};
}

Event random_event(Dice& dice, Say say, std::map<std::string, Pod>& pods) {
    if (dice.below(8) == 0)
        return event_of_group(dice, say);
    if (dice.below(20) == 0)
        return GroupSeen{composite("above", 1)};
    if (dice.below(20) == 0)
        return GroupGone{composite_key("above"), "uid-above"};
    const auto node = "n" + std::to_string(dice.below(6));
    if (dice.below(12) == 0)
        return dice.below(3) == 0 ? Event(NodeGone{node})
                                  : Event(NodeSeen{racked(node, "b" + std::to_string(dice.below(2)), node)});
    const auto name = "p-" + std::to_string(dice.below(14));
    const auto known = pods.find(name);
    if (known == pods.end())
        return PodSeen{pods[name] = random_member(dice, say, name), {}};
    auto& pod = known->second;
    switch (dice.below(8)) {
        case 0: {
            const auto uid = pod.uid;
            pods.erase(known);
            return PodGone{uid};
        }
        case 1:
            pod.phase = dice.below(2) == 0 ? PodPhase::succeeded : PodPhase::failed;
            break;
        case 2:
            pod.deleting = true;
            break;
        case 3:
            pod = random_member(dice, say, name);
            break;
        case 4:
            pod.gates.clear();
            break;
        case 5:
            pod.priority = static_cast<std::int64_t>(dice.below(3));
            break;
        default:
            pod.node = node;
            pod.phase = PodPhase::running;
    }
    return PodSeen{pod, {}};
}

// What the gangs beside this one are to it, without numbers of the snapshot.
std::string picture(const Gang& gang, const Snapshot& snapshot) {
    std::string out;
    for (const auto& other : gang.co_located) {
        out += "[" + std::to_string(other.minimum) + " of";
        for (const auto pod_class : other.pod_classes)
            out += " " + std::to_string(snapshot.pod_classes[pod_class].requests.of("gpu"));
        out += " at " + std::to_string(other.required.size()) + "]";
    }
    for (const auto node : gang.co_location.seated)
        out += " " + snapshot.node_names[node];
    return out;
}

std::map<GroupKey, std::string> pictures(const Cluster& world, std::span<const ExpectedPod> elsewhere = {}) {
    std::map<GroupKey, std::string> out;
    const auto snapshot = world.snapshot();
    for (const auto& root : world.roots())
        out[root] = picture(world.gang(root, snapshot, elsewhere), snapshot);
    return out;
}

TEST_CASE("co-located gangs that were read before an event are as if they were read for the first time (X5)") {
    std::size_t unlike = 0;
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        std::map<std::string, Pod> pods;
        Cluster world(Profiles{{"default-scheduler", Profile{}}});
        for (int number = 0; number < 120; ++number) {
            CAPTURE(number);
            static_cast<void>(world.apply(random_event(dice, Say::unlike, pods)));
            const std::array<ExpectedPod, 2> elsewhere = {ExpectedPod{"uid-p-1", "n1"}, ExpectedPod{"uid-p-2", "n2"}};
            const auto now = pictures(world, elsewhere);
            REQUIRE(now == pictures(cluster(world.events()), elsewhere));
            for (const auto& [root, text] : now)
                unlike += text.empty() ? 0U : 1U;
        }
    }
    CHECK(unlike > 2'000);
}

TEST_CASE("an event of a pod names every co-located gang that sees a difference (X5)") {
    std::size_t changes = 0;
    for (std::uint32_t seed = 100; seed <= 160; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        std::map<std::string, Pod> pods;
        Cluster world(Profiles{{"default-scheduler", Profile{}}});
        std::map<GroupKey, std::string> before;
        for (int number = 0; number < 120; ++number) {
            CAPTURE(number);
            const auto event = random_event(dice, Say::alike, pods);
            const auto change = world.apply(event);
            const bool is_of_pod = std::holds_alternative<PodSeen>(event) || std::holds_alternative<PodGone>(event);
            auto now = pictures(world);
            for (const auto& [root, text] : now) {
                CAPTURE(root.name);
                if (!is_of_pod || before[root] == text)
                    continue;
                CHECK(change.gangs.contains(root));
                ++changes;
            }
            before = std::move(now);
        }
    }
    CHECK(changes > 500);
}

}  // namespace
}  // namespace echelon::model

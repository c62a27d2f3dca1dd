// I10, T2.4: equal facts give an equal cluster, whatever the order and whatever came and went in between.

#include "model/cluster/cluster.hpp"
#include "model/gang/gang_facts.hpp"
#include "unit-tests/model/support/facts.hpp"
#include "unit-tests/model/support/same.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

// A story: what happens to one object, in order. Stories of different objects interleave freely.
using Story = std::vector<Event>;

class Dice {
public:
    explicit Dice(std::uint32_t seed) : engine_(seed) {}
    std::size_t below(std::size_t bound) { return engine_() % bound; }  // Same sequence on every platform.

private:
    std::mt19937 engine_;
};

Story node_story(Dice& dice, int number) {
    Story story;
    const auto name = "n" + std::to_string(number);
    for (std::size_t step = dice.below(3) + 1; step-- > 0;) {
        auto seen = node(name, {}, static_cast<std::int64_t>(dice.below(9)));
        if (dice.below(4) > 0)
            seen.labels[block] = "b" + std::to_string(dice.below(3));
        if (dice.below(4) > 0)
            seen.labels[rack] = "r" + std::to_string(dice.below(3));
        if (dice.below(4) == 0)
            seen.labels["example.com/island"] = "i" + std::to_string(dice.below(2));
        if (dice.below(5) == 0)
            seen.allocatable.set("example.com/nic", 4);
        seen.unschedulable = dice.below(6) == 0;
        story.emplace_back(NodeSeen{seen});
    }
    if (dice.below(5) == 0)
        story.emplace_back(NodeGone{name});
    return story;
}

Group random_group(Dice& dice, int number) {
    const auto name = "g" + std::to_string(number);
    const auto parent = dice.below(3) == 0 ? std::string() : "g" + std::to_string(dice.below(8));
    const auto minimum = static_cast<std::int64_t>(dice.below(3));
    auto group = number < 4 ? composite(name, minimum, parent) : leaf(name, minimum, parent);
    constexpr std::array<const char*, 7> keys = {
        block, rack, "example.com/island", "example.com/unknown", "hypernode-tier/1", "hypernode-tier/narrowest", "t1"};
    if (dice.below(3) == 0)
        group.required = {keys[dice.below(keys.size())]};
    if (dice.below(3) == 0)
        group.preferred = {keys[dice.below(keys.size())]};
    if (dice.below(3) == 0)
        group.priority_class = "class" + std::to_string(dice.below(2));
    group.created = static_cast<std::int64_t>(dice.below(5));
    return group;
}

Story group_story(Dice& dice, int number) {
    Story story;
    Group group;
    for (std::size_t step = dice.below(3) + 1; step-- > 0;) {
        group = random_group(dice, number);
        story.emplace_back(GroupSeen{group});
    }
    if (dice.below(5) == 0)
        story.emplace_back(GroupGone{group.key, group.uid});
    return story;
}

Pod random_pod(Dice& dice, int number) {
    const auto name = "p-" + std::to_string(number);
    const auto gpus = static_cast<std::int64_t>(dice.below(3));
    auto pod = member(name, "g" + std::to_string(dice.below(8)), gpus);
    if (dice.below(3) == 0)
        pod = labelled(name, "gang", static_cast<std::int64_t>(dice.below(2)) + 1, dice.below(2) == 0 ? "" : "part", 1);
    if (dice.below(6) == 0)
        pod.membership.reset();
    pod.created = static_cast<std::int64_t>(dice.below(4));
    if (pod.membership && dice.below(4) == 0)
        pod.membership->attempt = std::to_string(dice.below(2));
    if (dice.below(4) == 0)
        pod.pod_class.node_selector = {{block, "b0"}};
    if (dice.below(8) == 0)
        pod.scheduler_name = "other";
    if (dice.below(6) == 0)
        pod.gates = {"example.com/wait"};
    return pod;
}

Story pod_story(Dice& dice, int number) {
    Story story;
    auto pod = random_pod(dice, number);
    for (std::size_t step = dice.below(4) + 1; step-- > 0;) {
        story.emplace_back(PodSeen{pod});
        pod.gates.clear();
        if (pod.node.empty() && dice.below(2) == 0)
            pod.node = "n" + std::to_string(dice.below(8));
        if (dice.below(4) == 0)
            pod.phase = dice.below(2) == 0 ? PodPhase::succeeded : PodPhase::failed;
        pod.deleting = pod.deleting || dice.below(6) == 0;
        if (dice.below(5) == 0) {
            pod = random_pod(dice, number);  // Recreated under its name.
            pod.uid = "uid-" + std::to_string(number) + "-" + std::to_string(step);
        }
    }
    if (dice.below(4) == 0)
        story.emplace_back(PodGone{std::get<PodSeen>(story.back()).pod.uid});
    return story;
}

// HyperNodes d0 to d3 with faults of every kind among them.
Story domain_story(Dice& dice, int number) {
    Story story;
    DeclaredDomain domain;
    domain.name = "d" + std::to_string(number);
    domain.api_kind = "HyperNode.topology.volcano.sh";
    for (std::size_t step = dice.below(2) + 1; step-- > 0;) {
        domain.tier = static_cast<std::int64_t>(dice.below(2)) + (number < 2 ? 0 : 1);
        domain.tier_name = dice.below(2) == 0 ? "" : "t" + std::to_string(domain.tier);
        domain.members.resize(dice.below(3) + 1);
        for (auto& member : domain.members) {
            member = {};
            const auto kind = dice.below(4);
            member.kind = kind < 2 ? DomainMember::Kind::domain : DomainMember::Kind::node;
            if (kind == 3) {
                member.labels.labels = {
                    {.key = rack, .op = Requirement::Operator::in, .values = {"r" + std::to_string(dice.below(3))}}};
            } else {
                member.name = (kind < 2 ? "d" : "n") + std::to_string(dice.below(kind < 2 ? 4 : 8));
            }
        }
        story.emplace_back(DomainSeen{domain});
    }
    if (dice.below(4) == 0)
        story.emplace_back(DomainGone{domain.name});
    return story;
}

std::vector<Story> random_stories(Dice& dice) {
    std::vector<Story> stories;
    for (int number = 0; number < 8; ++number) {
        stories.push_back(node_story(dice, number));
        stories.push_back(group_story(dice, number));
    }
    for (int number = 0; number < 16; ++number) {
        stories.push_back(pod_story(dice, number));
    }
    stories.push_back({TopologySeen{topology("fabric", {block, rack})}});
    if (dice.below(2) == 0)
        stories.back().emplace_back(TopologyGone{TopologySource::object, "Topology.kueue.x-k8s.io", "fabric"});
    for (int number = 0; number < 4; ++number)
        stories.push_back(domain_story(dice, number));
    stories.push_back({PriorityClassSeen{"class0", 1}, PriorityClassSeen{"class0", 2}});
    return stories;
}

std::vector<Event> interleaved(std::vector<Story> stories, Dice& dice) {
    for (auto& story : stories)
        std::ranges::reverse(story);  // Taken from the back.
    std::vector<Event> events;
    while (!stories.empty()) {
        const auto which = dice.below(stories.size());
        auto& story = stories[which];
        events.push_back(std::move(story.back()));
        story.pop_back();
        if (story.empty())
            stories.erase(stories.begin() + static_cast<std::ptrdiff_t>(which));
    }
    return events;
}

}  // namespace

TEST_CASE("any interleaving of events gives the same cluster, whether it is read in between or not") {
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const auto stories = random_stories(dice);
        Story in_a_row;
        for (const auto& story : stories) {
            in_a_row.insert(in_a_row.end(), story.begin(), story.end());
        }
        const auto expected = written(cluster(in_a_row));
        for (int round = 0; round < 4; ++round) {
            Cluster world(Profiles{{"default-scheduler", Profile{}}});
            for (const auto& event : interleaved(stories, dice)) {
                static_cast<void>(world.apply(event));
                if (round > 0 && dice.below(4) == 0)
                    static_cast<void>(world.snapshot());  // Arrays are then kept, not built at the end.
            }
            REQUIRE(written(world) == expected);
        }
    }
}

TEST_CASE("a cluster that takes the facts of another one is the same, and changes alike (Z40)") {
    for (std::uint32_t seed = 200; seed < 260; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const auto events = interleaved(random_stories(dice), dice);
        const auto half = events.begin() + static_cast<std::ptrdiff_t>(dice.below(events.size()));
        Cluster world(Profiles{{"default-scheduler", Profile{}}});
        for (auto event = events.begin(); event != half; ++event)
            static_cast<void>(world.apply(*event));
        auto copy = cluster(world.events());
        REQUIRE(written(copy) == written(world));
        for (auto event = half; event != events.end(); ++event) {
            static_cast<void>(world.apply(*event));
            static_cast<void>(copy.apply(*event));
        }
        REQUIRE(written(copy) == written(world));
    }
}

TEST_CASE("an event changes only the gangs that its change names (I13)") {
    for (std::uint32_t seed = 100; seed < 130; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        Cluster world(Profiles{{"default-scheduler", Profile{}}});
        std::map<GroupKey, std::string> before;
        for (const auto& event : interleaved(random_stories(dice), dice)) {
            const auto change = world.apply(event);
            const auto resolved = world.resolve();
            const auto may_differ = [&](const GroupKey& root) {
                return change.gangs.contains(root) ||
                       (change.topology && (resolved.all_gangs || resolved.gangs.contains(root)));
            };
            const auto snapshot = world.snapshot();
            std::map<GroupKey, std::string> after;
            for (const auto& root : world.roots()) {
                auto gang = world.gang(root, snapshot);
                // Numbers of nodes, pod classes and trees belong to the snapshot; facts of the gang don't.
                for (auto& member : gang.members) {
                    member.pod_class = 0;
                    member.node = member.node == nowhere ? nowhere : 0;
                }
                for (auto& group : gang.groups) {
                    group.required.clear();
                    group.preferred.clear();
                }
                after[root] = written(gang);
            }
            for (const auto& [root, text] : after) {
                if (!may_differ(root)) {
                    CAPTURE(root.name);
                    CHECK(before[root] == text);
                }
            }
            for (const auto& [root, text] : before) {
                CAPTURE(root.name);
                CHECK((after.contains(root) || change.gangs.contains(root)));
            }
            before = std::move(after);
        }
    }
}

namespace {

// The gang of each member, by UID.
std::map<std::string, GroupKey> gangs_of_members(const Cluster& world) {
    std::map<std::string, GroupKey> gangs;
    for (const auto& root : world.roots()) {
        for (const auto* pod : world.members_of(root))
            gangs.emplace(pod->uid, root);
    }
    return gangs;
}

// UIDs of pods that are in another gang now, or in none.
std::set<std::string> moved(const std::map<std::string, GroupKey>& before,
                            const std::map<std::string, GroupKey>& after) {
    std::set<std::string> uids;
    const auto add_unlike = [&uids](const auto& these, const auto& those) {
        for (const auto& [uid, gang] : these) {
            const auto other = those.find(uid);
            if (other == those.end() || other->second != gang)
                uids.insert(uid);
        }
    };
    add_unlike(before, after);
    add_unlike(after, before);
    return uids;
}

}  // namespace

TEST_CASE("a change names all pods that move to another gang") {
    int moves = 0;
    for (std::uint32_t seed = 200; seed < 260; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        Cluster world(Profiles{{"default-scheduler", Profile{}}});
        for (const auto& event : interleaved(random_stories(dice), dice)) {
            const auto gangs_before = gangs_of_members(world);
            const auto change = world.apply(event);
            REQUIRE(change.moved_pods);
            for (const auto& uid : moved(gangs_before, gangs_of_members(world))) {
                CAPTURE(uid);
                CHECK(std::ranges::find(*change.moved_pods, echelon::base::Text(uid)) != change.moved_pods->end());
                ++moves;
            }
        }
    }
    CHECK(moves > 500);
}

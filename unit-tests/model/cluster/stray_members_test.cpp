// In which gang is a pod that names a Gang object which doesn't exist?

#include "unit-tests/model/support/facts.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace facts;

const GroupKey by_object = {"gang", "default/g"};
const GroupKey by_labels = {"label-gang", "default/g"};

// As the dialect reads a pod with the gang's label and without annotations.
Event stray(const std::string& name) {
    auto stray = pod(name);
    Group absent;
    absent.key = by_object;
    absent.parent = by_labels;
    absent.problem = "there is no Gang";
    Group addition;
    addition.key = by_labels;
    addition.only_supplements = true;
    addition.problem = "a member has no annotations";
    stray.membership = Membership{by_object, {}, -1, {}};
    stray.membership->declared.push_back(addition);
    stray.membership->declared.push_back(absent);
    return PodSeen{stray};
}

Event annotated(const std::string& name, const std::string& group = {}) {
    return PodSeen{labelled(name, "g", 1, group, 1)};
}

Event object() {
    Group group;
    group.key = by_object;
    group.minimum = 1;
    group.uid = "uid-of-g";
    return GroupSeen{group};
}

std::set<GroupKey> roots_in(const Cluster& world) {
    const auto roots = world.roots();
    return {roots.begin(), roots.end()};
}

std::map<std::string, GroupKey> gangs_of_pods(const Cluster& world) {
    std::map<std::string, GroupKey> gangs;
    for (const std::string uid : {"uid-a", "uid-b", "uid-s"}) {
        const auto* known = world.pod(uid);
        if (const auto root = known == nullptr ? std::nullopt : world.root_of(*known))
            gangs.emplace(uid, *root);
    }
    return gangs;
}

// Applies the event, and checks that its change names each gang that came, went, or lost or got a pod.
void apply_checked(Cluster& world, const Event& event) {
    const auto roots = roots_in(world);
    const auto before = gangs_of_pods(world);
    const auto change = world.apply(event);
    std::set<GroupKey> differing;
    std::ranges::set_symmetric_difference(roots, roots_in(world), std::inserter(differing, differing.end()));
    const auto after = gangs_of_pods(world);
    REQUIRE(change.moved_pods);
    for (const auto& [uid, gang] : after) {
        const auto earlier = before.find(uid);
        if (earlier != before.end() && earlier->second == gang)
            continue;
        differing.insert(gang);
        if (earlier != before.end())
            differing.insert(earlier->second);
        CHECK(std::ranges::find(*change.moved_pods, base::Text(uid)) != change.moved_pods->end());
    }
    for (const auto& gang : differing) {
        CAPTURE(gang.kind);
        CHECK(change.gangs.contains(gang));
    }
}

TEST_CASE("a pod that names an absent Gang is in the gang by labels of this name, whichever comes first") {
    for (const std::string part : {"", "part"}) {
        CAPTURE(part);
        const std::vector<Event> forward = {stray("s"), annotated("a", part)};
        const std::vector<Event> backward = {forward[1], forward[0]};
        for (const auto& events : {forward, backward}) {
            Cluster world(Profiles{{"default-scheduler", Profile{}}});
            for (const auto& event : events)
                apply_checked(world, event);
            CHECK(world.roots() == std::vector{by_labels});
            const auto gang = gang_of(world, by_labels);
            CHECK(gang.members.size() == 2);
            REQUIRE(gang.problem);
            CHECK(gang.problem->reason == Reason::invalid);
            CHECK(gang.problem->sentence == "group \"default/g\": a member has no annotations");
        }
    }
}

TEST_CASE("a pod that names a Gang changes its gang as the object and the gang by labels come and go") {
    Cluster world(Profiles{{"default-scheduler", Profile{}}});
    const auto gang_of_stray = [&world] { return gangs_of_pods(world).at("uid-s"); };
    apply_checked(world, stray("s"));
    CHECK(gang_of_stray() == by_object);
    CHECK(gang_of(world, by_object).problem->sentence == "group \"default/g\": there is no Gang");
    apply_checked(world, annotated("a"));
    CHECK(gang_of_stray() == by_labels);
    apply_checked(world, object());
    CHECK(gang_of_stray() == by_object);
    CHECK(roots_in(world) == std::set{by_object, by_labels});
    apply_checked(world, GroupGone{by_object, "uid-of-g"});
    CHECK(gang_of_stray() == by_labels);
    apply_checked(world, PodGone{"uid-a"});
    CHECK(gang_of_stray() == by_object);
    apply_checked(world, PodSeen{pod("b")});
    apply_checked(world, annotated("b"));  // A pod that is there already gets label and annotations.
    CHECK(gang_of_stray() == by_labels);
    apply_checked(world, PodSeen{pod("b")});
    CHECK(gang_of_stray() == by_object);
    apply_checked(world, PodGone{"uid-s"});
    CHECK(world.roots().empty());
}

}  // namespace
}  // namespace echelon::model

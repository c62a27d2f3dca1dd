// Objects of one namespace don't change gangs of another (BD3).

#include "model/gang/forest.hpp"
#include "unit-tests/model/support/facts.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

GroupKey gang_key(const std::string& name) {
    return {"list-leaf", name};
}

// A gang, and the gangs that it lists beside itself; none: it is a gang alone.
GroupSet listing(const std::string& name, const std::vector<std::string>& list = {}) {
    Group own;
    own.key = gang_key(name);
    own.minimum = 1;
    GroupSet set{.owner = {"Object", name}, .uid = "uid-" + name};
    if (!list.empty()) {
        Group root;
        root.kind = GroupKind::composite;
        for (const auto& listed : list) {
            root.key.name = root.key.name + (root.key.name.empty() ? "" : ",") + listed;
            root.listed.push_back(gang_key(listed));
        }
        root.key.kind = "list";
        own.parent = root.key;
        set.shared = {root};
    }
    set.groups = {own};
    return set;
}

Pod pod_in(const std::string& gang) {
    auto made = pod(gang.substr(gang.find('/') + 1) + "-0");
    made.ns = gang.substr(0, gang.find('/'));
    made.membership = Membership{gang_key(gang), {}, -1, {}};
    return made;
}

}  // namespace

TEST_CASE("a list that names a gang of another namespace holds up the lister, not the gang that it names (BD3)") {
    Cluster cluster(Profiles{{"default-scheduler", {}}});
    static_cast<void>(cluster.apply(NodeSeen{node("n0")}));
    static_cast<void>(cluster.apply(GroupSetSeen{listing("a/train")}));
    static_cast<void>(cluster.apply(PodSeen{pod_in("a/train")}));
    const auto before = gang_of(cluster, gang_key("a/train"));
    CHECK_FALSE(before.problem);

    const auto change = cluster.apply(GroupSetSeen{listing("b/x", {"a/train", "b/x"})});
    static_cast<void>(cluster.apply(PodSeen{pod_in("b/x")}));
    CHECK_FALSE(change.gangs.contains(gang_key("a/train")));  // Not planned again either.
    CHECK(cluster.roots() == std::vector{gang_key("a/train"), gang_key("b/x")});
    const auto after = gang_of(cluster, gang_key("a/train"));
    CHECK_FALSE(after.problem);
    CHECK(after.groups.size() == before.groups.size());
    CHECK(after.members.size() == before.members.size());
    CHECK(problem_of(cluster, gang_key("b/x")) ==
          R"(Invalid: group "b/x": its list of groups differs from that of "a/train")");
}

TEST_CASE("gangs of two namespaces become one once each lists the other, in any order (BD3)") {
    const std::vector<std::string> both = {"a/train", "b/x"};
    const GroupKey root{"list", "a/train,b/x"};
    for (const bool is_a_first : {true, false}) {
        Cluster cluster(Profiles{{"default-scheduler", {}}});
        static_cast<void>(cluster.apply(NodeSeen{node("n0")}));
        const std::string first = is_a_first ? "a/train" : "b/x";
        const std::string second = is_a_first ? "b/x" : "a/train";
        static_cast<void>(cluster.apply(GroupSetSeen{listing(first, both)}));
        static_cast<void>(cluster.apply(PodSeen{pod_in(first)}));
        // Its record is in its own namespace until then.
        CHECK(cluster.roots() == std::vector{gang_key(first)});
        CHECK(problem_of(cluster, gang_key(first)) ==
              "Incomplete: group \"" + second + "\", which is listed beside others, doesn't exist yet");
        const auto change = cluster.apply(GroupSetSeen{listing(second, both)});
        CHECK(change.gangs.contains(root));
        CHECK(change.gangs.contains(gang_key(first)));
        static_cast<void>(cluster.apply(PodSeen{pod_in(second)}));
        CHECK(cluster.roots() == std::vector{root});
        CHECK(problem_of(cluster, root).empty());
        CHECK(gang_of(cluster, root).members.size() == 2);
        // Once one list changes, both gangs are separate again.
        static_cast<void>(cluster.apply(GroupSetSeen{listing(second)}));
        CHECK_FALSE(cluster.has_root(root));
        CHECK(problem_of(cluster, gang_key(second)).empty());
        CHECK(contains(problem_of(cluster, gang_key(first)), "differs from that of \"" + second));
    }
}

TEST_CASE("long lists that overlap cost memory linear in their length, not quadratic (BD2)") {
    // Each list has 200 foreign gangs that no other list has, and the same 200 neighbours. Its key contains all names.
    GroupForest forest;
    std::size_t said = 0;
    for (int gang = 0; gang < 50; ++gang) {
        std::vector<std::string> list;
        for (int other = 0; other < 400; ++other) {
            const bool is_near = other % 2 == 0;
            list.push_back(std::string(is_near ? "a/gang-" : "b/gang-") +
                           std::to_string(is_near ? other : gang * 1000 + other));
            said += list.back().size();
        }
        std::ranges::sort(list);
        const auto set = listing("a/lister-" + std::to_string(gang), list);
        forest.declare(set.shared.front(), 0, true);
        forest.see(set.groups.front());
    }
    CHECK(said > 0);
    for (int other = 0; other < 400; other += 2)
        CHECK(forest.groups_listing(gang_key("a/gang-" + std::to_string(other))).empty());
}

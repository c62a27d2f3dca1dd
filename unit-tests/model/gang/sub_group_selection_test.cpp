#include "model/gang/sub_group_selection.hpp"

#include "model/cluster/cluster.hpp"
#include "unit-tests/model/support/facts.hpp"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

const GroupKey root_key{"podgroup", "default/job"};

SubGroupSelector by_keys(std::vector<std::string> keys, std::int64_t minimum) {
    SubGroupSelector sorting;
    sorting.keys = std::move(keys);
    sorting.leaf.key = {"part", "default/job/p"};
    sorting.leaf.parent = GroupKey{"policy", "default/job/p"};
    sorting.leaf.minimum = minimum;
    return sorting;
}

SubGroupSelector others() {
    SubGroupSelector sorting;
    sorting.leaf.key = {"rest", "default/job/-"};
    sorting.leaf.parent = root_key;
    sorting.leaf.minimum = 0;
    return sorting;
}

// A group with one policy that divides its pods by the label "part"; pods without it are extras.
GroupSet sorting_set(std::int64_t size = 2, std::int64_t parts = 2) {
    auto root = composite("job", 0);
    root.key = root_key;
    root.minimum.reset();
    root.uid = "u";
    auto policy = composite("p", parts);
    policy.key = {"policy", "default/job/p"};
    policy.parent = root_key;
    root.sorts = {by_keys({"part"}, size), others()};
    return {.owner = root_key, .uid = "u", .groups = {root, policy}};
}

PodSeen seen(const std::string& name, Labels labels) {
    return {member(name, "job"), std::move(labels)};
}

std::vector<std::string> names_in(const Gang& gang) {
    std::vector<std::string> names;
    for (const auto& group : gang.groups) {
        names.push_back(group.key.name + " " + std::to_string(group.last_member - group.first_member));
    }
    return names;
}

Gang job_in(const Cluster& cluster) {
    return cluster.gang(root_key, cluster.snapshot());
}

Cluster new_cluster() {
    return Cluster(Profiles{{"default-scheduler", {}}});
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a pod goes to the first selector that selects it and whose keys it carries") {
    Group group;
    group.sorts = {by_keys({"a", "b"}, 1), by_keys({}, 1), others()};
    group.sorts[1].labels = {{.key = "a", .op = Requirement::Operator::in, .values = {"x"}}};
    const auto leaf = [&group](const LabelViews& labels) { return select_leaf(group, labels)->leaf.key.name; };
    CHECK(leaf({{"a", "x"}, {"b", "y"}}) == "default/job/p/x,y");
    CHECK(leaf({{"a", "x"}}) == "default/job/p");
    CHECK(leaf({{"a", "x"}, {"b", ""}}) == "default/job/p");
    CHECK(leaf({{"b", "y"}}) == "default/job/-");
    group.sorts[1].selector = std::vector<Requirement>{{.key = "c", .op = Requirement::Operator::exists, .values = {}}};
    CHECK(select_leaf(group, {{"a", "x"}})->leaf.key == others().leaf.key);
    group.sorts[1].selector.reset();
    group.sorts.pop_back();
    CHECK_FALSE(select_leaf(group, {{"b", "y"}}));
    CHECK(select_leaf(group, {{"a", "x"}})->is_made);
    group.sorts[1].is_declared = true;
    CHECK_FALSE(select_leaf(group, {{"a", "x"}})->is_made);
}

TEST_CASE("pods get the same leaves, whatever the order of pods and group") {
    std::vector<Event> events = {GroupSetSeen{sorting_set()},     seen("a", {{"part", "0"}}),
                                 seen("b", {{"part", "0"}}),      seen("c", {{"part", "1"}}),
                                 seen("d", {{"part", "1"}}),      seen("e", {}),
                                 seen("f", {{"part", "2"}}),      NodeSeen{node("n")},
                                 GroupSetSeen{sorting_set(3, 1)}, GroupSetSeen{sorting_set()}};
    const auto last = events.back();
    std::mt19937 dice(7);
    for (int round = 0; round < 20; ++round) {
        std::ranges::shuffle(events, dice);
        auto cluster = new_cluster();
        for (const auto& event : events) {
            cluster.apply(event);
        }
        cluster.apply(last);
        const auto gang = job_in(cluster);
        CHECK(names_in(gang) == Names{"default/job 0", "default/job/- 1", "default/job/p 0", "default/job/p/0 2",
                                      "default/job/p/1 2", "default/job/p/2 1"});
        CHECK_FALSE(gang.problem);
        CHECK(cluster.roots() == std::vector<GroupKey>{root_key});
        CHECK(cluster.members_of(root_key).size() == 6);
    }
}

TEST_CASE("a leaf that no object declares comes with its first pod and goes with the last") {
    auto cluster = new_cluster();
    cluster.apply(GroupSetSeen{sorting_set(1, 1)});
    CHECK(names_in(job_in(cluster)) == Names{"default/job 0", "default/job/p 0"});
    auto change = cluster.apply(seen("a", {{"part", "0"}}));
    CHECK(change.gangs.contains(root_key));
    CHECK(change.member_arrived);
    CHECK(names_in(job_in(cluster)) == Names{"default/job 0", "default/job/p 0", "default/job/p/0 1"});
    change = cluster.apply(PodGone{"uid-a"});
    CHECK(change.gangs.contains(root_key));
    CHECK(names_in(job_in(cluster)) == Names{"default/job 0", "default/job/p 0"});
    CHECK(cluster.group_count() == 2);
}

TEST_CASE("a pod whose label changes moves to another leaf, and a repeated event changes nothing") {
    auto cluster = new_cluster();
    cluster.apply(GroupSetSeen{sorting_set(1, 1)});
    cluster.apply(seen("a", {{"part", "0"}}));
    CHECK(cluster.asks_as_before(*cluster.pod("uid-a"), seen("a", {{"part", "0"}})));
    CHECK_FALSE(cluster.asks_as_before(*cluster.pod("uid-a"), seen("a", {{"part", "1"}})));
    const auto change = cluster.apply(seen("a", {{"part", "1"}}));
    CHECK(change.gangs.contains(root_key));
    CHECK(names_in(job_in(cluster)) == Names{"default/job 0", "default/job/p 0", "default/job/p/1 1"});
    CHECK(cluster.root_of(*cluster.pod("uid-a")) == root_key);

    cluster.apply(NodeSeen{node("n")});
    auto bound = seen("a", {{"part", "1"}});
    bound.pod.node = "n";
    cluster.apply(bound);
    CHECK(names_in(job_in(cluster)) == Names{"default/job 0", "default/job/p 0", "default/job/p/1 1"});
}

TEST_CASE("a changed group moves its pods to other leaves, and one without selectors has them itself") {
    auto cluster = new_cluster();
    cluster.apply(GroupSetSeen{sorting_set(1, 1)});
    cluster.apply(seen("a", {{"part", "0"}}));
    CHECK(job_in(cluster).groups.back().minimum == 1);
    cluster.apply(GroupSetSeen{sorting_set(5, 1)});
    CHECK(job_in(cluster).groups.back().minimum == 5);

    auto plain = leaf("job", 1);
    plain.key = root_key;
    const auto change = cluster.apply(GroupSetSeen{{.owner = root_key, .uid = "u", .groups = {plain}}});
    CHECK(change.gangs.contains(root_key));
    CHECK(names_in(job_in(cluster)) == Names{"default/job 1"});
    CHECK(cluster.group_count() == 1);
    cluster.apply(GroupSetGone{root_key, "u"});
    CHECK(cluster.group_count() == 0);
    CHECK(cluster.roots() == std::vector<GroupKey>{root_key});
}

TEST_CASE("a leaf that is only a template of other leaves is no gang") {
    auto cluster = new_cluster();
    auto pattern = leaf("job", 2);
    SubGroupSelector replicas;
    replicas.keys = {selector_key("replica")};
    replicas.leaf = pattern;
    replicas.leaf.key.kind = "replica";
    pattern.sorts.push_back(replicas);
    cluster.apply(GroupSeen{pattern});
    CHECK(cluster.roots() == std::vector<GroupKey>{root_key});

    const auto keyed = [](const std::string& name, const std::string& key) {
        return seen(name, {{selector_key("replica"), key}});
    };
    auto change = cluster.apply(keyed("a", "0"));
    CHECK(change.gangs.contains(root_key));
    CHECK_FALSE(cluster.has_root(root_key));
    cluster.apply(keyed("b", "1"));
    CHECK(cluster.roots() ==
          std::vector<GroupKey>{GroupKey{"replica", "default/job/0"}, GroupKey{"replica", "default/job/1"}});
    // The pod names the pattern; its gang is the replica.
    CHECK(cluster.root_of(keyed("a", "0").pod) == GroupKey{"replica", "default/job/0"});

    cluster.apply(seen("c", {}));
    CHECK(cluster.has_root(root_key));
    cluster.apply(PodGone{"uid-c"});
    cluster.apply(PodGone{"uid-a"});
    change = cluster.apply(PodGone{"uid-b"});
    CHECK(change.gangs.contains(root_key));
    CHECK(cluster.roots() == std::vector<GroupKey>{root_key});
}

TEST_CASE("pods of other schedulers are left where they are") {
    auto cluster = new_cluster();
    cluster.apply(GroupSetSeen{sorting_set(1, 1)});
    auto foreign = seen("a", {{"part", "0"}});
    foreign.pod.scheduler_name = "other";
    cluster.apply(foreign);
    CHECK(names_in(job_in(cluster)) == Names{"default/job 0", "default/job/p 0"});
    CHECK(cluster.roots().empty());
}

TEST_CASE("pods of a profile that comes later get their leaves, and go back when it goes") {
    const Profiles without = {{"another", {}}};
    Cluster changing(without);
    changing.apply(GroupSetSeen{sorting_set(1, 1)});
    changing.apply(seen("a", {{"part", "0"}}));
    CHECK(changing.reprofile({{"default-scheduler", {}}}).gangs.contains(root_key));
    CHECK(names_in(job_in(changing)) == Names{"default/job 0", "default/job/p 0", "default/job/p/0 1"});
    CHECK_FALSE(job_in(changing).problem);
    CHECK(changing.reprofile(without).gangs.contains(root_key));
    CHECK(names_in(job_in(changing)) == Names{"default/job 0", "default/job/p 0"});
    CHECK(changing.roots().empty());
}

TEST_CASE("what a pod adds to its group goes with it into its leaf") {
    auto cluster = new_cluster();
    auto wishing = seen("a", {{"part", "0"}});
    Group wish;
    wish.key = root_key;
    wish.only_supplements = true;
    wish.expected = 7;
    wishing.pod.membership->declared.push_back(wish);
    cluster.apply(wishing);
    cluster.apply(GroupSetSeen{sorting_set(1, 1)});
    CHECK(cluster.group({"part", "default/job/p/0"})->expected == 7);
    CHECK_FALSE(cluster.group(root_key)->expected);
    CHECK(cluster.asks_as_before(*cluster.pod("uid-a"), wishing));
    cluster.apply(PodGone{"uid-a"});
    CHECK(cluster.group_count() == 2);
}

TEST_CASE("a group whose pods all follow another one isn't reported (Z5)") {
    auto cluster = new_cluster();
    cluster.apply(GroupSeen{leaf("rendered", 1)});
    CHECK(cluster.has_root(leaf_key("rendered")));
    auto pod = member("a", "original");
    Group elsewhere;
    elsewhere.key = leaf_key("rendered");
    elsewhere.only_supplements = true;
    elsewhere.policy.needs_pods = true;
    pod.membership->declared.push_back(elsewhere);
    auto change = cluster.apply(PodSeen{pod});
    CHECK(change.gangs.contains(leaf_key("rendered")));
    CHECK(cluster.roots() == std::vector<GroupKey>{leaf_key("original")});
    cluster.apply(PodSeen{member("b", "rendered")});
    CHECK(cluster.has_root(leaf_key("rendered")));
    cluster.apply(PodGone{"uid-b"});
    change = cluster.apply(PodGone{"uid-a"});
    CHECK(change.gangs.contains(leaf_key("rendered")));
    CHECK(cluster.has_root(leaf_key("rendered")));
}

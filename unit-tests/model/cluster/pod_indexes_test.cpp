// The indexes of pods that the cluster is made of, each by itself.

#include "model/cluster/leaf_pods.hpp"
#include "model/cluster/named_pods.hpp"
#include "model/cluster/occupants.hpp"
#include "model/cluster/pod_rows.hpp"
#include "model/cluster/pods_by_node.hpp"
#include "model/cluster/selected_leaves.hpp"
#include "model/gang/gang_facts.hpp"
#include "unit-tests/model/support/facts.hpp"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace facts;
using Names = std::set<std::string>;

std::unique_ptr<PodRow> row(const std::string& name) {
    auto made = std::make_unique<PodRow>();
    made->pod = pod(name);
    return made;
}

TEST_CASE("a pod is found by UID and by name until it is taken") {
    PodRows rows;
    auto& a = rows.add(row("a"));
    CHECK(rows.find(a.pod.uid) == &a);
    CHECK(rows.named(a.pod.ns, "a") == &a);
    CHECK(rows.named("other", "a") == nullptr);
    const auto taken = rows.take(a);
    CHECK(taken->pod.name == "a");
    CHECK(rows.find(taken->pod.uid) == nullptr);
    CHECK(rows.named(taken->pod.ns, "a") == nullptr);
    CHECK(rows.size() == 0);
}

TEST_CASE("a node is listed while it has such a pod") {
    const auto a = row("a");
    const auto b = row("b");
    PodsByNode index;
    index.add("n1", *a);
    index.add("n1", *b);
    index.add("n0", *a);
    CHECK(index.nodes() == std::vector<std::string>{"n0", "n1"});
    index.remove("n1", *a);
    index.remove("n1", *a);  // It is gone already.
    REQUIRE(index.on("n1") != nullptr);
    CHECK(*index.on("n1") == PodsByNode::Rows{b.get()});
    index.remove("n1", *b);
    CHECK(index.on("n1") == nullptr);
}

TEST_CASE("an occupant leaves its place to the last one in the namespace") {
    const auto a = row("a");
    const auto b = row("b");
    const auto c = row("c");
    Occupants occupants;
    for (auto* each : {a.get(), b.get(), c.get()})
        occupants.add(*each);
    occupants.remove(*a);
    CHECK(*occupants.in(a->pod.ns) == Occupants::Rows{c.get(), b.get()});
    occupants.remove(*c);
    occupants.remove(*b);
    CHECK(occupants.in(a->pod.ns) == nullptr);
}

TEST_CASE("a leaf keeps our pods apart from those of other schedulers") {
    const auto a = row("a");
    const auto b = row("b");
    const auto c = row("c");
    const auto foreign = row("d");
    LeafPods leaf;
    CHECK(leaf.empty());
    for (auto* ours : {a.get(), b.get(), c.get()})
        leaf.add(*ours, true);
    leaf.add(*foreign, false);
    CHECK(leaf.foreign() == LeafPods::Rows{foreign.get()});
    leaf.remove(*a);
    CHECK(leaf.ours() == LeafPods::Rows{c.get(), b.get()});
    leaf.remove(*foreign);
    CHECK(leaf.foreign().empty());
    leaf.remove(*c);
    CHECK(leaf.ours() == LeafPods::Rows{b.get()});
    leaf.remove(*b);
    CHECK(leaf.empty());
}

TEST_CASE("of several leaves that name a pod the first has it; the next when that one is gone (Z36)") {
    NamedPods named;
    CHECK(named.assign(composite_key("a"), {{"default/x", leaf_key("a1")}, {"default/y", leaf_key("a2")}}) ==
          Names{"default/x", "default/y"});
    CHECK(named.assign(composite_key("b"), {{"default/x", leaf_key("b1")}}) == Names{"default/x"});
    CHECK(*named.leaf_of("default/x") == leaf_key("a1"));
    CHECK(named.assign(composite_key("a"), {{"default/y", leaf_key("a2")}}) == Names{"default/x"});
    CHECK(*named.leaf_of("default/x") == leaf_key("b1"));
    CHECK(named.assign(composite_key("a"), {}) == Names{"default/y"});
    CHECK(named.leaf_of("default/y") == nullptr);
    CHECK(named.assign(composite_key("b"), {}) == Names{"default/x"});
    CHECK(named.empty());
}

TEST_CASE("a group's leaves are known from both ends until they are removed") {
    SelectedLeaves leaves;
    leaves.set_selects(composite_key("g"), true);
    leaves.add(leaf_key("g/0"), {.group = composite_key("g"), .is_made = true});
    leaves.add(leaf_key("g/1"), {.group = composite_key("g"), .is_made = false});
    CHECK(leaves.leaves_of(composite_key("g")) == std::set<GroupKey>{leaf_key("g/0"), leaf_key("g/1")});
    CHECK(leaves.made() == std::vector<GroupKey>{leaf_key("g/0")});
    CHECK(leaves.find(leaf_key("g/1"))->group == composite_key("g"));
    CHECK(leaves.remove(leaf_key("g/0"))->is_made);
    CHECK_FALSE(leaves.remove(leaf_key("g/0")));
    CHECK_FALSE(leaves.remove(leaf_key("g/1"))->is_made);
    CHECK_FALSE(leaves.has_leaves(composite_key("g")));
    CHECK_FALSE(leaves.empty());  // The group still selects.
    leaves.set_selects(composite_key("g"), false);
    CHECK(leaves.empty());
}

}  // namespace
}  // namespace echelon::model

#include "kube/disaggregated_set.hpp"

#include "unit-tests/kube/support/decoded.hpp"

namespace echelon::kube {
namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;
using nlohmann::json;

std::optional<model::Membership> read(const json& more_labels, const json& more_annotations = json::object()) {
    json labels = {{"disaggregatedset.x-k8s.io/name", "d"},          {"disaggregatedset.x-k8s.io/role", "decode"},
                   {"disaggregatedset.x-k8s.io/revision", "r1"},     {"leaderworkerset.sigs.k8s.io/name", "lws"},
                   {"leaderworkerset.sigs.k8s.io/group-index", "2"}, {"leaderworkerset.sigs.k8s.io/group-key", "k"},
                   {"leaderworkerset.sigs.k8s.io/worker-index", "1"}};
    labels.update(more_labels);
    json annotations = {{"leaderworkerset.sigs.k8s.io/size", "4"}};
    annotations.update(more_annotations);
    return membership_of(labels, annotations);
}

TEST_CASE("Z16: a slice is a gang: every role, one replica of each") {
    const auto member = read({{"disaggregatedset.x-k8s.io/slice", "3"}});
    REQUIRE(member);
    REQUIRE(member->declared.size() == 3);
    const Group& leaf = member->declared[0];
    const Group& role = member->declared[1];
    const Group& root = member->declared[2];
    CHECK(member->leaf == leaf.key);
    CHECK(leaf.key.name == "ns/d/3/r1/decode/2");
    CHECK(leaf.minimum == 4);
    CHECK(leaf.start_set == 1);
    CHECK(leaf.parent == role.key);
    CHECK(role.key.name == "ns/d/3/r1/decode");
    CHECK(role.kind == GroupKind::composite);
    CHECK(role.minimum == 1);
    CHECK(role.parent == root.key);
    CHECK(root.key == GroupKey{"disaggregated-set", "ns/d/3/r1"});
    CHECK_FALSE(root.minimum);
    CHECK(root.fewest == 2);  // Z16: a role may not have been seen yet.
    CHECK(member->rank == 1);
}

TEST_CASE("without a slice it is slice 0, without a role or a replica it is none") {
    CHECK(read(json::object())->declared.back().key.name == "ns/d/0/r1");
    CHECK(read({{"disaggregatedset.x-k8s.io/role", ""}})->leaf == GroupKey{"lws-group", "ns/lws/2"});
    CHECK_FALSE(membership_of({{"disaggregatedset.x-k8s.io/name", "d"}, {"disaggregatedset.x-k8s.io/role", "decode"}}));
}

TEST_CASE("slices and revisions are gangs of their own, replicas of a role aren't") {
    const auto root = [](const json& labels) { return read(labels)->declared.back().key.name; };
    CHECK(root({{"disaggregatedset.x-k8s.io/slice", "1"}}) == "ns/d/1/r1");
    CHECK(root({{"disaggregatedset.x-k8s.io/revision", "r2"}}) == "ns/d/0/r2");
    CHECK(root({{"disaggregatedset.x-k8s.io/role", "prefill"}}) == "ns/d/0/r1");
    CHECK(root({{"leaderworkerset.sigs.k8s.io/group-index", "9"}}) == "ns/d/0/r1");
}

TEST_CASE("A3: what can't be read of a replica makes the set Invalid") {
    const auto problem = [](const json& annotations) { return read(json::object(), annotations)->declared.front(); };
    CHECK(problem({{"leaderworkerset.sigs.k8s.io/size", "x"}}).problem ==
          "leaderworkerset.sigs.k8s.io/size is \"x\", which isn't a number from 1 on");
    CHECK(problem({{"leaderworkerset.sigs.k8s.io/exclusive-topology", "/"}}).problem ==
          "the annotation leaderworkerset.sigs.k8s.io/exclusive-topology is \"/\", which isn't a label key");
}

TEST_CASE("sub-groups of a replica stay below it") {
    const auto member = read({{"leaderworkerset.sigs.k8s.io/subgroup-index", "1"}},
                             {{"leaderworkerset.sigs.k8s.io/subgroup-size", "2"}});
    REQUIRE(member->declared.size() == 4);
    CHECK(member->leaf.name == "ns/d/0/r1/decode/2/1");
    CHECK(member->declared[0].parent == member->declared[1].key);
    CHECK(member->declared[1].key.name == "ns/d/0/r1/decode/2");
    CHECK(member->declared[1].parent == member->declared[2].key);
}

}  // namespace
}  // namespace echelon::kube

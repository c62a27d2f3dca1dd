#include "kube/leader_worker_set.hpp"

#include "unit-tests/kube/support/decoded.hpp"

#include <vector>

namespace echelon::kube {
namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;
using nlohmann::json;

const std::string prefix = "leaderworkerset.sigs.k8s.io/";

model::Membership read(const json& more_labels, const json& annotations) {
    json labels{{prefix + "name", "lws"}, {prefix + "group-index", "2"}, {prefix + "group-key", "k"}};
    labels.update(more_labels);
    const auto membership = membership_of(labels, annotations);
    REQUIRE(membership);
    return *membership;
}

TEST_CASE("a replica of a LeaderWorkerSet is a gang of its size") {
    const auto member = read({{prefix + "worker-index", "1"}, {prefix + "template-revision-hash", "r"}},
                             {{prefix + "size", "4"}, {prefix + "exclusive-topology", "example.com/rack"}});
    CHECK(member.leaf == GroupKey{"lws-group", "ns/lws/2"});
    REQUIRE(member.declared.size() == 1);
    CHECK(member.declared.front().minimum == 4);
    CHECK(member.declared.front().expected == 4);
    CHECK(member.declared.front().start_set == 1);  // Its workers may be created after it has a node.
    CHECK(member.declared.front().required == std::vector<std::string>{"example.com/rack"});
    CHECK(member.rank == 1);
    CHECK(member.attempt == "r");
}

TEST_CASE("Z17: sub-groups are leaves below the replica; a leader too many joins the first, or stands alone") {
    struct Row {
        std::string size, each, policy, worker, part;
        std::string name;
        std::int64_t minimum, parts;
    };
    const std::vector<Row> rows = {
        {"8", "4", "", "5", "1", "ns/lws/2/1", 4, 2},
        {"9", "4", "LeaderWorker", "0", "0", "ns/lws/2/0", 5, 2},
        {"9", "4", "", "8", "1", "ns/lws/2/1", 4, 2},
        {"9", "4", "LeaderExcluded", "0", "", "ns/lws/2/leader", 1, 3},
        {"9", "4", "LeaderExcluded", "3", "0", "ns/lws/2/0", 4, 3},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        json labels{{prefix + "worker-index", row.worker}};
        if (!row.part.empty())
            labels[prefix + "subgroup-index"] = row.part;
        const auto member = read(labels, {{prefix + "size", row.size},
                                          {prefix + "subgroup-size", row.each},
                                          {prefix + "subgroup-policy-type", row.policy}});
        REQUIRE(member.declared.size() == 2);
        CHECK(member.leaf == GroupKey{"lws-subgroup", row.name});
        CHECK(member.declared.front().minimum == row.minimum);
        CHECK(member.declared.back().problem == "");
        CHECK(member.declared.back().kind == GroupKind::composite);
        CHECK(member.declared.back().minimum == row.parts);
        CHECK_FALSE(member.declared.front().start_set);
    }
}

TEST_CASE("a replica with exclusive topology and sub-groups is one leaf, unless each part asks for its own domain") {
    json annotations{{prefix + "size", "8"}, {prefix + "subgroup-size", "4"}, {prefix + "exclusive-topology", "a/b"}};
    const auto whole = read(json::object(), annotations);
    CHECK(whole.leaf == GroupKey{"lws-group", "ns/lws/2"});
    CHECK(whole.declared.back().start_set == 1);
    CHECK(whole.declared.back().problem == "");
    annotations[prefix + "subgroup-exclusive-topology"] = "c/d";
    CHECK(read(json::object(), annotations).declared.back().problem.find("can't be kept") != std::string::npos);
}

TEST_CASE("A3: labels and annotations of a replica, row by row") {
    struct Row {
        const char* name;
        json labels, annotations;
        std::string problem;
    };
    const std::string size = prefix + "size";
    const std::string each = prefix + "subgroup-size";
    const std::string part = prefix + "subgroup-index";
    const std::vector<Row> rows = {
        {"size: missing", json::object(), json::object(), "the annotation " + size + " is missing"},
        {"size: 0", json::object(), {{size, "0"}}, size + " is \"0\", which isn't a number from 1 on"},
        {"size: a word", json::object(), {{size, "four"}}, size + " is \"four\", which isn't a number from 1 on"},
        {"size: above",
         json::object(),
         {{size, "2147483648"}},
         size + " is \"2147483648\", which isn't a number from 1 on"},
        {"exclusive-topology",
         json::object(),
         {{size, "2"}, {prefix + "exclusive-topology", "no key"}},
         "the annotation " + prefix + "exclusive-topology is \"no key\", which isn't a label key"},
        {"subgroup-size: 0",
         {{part, "0"}},
         {{size, "8"}, {each, "0"}},
         each + " is \"0\", which isn't a number from 1 on"},
        {"subgroup-size: no divisor",
         {{part, "0"}},
         {{size, "8"}, {each, "3"}},
         each + " is 3, which doesn't divide the size 8"},
        {"subgroup-index",
         {{part, "x"}},
         {{size, "8"}, {each, "4"}},
         part + " is \"x\", which isn't a number from 0 on"},
        {"subgroup-policy-type",
         {{part, "0"}},
         {{size, "8"}, {each, "4"}, {prefix + "subgroup-policy-type", "LeaderIncluded"}},
         prefix + "subgroup-policy-type is \"LeaderIncluded\", which is neither LeaderWorker nor LeaderExcluded"},
    };
    for (const Row& row : rows) {
        SUBCASE(row.name) {
            CHECK(read(row.labels, row.annotations).declared.back().problem == row.problem);
        }
    }
    const auto leaf = read({{part, "0"}}, {{size, "8"}, {each, "4"}, {prefix + "subgroup-exclusive-topology", "/"}});
    CHECK(leaf.declared.front().problem ==
          "the annotation " + prefix + "subgroup-exclusive-topology is \"/\", which isn't a label key");
}

TEST_CASE("defaults of a replica, and keys that aren't read") {
    const auto plain = read(json::object(), {{prefix + "size", "4"}});
    CHECK(plain.rank == -1);
    CHECK(plain.attempt == "");
    CHECK(plain.declared.front().required.empty());
    CHECK(plain.declared.front().start_set == 1);
    CHECK(read({{prefix + "worker-index", "x"}, {prefix + "subgroup-key", "k"}},
               {{prefix + "size", "4"}, {prefix + "leader-name", "lws-2"}}) == plain);
    const auto parted =
        read({{prefix + "subgroup-index", "1"}}, {{prefix + "size", "8"},
                                                  {prefix + "subgroup-size", "4"},
                                                  {prefix + "subgroup-exclusive-topology", "example.com/rack"}});
    CHECK(parted.declared.front().required == std::vector<std::string>{"example.com/rack"});
    CHECK(parted.declared.back().required.empty());
}

TEST_CASE("a pod without group index or key is of no replica") {
    CHECK_FALSE(membership_of({{prefix + "name", "lws"}}));
    CHECK_FALSE(membership_of({{prefix + "name", "lws"}, {prefix + "group-index", "0"}}));
}

}  // namespace
}  // namespace echelon::kube

#include "kube/dialects/leader_worker_set.hpp"

#include "model/gang/sub_group_selection.hpp"
#include "unit-tests/kube/support/rows.hpp"

#include <algorithm>
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

// The gang itself, behind its leaves.
Group replica_in(const model::Membership& member) {
    const auto is_replica = [](const Group& group) { return !group.only_supplements && !group.parent; };
    return *std::ranges::find_if(member.declared, is_replica);
}

// What annotations add to a group; an empty key: nothing.
Group added_to(const std::string& name, const model::Membership& member) {
    for (const Group& group : member.declared) {
        if (group.only_supplements && group.key.name == name)
            return group;
    }
    return {};
}

// The sub-groups that a leader declares beside its own; nothing: it declares none.
std::optional<model::Parts> parts_in(const model::Membership& member) {
    for (const Group& group : member.declared) {
        if (auto parts = model::parts_of(group))
            return parts;
    }
    return std::nullopt;
}

TEST_CASE("a replica of a LeaderWorkerSet is a gang with the replica's size") {
    const auto member =
        read({{prefix + "worker-index", "1"}, {prefix + "template-revision-hash", "r"}}, {{prefix + "size", "4"}});
    CHECK(member.leaf == GroupKey{"lws-group", "ns/lws/2"});
    REQUIRE(member.declared.size() == 1);
    CHECK(member.declared.front().minimum == 4);
    CHECK(member.declared.front().expected == 4);
    CHECK_FALSE(member.declared.front().start_set);  // Whether its workers come late is for the object to say.
    CHECK(member.declared.front().described_by == GroupKey{"leaderworkerset", "ns/lws"});
    CHECK(member.rank == 1);
    CHECK(member.attempt == "lws/2=r");
}

TEST_CASE("sub-groups are leaves below the replica; an additional leader joins the first, or is alone (Z17)") {
    struct Row {
        std::string size, each, policy, worker, part;
        std::string name;
        std::int64_t minimum, parts;
        bool has_leader;
    };
    const std::vector<Row> rows = {
        {"8", "4", "", "5", "1", "ns/lws/2/1", 4, 2, false},
        {"9", "4", "LeaderWorker", "0", "0", "ns/lws/2/0", 5, 2, true},
        {"9", "4", "", "8", "1", "ns/lws/2/1", 4, 2, false},
        {"9", "4", "LeaderExcluded", "0", "", "ns/lws/2/leader", 1, 3, true},
        {"9", "4", "LeaderExcluded", "3", "0", "ns/lws/2/0", 4, 3, false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        json labels{{prefix + "worker-index", row.worker}};
        if (!row.part.empty())
            labels[prefix + "subgroup-index"] = row.part;
        const auto member = read(labels, {{prefix + "size", row.size},
                                          {prefix + "subgroup-size", row.each},
                                          {prefix + "subgroup-policy-type", row.policy}});
        const Group& leaf = member.declared.front();
        CHECK(member.leaf == GroupKey{"lws-subgroup", row.name});
        CHECK(leaf.minimum == row.minimum);
        CHECK(leaf.expected == row.minimum);
        CHECK_FALSE(leaf.start_set);
        CHECK(leaf.described_by == GroupKey{row.has_leader ? "leaderworkerset" : "leaderworkerset-workers", "ns/lws"});
        const Group replica = replica_in(member);
        CHECK(replica.problem == "");
        CHECK(replica.kind == GroupKind::composite);
        CHECK(replica.minimum == row.parts);
        CHECK_FALSE(replica.described_by);
        CHECK_FALSE(replica.expected);
    }
}

TEST_CASE("a leader declares the sub-groups of all workers, even of those that don't exist yet (H1)") {
    const json annotations{{prefix + "size", "9"}, {prefix + "subgroup-size", "4"}};
    const auto leader = read({{prefix + "worker-index", "0"}, {prefix + "subgroup-index", "0"}}, annotations);
    CHECK(leader.leaf.name == "ns/lws/2/0");
    REQUIRE(parts_in(leader));
    CHECK(parts_in(leader)->numbers.first == 1);
    CHECK(parts_in(leader)->numbers.end == 2);
    CHECK(parts_in(leader)->leaf.key.kind == "lws-subgroup");
    CHECK(parts_in(leader)->leaf.minimum == 4);
    CHECK(parts_in(leader)->leaf.expected == 4);
    CHECK(parts_in(leader)->leaf.described_by == GroupKey{"leaderworkerset-workers", "ns/lws"});
    const auto worker = read({{prefix + "worker-index", "5"}, {prefix + "subgroup-index", "1"}}, annotations);
    CHECK(worker.leaf.name == "ns/lws/2/1");
    CHECK_FALSE(parts_in(worker));
    CHECK(replica_in(worker) == replica_in(leader));

    json apart = annotations;
    apart[prefix + "subgroup-policy-type"] = "LeaderExcluded";
    const auto alone = read({{prefix + "worker-index", "0"}}, apart);
    CHECK(alone.leaf.name == "ns/lws/2/leader");
    REQUIRE(parts_in(alone));
    CHECK(parts_in(alone)->numbers.first == 0);
    CHECK(parts_in(alone)->numbers.end == 2);
}

TEST_CASE("sub-groups of one worker beside a leader that is apart are numbered from 1, as their labels are (Z17)") {
    const auto leader = read(
        {{prefix + "worker-index", "0"}},
        {{prefix + "size", "4"}, {prefix + "subgroup-size", "1"}, {prefix + "subgroup-policy-type", "LeaderExcluded"}});
    CHECK(replica_in(leader).minimum == 4);
    REQUIRE(parts_in(leader));
    CHECK(parts_in(leader)->numbers.first == 1);
    CHECK(parts_in(leader)->numbers.end == 4);
}

TEST_CASE("exclusive topology adds a level, and that workers come after their leader") {
    const auto plain = read({{prefix + "worker-index", "0"}},
                            {{prefix + "size", "4"}, {prefix + "exclusive-topology", "example.com/rack"}});
    REQUIRE(plain.declared.size() == 2);
    const Group more = added_to("ns/lws/2", plain);
    CHECK(more.required == std::vector<std::string>{"example.com/rack"});
    CHECK(more.start_set == 1);
    CHECK(more.expected == 4);

    json annotations{{prefix + "size", "8"}, {prefix + "subgroup-size", "4"}, {prefix + "exclusive-topology", "a/b"}};
    const json labels{{prefix + "worker-index", "0"}, {prefix + "subgroup-index", "0"}};
    const auto cut = read(labels, annotations);
    CHECK(replica_in(cut).kind == GroupKind::composite);
    CHECK(added_to("ns/lws/2", cut).required == std::vector<std::string>{"a/b"});
    CHECK_FALSE(added_to("ns/lws/2", cut).start_set);
    CHECK(added_to("ns/lws/2/0", cut).start_set == 1);
    CHECK(parts_in(cut)->leaf.start_set == 0);
    CHECK(parts_in(cut)->leaf.required.empty());

    annotations[prefix + "subgroup-exclusive-topology"] = "c/d";
    const auto both = read(labels, annotations);
    CHECK(added_to("ns/lws/2", both).required == std::vector<std::string>{"a/b"});
    CHECK(added_to("ns/lws/2/0", both).required == std::vector<std::string>{"c/d"});
    CHECK(parts_in(both)->leaf.required == std::vector<std::string>{"c/d"});
    CHECK(parts_in(both)->leaf.start_set == 0);
}

TEST_CASE("labels and annotations of a replica, row by row (A3)") {
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
            const auto member = read(row.labels, row.annotations);
            CHECK(replica_in(member).problem + added_to("ns/lws/2", member).problem == row.problem);
        }
    }
    const auto many = read({{prefix + "worker-index", "0"}}, {{size, "2147483647"}, {each, "1"}});
    CHECK(replica_in(many).problem ==
          size + std::string(": 2147483647 is more than the 20000 members that a gang may have (limits.members)"));
    CHECK(many.declared.size() == 2);
    const auto leaf = read({{part, "0"}}, {{size, "8"}, {each, "4"}, {prefix + "subgroup-exclusive-topology", "/"}});
    CHECK(added_to("ns/lws/2/0", leaf).problem ==
          "the annotation " + prefix + "subgroup-exclusive-topology is \"/\", which isn't a label key");
}

TEST_CASE("defaults of a replica, and keys that aren't read") {
    const auto plain = read(json::object(), {{prefix + "size", "4"}});
    CHECK(plain.rank == -1);
    CHECK(plain.attempt == "");
    CHECK(plain.declared.front().required.empty());
    CHECK_FALSE(plain.declared.front().start_set);
    CHECK(read({{prefix + "worker-index", "x"}, {prefix + "subgroup-key", "k"}},
               {{prefix + "size", "4"}, {prefix + "leader-name", "lws-2"}}) == plain);
    const auto parted =
        read({{prefix + "subgroup-index", "1"}}, {{prefix + "size", "8"},
                                                  {prefix + "subgroup-size", "4"},
                                                  {prefix + "subgroup-exclusive-topology", "example.com/rack"}});
    CHECK(added_to("ns/lws/2/1", parted).required == std::vector<std::string>{"example.com/rack"});
    CHECK_FALSE(added_to("ns/lws/2/1", parted).start_set);
    CHECK(replica_in(parted).required.empty());
    CHECK(read({{prefix + "worker-index", "0"}},
               {{prefix + "size", "4"}, {prefix + "subgroup-exclusive-topology", "example.com/rack"}})
              .declared.size() == 1);
}

constexpr const char* version = "leaderworkerset.x-k8s.io/v1";

TEST_CASE("a LeaderWorkerSet says whether workers of a replica come late, and what they request") {
    const auto set = set_in(group_object(version, "LeaderWorkerSet", R"({"startupPolicy": "LeaderReady",
        "leaderWorkerTemplate": {"size": 4, "workerTemplate": {"spec": {"containers": [
            {"name": "c", "resources": {"requests": {"cpu": "2"}}}],
            "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one"}]}}}})"));
    REQUIRE(set.groups.size() == 2);
    CHECK(set.owner == GroupKey{"leaderworkerset", "ns/g"});
    const Group& leaders = set.groups[0];
    const Group& workers = set.groups[1];
    CHECK(leaders.key == set.owner);
    CHECK(workers.key == GroupKey{"leaderworkerset-workers", "ns/g"});
    CHECK(leaders.start_set == 1);
    CHECK(workers.start_set == 0);
    for (const Group& group : set.groups) {
        CHECK(group.policy.needs_pods);
        CHECK(group.api_kind == "LeaderWorkerSet");
        REQUIRE(group.late_pod_class);
        CHECK(group.late_pod_class->requests.of("cpu") == 2000);
        CHECK(group.late_claims == std::vector<model::PodClaim>{{.name = "gpu", .claim = {}, .claim_template = "one"}});
    }
}

TEST_CASE("claims in the template count only if workers come late: by LeaderReady, or by exclusive topology (H6)") {
    const auto claims_with = [](const std::string& policy, const json& annotations) {
        const auto set = set_in(group_object(version, "LeaderWorkerSet",
                                             R"({"startupPolicy": ")" + policy +
                                                 R"(", "leaderWorkerTemplate": {"workerTemplate": {"spec": {
            "containers": [], "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one"}]}}}})",
                                             annotations));
        return set.groups.front().late_claims.size();
    };
    CHECK(claims_with("LeaderReady", json::object()) == 1);
    CHECK(claims_with("LeaderCreated", json::object()) == 0);
    CHECK(claims_with("LeaderCreated", {{"leaderworkerset.sigs.k8s.io/exclusive-topology", "rack"}}) == 1);
}

TEST_CASE("fields of a LeaderWorkerSet, row by row (A3)") {
    check_faults(version, "LeaderWorkerSet",
                 {{"startupPolicy: number", R"({"startupPolicy": 7})", "spec.startupPolicy: must be a string, not 7"},
                  {"startupPolicy: unknown", R"({"startupPolicy": "LeaderBound"})",
                   "spec.startupPolicy: must be LeaderCreated or LeaderReady, not \"LeaderBound\""},
                  {"leaderWorkerTemplate", R"({"leaderWorkerTemplate": 7})",
                   "spec.leaderWorkerTemplate: must be an object, not 7"},
                  {"workerTemplate", R"({"leaderWorkerTemplate": {"workerTemplate": []}})",
                   "spec.leaderWorkerTemplate.workerTemplate: must be an object, not a list"}});
}

TEST_CASE("defaults of a LeaderWorkerSet, and what of it isn't read") {
    const auto read_object = [](const std::string& spec) {
        return set_in(group_object(version, "LeaderWorkerSet", spec));
    };
    const auto plain = read_object("{}");
    CHECK_FALSE(plain.groups[0].start_set);
    CHECK_FALSE(plain.groups[1].start_set);
    CHECK_FALSE(plain.groups[0].late_pod_class);
    CHECK(read_object(R"({"startupPolicy": "LeaderCreated", "replicas": "x", "rolloutStrategy": 7, "later": 1,
        "leaderWorkerTemplate": {"size": "four", "subGroupPolicy": 7, "leaderTemplate": 7}})") == plain);
    CHECK(read_object(R"({"startupPolicy": null, "leaderWorkerTemplate": null})") == plain);
}

TEST_CASE("a pod without group index or key is of no replica") {
    CHECK_FALSE(membership_of({{prefix + "name", "lws"}}));
    CHECK_FALSE(membership_of({{prefix + "name", "lws"}, {prefix + "group-index", "0"}}));
}

// A pod of a replica of five that Kueue has admitted.
model::Membership of_pod_set(const std::string& index, const std::string& pod_set, json annotations = json::object()) {
    annotations[prefix + "size"] = "5";
    json labels{{prefix + "worker-index", index}};
    labels["kueue.x-k8s.io/podset"] = pod_set;
    return read(labels, annotations);
}

TEST_CASE("the leader and the workers are a leaf each if they are two PodSets of Kueue (Z42)") {
    const json sliced{{"kueue.x-k8s.io/podset-slice-required-topology", "rack"},
                      {"kueue.x-k8s.io/podset-slice-size", "2"},
                      {"kueue.x-k8s.io/pod-index-offset", "1"}};
    const auto leader = of_pod_set("0", "leader");
    CHECK(leader.leaf == GroupKey{"lws-subgroup", "ns/lws/2/leader"});
    CHECK(leader.declared.front().minimum == 1);
    CHECK(replica_in(leader).minimum == 2);
    CHECK(replica_in(leader).kind == GroupKind::composite);
    const auto worker = of_pod_set("3", "worker", sliced);
    CHECK(worker.leaf == GroupKey{"lws-subgroup", "ns/lws/2/0"});
    CHECK(worker.declared.front().minimum == 4);
    CHECK(worker.rank == 2);
    CHECK(added_to("ns/lws/2/0", worker).multiples.at("rack") == 2);
    CHECK(added_to("ns/lws/2", worker).multiples.empty());
    // Before it is admitted, a pod says the same by an annotation.
    const json waiting{{prefix + "size", "5"}, {"kueue.x-k8s.io/role-hash", "worker"}};
    CHECK(read({{prefix + "worker-index", "3"}}, waiting).leaf == worker.leaf);
}

TEST_CASE("the leader and the workers are one leaf if one PodSet or PodSet group of Kueue has them all") {
    const json wish{{"kueue.x-k8s.io/podset-required-topology", "rack"}};
    json joined = wish;
    joined["kueue.x-k8s.io/podset-group-name"] = "all";
    for (const auto& member : {of_pod_set("0", "main", wish), of_pod_set("1", "main", wish),
                               of_pod_set("0", "leader", joined), of_pod_set("1", "worker", joined)}) {
        CHECK(member.leaf == GroupKey{"lws-group", "ns/lws/2"});
        CHECK(added_to("ns/lws/2", member).required == std::vector<std::string>{"rack"});
    }
}

}  // namespace
}  // namespace echelon::kube

#include "kube/membership.hpp"

#include "unit-tests/kube/support/decoded.hpp"

#include <vector>

namespace echelon::kube {
namespace {

using nlohmann::json;

// A pod's marks for each source, in the order in which they win.
struct Mark {
    json labels;
    json annotations;
    json spec;
    std::string kind;
};

const std::vector<Mark>& marks() {
    static const std::vector<Mark> all = {
        {json::object(), json::object(), {{"schedulingGroup", {{"podGroupName", "g"}}}}, "podgroup"},
        {{{"echelon.sh/gang", "g"}}, json::object(), json::object(), "gang"},
        {{{"grove.io/podgang", "g"}, {"grove.io/podclique", "c"}}, json::object(), json::object(), "grove-podgroup"},
        {json::object(), {{"pod-group-name", "g"}}, json::object(), "kai-podgroup"},
        {json::object(), {{"scheduling.k8s.io/group-name", "g"}}, json::object(), "volcano-podgroup"},
        {{{"scheduling.x-k8s.io/pod-group", "g"}}, json::object(), json::object(), "x-k8s-podgroup"},
        {{{"pod-group.scheduling.sigs.k8s.io", "g"}}, json::object(), json::object(), "koordinator-podgroup"},
        {{{"leaderworkerset.sigs.k8s.io/name", "g"},
          {"leaderworkerset.sigs.k8s.io/group-index", "0"},
          {"leaderworkerset.sigs.k8s.io/group-key", "k"},
          {"pod-group.scheduling.sigs.k8s.io/name", "g"},
          {"rbg.workloads.x-k8s.io/group-name", "g"},
          {"rbg.workloads.x-k8s.io/role-name", "r"}},
         json::object(),
         json::object(),
         "lws-group"},  // Below its role.
        {json::object(), {{"gang.scheduling.koordinator.sh/name", "g"}}, json::object(), "koordinator-podgroup"},
        {{{"leaderworkerset.sigs.k8s.io/name", "g"},
          {"leaderworkerset.sigs.k8s.io/group-index", "0"},
          {"leaderworkerset.sigs.k8s.io/group-key", "k"},
          {"disaggregatedset.x-k8s.io/name", "g"},
          {"disaggregatedset.x-k8s.io/role", "r"}},
         json::object(),
         json::object(),
         "lws-group"},  // Below its role.
        {{{"leaderworkerset.sigs.k8s.io/name", "g"},
          {"leaderworkerset.sigs.k8s.io/group-index", "0"},
          {"leaderworkerset.sigs.k8s.io/group-key", "k"}},
         json::object(),
         json::object(),
         "lws-group"},
        {{{"jobset.sigs.k8s.io/jobset-name", "g"},
          {"jobset.sigs.k8s.io/replicatedjob-name", "r"},
          {"jobset.sigs.k8s.io/job-index", "0"}},
         json::object(),
         json::object(),
         "jobset-job"},
        {{{"kueue.x-k8s.io/podset", "g"}}, {{"kueue.x-k8s.io/workload", "g"}}, json::object(), "kueue-podset"},
        {{{"kueue.x-k8s.io/pod-group-name", "g"}}, json::object(), json::object(), "kueue-pod-group"},
    };
    return all;
}

TEST_CASE("each source names its group, and the first of two wins") {
    for (std::size_t first = 0; first < marks().size(); ++first) {
        CAPTURE(first);
        const Mark& winner = marks()[first];
        CHECK(membership_of(winner.labels, winner.annotations, winner.spec)->leaf.kind == winner.kind);
        for (std::size_t second = first + 1; second < marks().size(); ++second) {
            CAPTURE(second);
            Mark both = marks()[second];
            both.labels.update(winner.labels);
            both.annotations.update(winner.annotations);
            both.spec.update(winner.spec);
            CHECK(membership_of(both.labels, both.annotations, both.spec)->leaf.kind == winner.kind);
        }
    }
}

TEST_CASE("an object of a kind that isn't served yields to the next source, and labels alone never do (A1)") {
    struct Row {
        std::size_t mark;
        std::string resource, group;
    };
    const std::vector<Row> rows = {{0, "podgroups", "scheduling.k8s.io"},   {2, "podgangs", "scheduler.grove.io"},
                                   {3, "podgroups", "scheduling.run.ai"},   {4, "podgroups", "scheduling.volcano.sh"},
                                   {5, "podgroups", "scheduling.x-k8s.io"}, {6, "podgroups", "scheduling.sigs.k8s.io"},
                                   {11, "jobsets", "jobset.x-k8s.io"},      {12, "workloads", "kueue.x-k8s.io"}};
    for (const Row& row : rows) {
        CAPTURE(row.group);
        const UnservedKinds unserved{kind_bit(row.resource, row.group)};
        const UnservedKinds others{~unserved.kinds};
        const Mark& mark = marks()[row.mark];
        const auto without = membership_of(mark.labels, mark.annotations, mark.spec, unserved);
        CHECK(!without);
        CHECK(membership_of(mark.labels, mark.annotations, mark.spec, others)->leaf.kind == mark.kind);
        Mark both = marks().back();
        both.labels.update(mark.labels);
        both.annotations.update(mark.annotations);
        both.spec.update(mark.spec);
        CHECK(membership_of(both.labels, both.annotations, both.spec, unserved)->leaf.kind == "kueue-pod-group");
        CHECK(membership_of(both.labels, both.annotations, both.spec, unserved)->declared.size() < 2);
    }
    for (const std::size_t labels_alone : std::vector<std::size_t>{1, 8, 9, 10, 13}) {
        const Mark& mark = marks()[labels_alone];
        CHECK(membership_of(mark.labels, mark.annotations, mark.spec, {~KindBits{0}})->leaf.kind == mark.kind);
    }
}

TEST_CASE("a Grove pod that also carries marks for KAI or Koordinator is Grove's") {
    const auto read = membership_of({{"grove.io/podgang", "g"},
                                     {"grove.io/podclique", "c"},
                                     {"kai.scheduler/subgroup-name", "c"},
                                     {"pod-group.scheduling.sigs.k8s.io", "g-c"}},
                                    {{"pod-group-name", "g"}});
    CHECK(read->leaf == model::GroupKey{"grove-podgroup", "ns/g/c"});
}

// Marks of Grove and of all its renderings at once.
Mark four_marks() {
    return {{{"grove.io/podgang", "g"},
             {"grove.io/podclique", "c"},
             {"kai.scheduler/subgroup-name", "k-part"},
             {"pod-group.scheduling.sigs.k8s.io", "koord"}},
            {{"pod-group-name", "k"}, {"scheduling.k8s.io/group-name", "v"}},
            json::object(),
            "grove-podgroup"};
}

TEST_CASE("a pod with the marks of Grove, KAI, Volcano and Koordinator follows the first whose kind is served") {
    struct Row {
        const char* unserved;
        KindBits kinds;
        model::GroupKey leaf;
        std::size_t passed_over;  // Objects whose pods follow another one.
    };
    const auto grove = kind_bit("podgangs", "scheduler.grove.io");
    const auto kai = kind_bit("podgroups", "scheduling.run.ai");
    const auto volcano = kind_bit("podgroups", "scheduling.volcano.sh");
    const auto koordinator = kind_bit("podgroups", "scheduling.sigs.k8s.io");
    const std::vector<Row> rows = {
        {"none", 0, {"grove-podgroup", "ns/g/c"}, 3},
        {"Grove", grove, {"kai-subgroup", "ns/k/k-part"}, 2},
        {"Grove, KAI", grove | kai, {"volcano-podgroup", "ns/v"}, 1},
        {"Grove, KAI, Volcano", grove | kai | volcano, {"koordinator-podgroup", "ns/koord"}, 0},
        {"KAI, Volcano", kai | volcano, {"grove-podgroup", "ns/g/c"}, 1},
        {"Volcano, Koordinator", volcano | koordinator, {"grove-podgroup", "ns/g/c"}, 1},
    };
    const Mark mark = four_marks();
    for (const Row& row : rows) {
        SUBCASE(row.unserved) {
            const auto read = membership_of(mark.labels, mark.annotations, mark.spec, UnservedKinds{row.kinds});
            CHECK(read->leaf == row.leaf);
            CHECK(read->declared.size() == row.passed_over);
        }
    }
    const auto nothing = UnservedKinds{grove | kai | volcano | koordinator};
    CHECK_FALSE(membership_of(mark.labels, mark.annotations, mark.spec, nothing));
    Mark upstream = mark;
    upstream.spec["schedulingGroup"] = {{"podGroupName", "u"}};
    CHECK(membership_of(upstream.labels, upstream.annotations, upstream.spec)->leaf ==
          model::GroupKey{"podgroup", "ns/u"});
}

TEST_CASE("names of pods and objects decide nothing (A4)") {
    const auto named = [](const std::string& name, const Mark& mark) {
        const json pod{
            {"metadata",
             {{"name", name}, {"namespace", "ns"}, {"labels", mark.labels}, {"annotations", mark.annotations}}},
            {"spec", mark.spec}};
        FieldFault fault;
        const Field root(pod, fault);
        return read_membership(root, read_metadata(root, Scope::namespaced));
    };
    for (const Mark& mark : marks()) {
        CAPTURE(mark.kind);
        const auto plain = named("p", mark);
        // As controllers have called, or call, their pods: gang, part and number.
        for (const char* name : {"g-c-7", "g-0-12-worker-3", "lws-2-1", "set-workers-1-5-x7k2p"})
            CHECK(named(name, mark) == plain);
        CHECK(plain->rank == -1);
    }
    // Nor do parts of an object's name: a clique whose name doesn't begin with the gang's.
    CHECK(membership_of({{"grove.io/podgang", "train-0"}, {"grove.io/podclique", "decode-3"}})->leaf.name ==
          "ns/train-0/decode-3");
    const auto set = set_in(group_object("scheduler.grove.io/v1alpha1", "PodGang",
                                         R"({"podgroups": [{"name": "h-0-decode-12", "minReplicas": 1}]})"));
    CHECK(set.groups.front().key.name == "ns/g");
    CHECK(set.groups.back().key.name == "ns/g/h-0-decode-12");
    CHECK(set.groups.back().minimum == 1);
}

TEST_CASE("a pod's group is in its own namespace, even where it names another one (A6)") {
    for (Mark mark : marks()) {
        CAPTURE(mark.kind);
        CHECK(membership_of(mark.labels, mark.annotations, mark.spec)->leaf.name.str().starts_with("ns/"));
        for (json* texts : {&mark.annotations, &mark.spec}) {
            for (json& value : *texts) {
                if (value.is_string())
                    value = "other/g";
            }
        }
        CHECK(membership_of(mark.labels, mark.annotations, mark.spec)->leaf.name.str().starts_with("ns/"));
    }
    const auto child =
        decode(group_object("scheduling.k8s.io/v1alpha3", "PodGroup",
                            R"({"schedulingPolicy": {"basic": {}}, "parentCompositePodGroupName": "other/p"})"),
               Change::seen);
    CHECK(std::get<model::GroupSeen>(child->front()).group.parent->name == "ns/other/p");
}

TEST_CASE("objects that a pod names without following them get a warning, and those labels declare nothing (Z5)") {
    const auto read = membership_of({{"grove.io/podgang", "g"},
                                     {"grove.io/podclique", "c"},
                                     {"pod-group.scheduling.sigs.k8s.io", "k"},
                                     {"kueue.x-k8s.io/pod-group-name", "q"}},
                                    {{"pod-group-name", "a"}, {"scheduling.k8s.io/group-name", "v"}});
    std::vector<model::GroupKey> passed_over;
    for (const auto& group : read->declared) {
        CHECK(group.only_supplements);
        CHECK(group.policy.needs_pods);
        passed_over.push_back(group.key);
    }
    CHECK(passed_over == std::vector<model::GroupKey>{
                             {"kai-podgroup", "ns/a"}, {"volcano-podgroup", "ns/v"}, {"koordinator-podgroup", "ns/k"}});
}

TEST_CASE("a pod that names a PodGroup and a Workload is in the PodGroup, and the Workload's is no gang (Z5)") {
    const json both{{"schedulingGroup", {{"podGroupName", "g"}}}, {"workloadRef", {{"name", "w"}, {"podGroup", "a"}}}};
    const auto read = membership_of(json::object(), nullptr, both);
    CHECK(read->leaf == model::GroupKey{"podgroup", "ns/g"});
    REQUIRE(read->declared.size() == 1);
    CHECK(read->declared.front().key == model::GroupKey{"workload-podgroup", "ns/w/a"});
    CHECK(read->declared.front().policy.needs_pods);
    const UnservedKinds without_groups{kind_bit("podgroups", "scheduling.k8s.io")};
    CHECK(membership_of(json::object(), nullptr, both, without_groups)->leaf.kind == "workload-podgroup");
}

TEST_CASE("the size of a replica supplements its group, and Volcano's minimum isn't trusted") {
    const json labels{{"leaderworkerset.sigs.k8s.io/group-key", "k"}, {"leaderworkerset.sigs.k8s.io/name", "w"}};
    json annotations{{"leaderworkerset.sigs.k8s.io/size", "4"}};
    const auto upstream = membership_of(labels, annotations, {{"schedulingGroup", {{"podGroupName", "g"}}}});
    REQUIRE(upstream->declared.size() == 1);
    CHECK(upstream->declared.front().expected == 4);
    CHECK(upstream->declared.front().described_by == model::GroupKey{"leaderworkerset", "ns/w"});
    CHECK_FALSE(upstream->declared.front().start_set);
    CHECK_FALSE(upstream->declared.front().minimum);
    annotations["scheduling.k8s.io/group-name"] = "g";
    const auto volcano = membership_of(labels, annotations);
    REQUIRE(volcano->declared.size() == 1);
    CHECK(volcano->declared.front().minimum == 4);
}

TEST_CASE("a size that can't be read makes the group Invalid, and one that is missing drops no level (A3, Z18)") {
    const auto replica = [](const json& size) {
        json annotations{{"scheduling.k8s.io/group-name", "g"},
                         {"leaderworkerset.sigs.k8s.io/exclusive-topology", "example.com/rack"}};
        annotations.update(size);
        return membership_of({{"leaderworkerset.sigs.k8s.io/group-key", "k"}}, annotations)->declared.front();
    };
    CHECK(replica({{"leaderworkerset.sigs.k8s.io/size", "x"}}).problem ==
          "leaderworkerset.sigs.k8s.io/size is \"x\", which isn't a number from 1 on");
    const model::Group unsized = replica(json::object());
    CHECK(unsized.problem == "");
    CHECK(unsized.required == std::vector<std::string>{"example.com/rack"});
}

TEST_CASE("exclusive topology adds its level to the group of the replica, or of the only Job (Z18)") {
    const json upstream{{"schedulingGroup", {{"podGroupName", "g"}}}};
    const auto replica = membership_of({{"leaderworkerset.sigs.k8s.io/group-key", "k"}},
                                       {{"leaderworkerset.sigs.k8s.io/size", "4"},
                                        {"leaderworkerset.sigs.k8s.io/exclusive-topology", "example.com/rack"}},
                                       upstream);
    REQUIRE(replica->declared.size() == 1);
    CHECK(replica->declared.front().required == std::vector<std::string>{"example.com/rack"});
    CHECK(replica->declared.front().start_set == 1);

    const json exclusive{{"alpha.jobset.sigs.k8s.io/exclusive-topology", "example.com/rack"}};
    const auto alone = membership_of({{"jobset.sigs.k8s.io/global-replicas", "1"}}, exclusive, upstream);
    REQUIRE(alone->declared.size() == 1);
    CHECK(alone->declared.front().only_supplements);
    CHECK(alone->declared.front().required == std::vector<std::string>{"example.com/rack"});
    CHECK(membership_of({{"jobset.sigs.k8s.io/global-replicas", "2"}, {"jobset.sigs.k8s.io/job-key", "a"}}, exclusive,
                        upstream)
              ->declared.front()
              .about == model::LabelledPods{"jobset.sigs.k8s.io/job-key", "a"});
    // Pods of other Jobs show that the group has several, unless theirs is the only one.
    for (const char* jobs : {"1", "2"}) {
        const auto plain = membership_of(
            {{"jobset.sigs.k8s.io/global-replicas", jobs}, {"jobset.sigs.k8s.io/job-key", "b"}}, nullptr, upstream);
        CHECK(plain->declared.size() == (std::string(jobs) == "1" ? 0 : 1));
    }
    CHECK(membership_of({{"jobset.sigs.k8s.io/global-replicas", "1"}},
                        {{"alpha.jobset.sigs.k8s.io/exclusive-topology", "/"}}, upstream)
              ->declared.front()
              .problem ==
          "the annotation alpha.jobset.sigs.k8s.io/exclusive-topology is \"/\", which isn't a label key");
}

TEST_CASE("rank and attempt come from the controller of the pod, not from the group's object") {
    const json upstream{{"schedulingGroup", {{"podGroupName", "g"}}}};
    const auto replica = membership_of({{"leaderworkerset.sigs.k8s.io/name", "serve"},
                                        {"leaderworkerset.sigs.k8s.io/group-index", "2"},
                                        {"leaderworkerset.sigs.k8s.io/worker-index", "3"},
                                        {"leaderworkerset.sigs.k8s.io/template-revision-hash", "r2"}},
                                       nullptr, upstream);
    CHECK(replica->rank == 3);
    CHECK(replica->attempt == "serve/2=r2");
    const auto job = membership_of({{"batch.kubernetes.io/job-completion-index", "7"},
                                    {"jobset.sigs.k8s.io/jobset-name", "train"},
                                    {"jobset.sigs.k8s.io/jobset-uid", "u"},
                                    {"jobset.sigs.k8s.io/restart-attempt", "1"}},
                                   nullptr, upstream);
    CHECK(job->rank == 7);
    CHECK(job->attempt == "train=u/1");
    CHECK(membership_of({{"batch.kubernetes.io/job-completion-index", "x"}}, nullptr, upstream)->rank == -1);
}

}  // namespace
}  // namespace echelon::kube

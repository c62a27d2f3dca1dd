// An object means the same in every version of the kind, and with unknown fields of later versions.

#include "model/cluster/cluster.hpp"
#include "unit-tests/kube/support/decoded.hpp"

#include <string>
#include <vector>

namespace echelon::kube {
namespace {

using nlohmann::json;

struct Row {
    const char* kind;
    std::vector<std::string> versions;
    std::string spec;
    bool is_gang_without_pods = true;
};

const std::vector<Row>& rows() {
    static const std::vector<Row> all = {
        {"PodGroup",
         {"scheduling.k8s.io/v1alpha2", "scheduling.k8s.io/v1alpha3", "scheduling.k8s.io/v1beta1"},
         R"({"schedulingPolicy": {"gang": {"minCount": 2}},
             "schedulingConstraints": {"topology": [{"key": "example.com/rack"}]}})"},
        {"CompositePodGroup",
         {"scheduling.k8s.io/v1alpha3", "scheduling.k8s.io/v1beta1"},
         R"({"schedulingPolicy": {"gang": {"minGroupCount": 2}}, "workloadRef": {"workloadName": "w"}})"},
        {"PodGang",
         {"scheduler.grove.io/v1alpha1", "scheduler.grove.io/v1"},
         R"({"podgroups": [{"name": "a", "minReplicas": 1}]})"},
        {"PodGroup", {"scheduling.run.ai/v2alpha2", "scheduling.run.ai/v2"}, R"({"subGroups": [{"name": "a"}]})"},
        {"PodGroup",
         {"scheduling.volcano.sh/v1beta1", "scheduling.volcano.sh/v1"},
         R"({"minMember": 2, "subGroupPolicy": [{"name": "a", "matchLabelKeys": ["x"]}]})"},
        {"PodGroup", {"scheduling.x-k8s.io/v1alpha1", "scheduling.x-k8s.io/v1"}, R"({"minMember": 2})"},
        {"PodGroup", {"scheduling.sigs.k8s.io/v1alpha1", "scheduling.sigs.k8s.io/v1beta1"}, R"({"minMember": 2})"},
        {"Gang", {"echelon.sh/v1alpha1", "echelon.sh/v1"}, R"({"groups": [{"name": "a", "minimum": 1}]})"},
        {"JobSet",
         {"jobset.x-k8s.io/v1alpha1", "jobset.x-k8s.io/v1alpha2"},
         R"({"replicatedJobs": [{"name": "a", "template": {"spec": {"parallelism": 2}}}]})",
         false},
        {"LeaderWorkerSet",
         {"leaderworkerset.x-k8s.io/v1", "leaderworkerset.x-k8s.io/v2"},
         R"({"startupPolicy": "LeaderReady", "leaderWorkerTemplate": {"workerTemplate": {"spec": {"containers": []}}}})",
         false},
        {"DisaggregatedSet",
         {"disaggregatedset.x-k8s.io/v1", "disaggregatedset.x-k8s.io/v2"},
         R"({"roles": [{"name": "a"}, {"name": "b"}, {"name": "c"}]})",
         false},
        {"RoleBasedGroup",
         {"workloads.x-k8s.io/v1alpha1", "workloads.x-k8s.io/v1alpha2", "workloads.x-k8s.io/v1"},
         R"({"roles": [{"name": "a", "replicas": 2}, {"name": "b", "leaderWorkerPattern": {"size": 4}}]})",
         false},
        {"Workload",
         {"kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2"},
         R"({"podSets": [{"name": "a", "count": 2}]})",
         false},
    };
    return all;
}

// The only event of an object, without apiVersion.
model::Event unversioned(const json& object, Change change = Change::seen) {
    auto events = decode(object, change);
    REQUIRE_MESSAGE(events, (events ? "" : events.error().sentence));
    REQUIRE(events->size() == 1);
    if (auto* one = std::get_if<model::GroupSeen>(&events->front())) {
        one->group.api_version.clear();
        one->group.placed.reset();  // The condition has a name for each version (Z32).
    }
    if (auto* set = std::get_if<model::GroupSetSeen>(&events->front())) {
        for (auto* groups : {&set->set.groups, &set->set.shared}) {
            for (auto& group : *groups)
                group.api_version.clear();
        }
        for (auto& group : set->set.groups) {
            for (auto& sort : group.sorts)
                sort.leaf.api_version.clear();
        }
    }
    return events->front();
}

bool is_same(const model::Event& a, const model::Event& b) {
    if (const auto* one = std::get_if<model::GroupSeen>(&a))
        return one->group == std::get<model::GroupSeen>(b).group;
    return std::get<model::GroupSetSeen>(a).set == std::get<model::GroupSetSeen>(b).set;
}

// The same object with unknown fields at every level except in maps of labels and annotations.
json with_unknown_fields(const json& value) {
    if (value.is_array()) {
        json out = json::array();
        for (const json& item : value)
            out.push_back(with_unknown_fields(item));
        return out;
    }
    if (!value.is_object())
        return value;
    json out = {{"fieldOfALaterVersion", {{"of", "any"}, {"type", 7}}}};
    for (const auto& [key, part] : value.items())
        out[key] = with_unknown_fields(part);
    return out;
}

TEST_CASE("one object in two versions is one object, and says the same in both (A2)") {
    for (const Row& row : rows()) {
        SUBCASE(row.versions.front().c_str()) {
            model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
            const auto first = unversioned(group_object(row.versions.front(), row.kind, row.spec));
            for (const std::string& version : row.versions) {
                CAPTURE(version);
                const json object = group_object(version, row.kind, row.spec);
                CHECK(is_same(unversioned(object), first));
                static_cast<void>(cluster.apply(decode(object, Change::seen)->front()));
                CHECK(cluster.roots().size() == (row.is_gang_without_pods ? 1 : 0));
            }
            // Gone in one version it is gone.
            const json last = group_object(row.versions.front(), row.kind, row.spec);
            static_cast<void>(cluster.apply(decode(last, Change::gone)->front()));
            CHECK(cluster.group_count() == 0);
        }
    }
}

TEST_CASE("unknown fields are ignored everywhere (A2)") {
    for (const Row& row : rows()) {
        SUBCASE(row.versions.front().c_str()) {
            json object = group_object(row.versions.front(), row.kind, row.spec);
            const auto plain = unversioned(object);
            object = with_unknown_fields(object);
            object["status"] = {{"fieldOfALaterVersion", 7}};
            CHECK(is_same(unversioned(object), plain));
        }
    }
}

TEST_CASE("a field that is null counts as absent (A2)") {
    for (const Row& row : rows()) {
        SUBCASE(row.versions.front().c_str()) {
            json object = group_object(row.versions.front(), row.kind, "{}");
            const auto absent = unversioned(object);
            const json spec = json::parse(row.spec);
            for (const auto& [key, value] : spec.items())
                object["spec"][key] = nullptr;
            CHECK(is_same(unversioned(object), absent));
            object["spec"] = nullptr;
            CHECK(is_same(unversioned(object), absent));
        }
    }
}

TEST_CASE("one topology in two versions is one topology, and what isn't known of it is ignored (A2)") {
    const std::vector<Row> topologies = {
        {"Topology",
         {"kueue.x-k8s.io/v1alpha1", "kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2"},
         R"({"levels": [{"nodeLabel": "example.com/rack"}]})"},
        {"Topology",
         {"kai.scheduler/v1alpha1", "kai.scheduler/v1"},
         R"({"levels": [{"nodeLabel": "example.com/rack", "alias": "rack"}]})"},
        {"ClusterTopologyBinding",
         {"grove.io/v1alpha1", "grove.io/v1"},
         R"({"levels": [{"domain": "rack", "key": "example.com/rack"}]})"},
        {"ClusterNetworkTopology",
         {"scheduling.koordinator.sh/v1alpha1", "scheduling.koordinator.sh/v1"},
         R"({"networkTopologySpec": [{"topologyLayer": "rackLayer", "labelKey": ["example.com/rack"]}]})"},
        {"HyperNode",
         {"topology.volcano.sh/v1alpha1", "topology.volcano.sh/v1"},
         R"({"tier": 1, "members": [{"type": "Node", "selector": {"exactMatch": {"name": "n0"}}}]})"},
    };
    const auto is_alike = [](const model::Event& a, const model::Event& b) {
        if (const auto* topology = std::get_if<model::TopologySeen>(&a))
            return topology->topology == std::get<model::TopologySeen>(b).topology;
        return std::get<model::DomainSeen>(a).domain == std::get<model::DomainSeen>(b).domain;
    };
    for (const Row& row : topologies) {
        SUBCASE(row.versions.front().c_str()) {
            const auto first = unversioned(group_object(row.versions.front(), row.kind, row.spec));
            for (const std::string& version : row.versions) {
                CAPTURE(version);
                const json object = group_object(version, row.kind, row.spec);
                CHECK(is_alike(unversioned(object), first));
                CHECK(is_alike(unversioned(with_unknown_fields(object)), first));
            }
        }
    }
}

}  // namespace
}  // namespace echelon::kube

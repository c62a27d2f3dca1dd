// Does one object of a group or a topology, with any content, leave unrelated gangs unchanged?

#include "fuzz/beside.hpp"
#include "fuzz/targets.hpp"
#include "kube/client/watched_kind.hpp"
#include "kube/json/splitter.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace echelon::fuzz {
namespace {

using nlohmann::json;

constexpr std::size_t largest_input = 16UL << 10U;
constexpr int deepest = 8;

// Words that decoders look for.
constexpr std::array words = {"metadata",
                              "name",
                              "namespace",
                              "uid",
                              "labels",
                              "annotations",
                              "ownerReferences",
                              "spec",
                              "status",
                              "groups",
                              "replicas",
                              "minimum",
                              "minimumPods",
                              "minimumReplicas",
                              "requiredTopology",
                              "preferredTopology",
                              "expectedPods",
                              "startPods",
                              "podSelector",
                              "matchLabels",
                              "matchExpressions",
                              "key",
                              "operator",
                              "values",
                              "In",
                              "NotIn",
                              "Exists",
                              "minMember",
                              "minTaskMember",
                              "minSubGroup",
                              "minSubGroups",
                              "subGroups",
                              "subGroupPolicy",
                              "subGroupSize",
                              "parent",
                              "podGroups",
                              "podgroups",
                              "minReplicas",
                              "podReferences",
                              "topologyConstraint",
                              "topologyConstraintGroupConfigs",
                              "packConstraint",
                              "required",
                              "preferred",
                              "podGroupNames",
                              "priorityClassName",
                              "priority",
                              "preemptionPolicy",
                              "queue",
                              "networkTopology",
                              "mode",
                              "hard",
                              "soft",
                              "highestTierAllowed",
                              "highestTierName",
                              "labelSelector",
                              "matchLabelKeys",
                              "policy",
                              "schedulingPolicy",
                              "gang",
                              "basic",
                              "minCount",
                              "schedulingConstraints",
                              "topology",
                              "parentCompositePodGroupName",
                              "podGroupTemplateRef",
                              "workload",
                              "workloadRef",
                              "replicatedJobs",
                              "template",
                              "parallelism",
                              "completions",
                              "dependsOn",
                              "startupPolicy",
                              "startupPolicyOrder",
                              "InOrder",
                              "AnyOrder",
                              "podSets",
                              "count",
                              "podSetAssignments",
                              "admission",
                              "topologyAssignment",
                              "levels",
                              "nodeLabel",
                              "alias",
                              "domain",
                              "tier",
                              "tierName",
                              "members",
                              "type",
                              "Node",
                              "HyperNode",
                              "selector",
                              "exactMatch",
                              "regexMatch",
                              "pattern",
                              "labelMatch",
                              "networkTopologySpec",
                              "topologyLayer",
                              "parentTopologyLayer",
                              "labelKey",
                              "ClusterTopologyLayer",
                              "NodeTopologyLayer",
                              "instances",
                              "id",
                              "network_layers",
                              "switches",
                              "blocks",
                              "nodes",
                              "switch",
                              "default",
                              "kubernetes.io/hostname",
                              "example.com/rack",
                              "example.com/block",
                              "odd",
                              "odd-0",
                              "odd-1",
                              "n[1-3]",
                              "hypernode-tier/1",
                              "gang.scheduling.koordinator.sh/groups",
                              "[\"default/odd\"]",
                              "gang.scheduling.koordinator.sh/network-topology-spec",
                              "containers",
                              "resources",
                              "requests",
                              "cpu",
                              "1",
                              "^odd",
                              ""};

// Makes JSON of any bytes: each byte is a choice.
class Maker {
public:
    explicit Maker(std::string_view bytes) : bytes_(bytes) {}

    json object(int depth) {
        json made = json::object();
        for (auto members = next() % 8U; members > 0 && !bytes_.empty(); --members) {
            const std::string key = word();
            made[key] = value(depth + 1);
        }
        return made;
    }

private:
    unsigned next() {
        if (bytes_.empty())
            return 0;
        const auto byte = static_cast<unsigned char>(bytes_.front());
        bytes_.remove_prefix(1);
        return byte;
    }

    std::string word() { return words[next() % words.size()]; }

    json value(int depth) {
        const unsigned kind = next() % 10U;
        if (depth >= deepest || kind < 3)
            return word();
        if (kind < 5)
            return static_cast<std::int64_t>(next()) - 8;
        if (kind < 7)
            return object(depth);
        if (kind < 9) {
            json made = json::array();
            for (auto items = next() % 5U; items > 0 && !bytes_.empty(); --items)
                made.push_back(value(depth + 1));
            return made;
        }
        switch (next() % 6U) {
            case 0:
                return nullptr;
            case 1:
                return true;
            case 2:
                return std::numeric_limits<std::int64_t>::max();
            case 3:
                return std::numeric_limits<std::int64_t>::min();
            case 4:
                return 0.5;
            default:
                return 1e300;
        }
    }

    std::string_view bytes_;
};

bool is_adapted(const kube::WatchedKind& kind) {
    return !kind.group.empty() && !kind.is_record && kind.kind != "PriorityClass";
}

// The bytes as JSON, if they are an object with a kind; otherwise an object that is made of the bytes.
std::optional<json> object_of(std::string_view bytes) {
    if (bytes.starts_with('{')) {
        auto read = kube::parse_object(bytes);
        return read ? std::optional(std::move(*read)) : std::nullopt;
    }
    std::vector<const kube::WatchedKind*> kinds;
    for (const kube::WatchedKind& kind : kube::watched_kinds) {
        if (is_adapted(kind))
            kinds.push_back(&kind);
    }
    const auto chosen = static_cast<unsigned char>(bytes.front()) % (kinds.size() + 1);
    json made = Maker(bytes.substr(1)).object(0);
    if (chosen == kinds.size())
        return made;
    made["apiVersion"] = kube::api_version(*kinds[chosen], kinds[chosen]->versions[0]);
    made["kind"] = kinds[chosen]->kind;
    if (!made.contains("metadata"))
        made["metadata"] = {{"name", "odd"}, {"uid", "odd"}};
    return made;
}

}  // namespace

std::string adapter(std::string_view bytes) {
    if (bytes.empty() || bytes.size() > largest_input || bytes.contains(sane_mark))
        return {};
    const std::optional<json> object = object_of(bytes);
    if (!object)
        return {};
    const std::string kind = object->value("kind", json()).is_string() ? (*object)["kind"].get<std::string>() : "";
    if (kind == "Pod" || kind == "Node" || kind == "PriorityClass" || kind == "GangPlan")
        return {};  // These kinds concern all gangs.
    return beside_sane_gangs({*object});
}

}  // namespace echelon::fuzz

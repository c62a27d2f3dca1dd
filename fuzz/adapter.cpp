// Does one object of any group or topology, whatever it says, leave gangs that it has nothing to do with as they are?

#include "fuzz/sentence.hpp"
#include "fuzz/targets.hpp"
#include "kube/decode.hpp"
#include "kube/manifests.hpp"
#include "kube/splitter.hpp"
#include "kube/topograph.hpp"
#include "kube/watched_kind.hpp"
#include "model/cluster.hpp"
#include "solver/solve.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::fuzz {
namespace {

using nlohmann::json;
using Events = std::vector<model::Event>;

constexpr std::size_t largest_input = 16UL << 10U;
constexpr int deepest = 8;
constexpr solver::Budget budget{.steps = 200};

// One gang that names a group, one by labels, and what they need. All of their names have this in them, and nothing
// else has.
constexpr std::string_view mark = "sane";
constexpr std::string_view sane_text = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: sane-0, uid: sane-n0, labels: {sane.example.com/rack: sane-r0}}, status: {allocatable: {cpu: "64", pods: "110"}}}
- {apiVersion: v1, kind: Node, metadata: {name: sane-1, uid: sane-n1, labels: {sane.example.com/rack: sane-r0}}, status: {allocatable: {cpu: "64", pods: "110"}}}
- {apiVersion: kueue.x-k8s.io/v1beta2, kind: Topology, metadata: {name: sane, uid: sane-t}, spec: {levels: [{nodeLabel: sane.example.com/rack}]}}
- {apiVersion: scheduling.k8s.io/v1alpha3, kind: PodGroup, metadata: {name: sane, uid: sane-g}, spec: {schedulingPolicy: {gang: {minCount: 2}}, schedulingConstraints: {topology: [{key: sane.example.com/rack}]}}}
- {apiVersion: v1, kind: Pod, metadata: {name: sane-a, uid: sane-a}, spec: {schedulerName: default-scheduler, schedulingGroup: {podGroupName: sane}, containers: [{name: main, resources: {requests: {cpu: "1"}}}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: sane-b, uid: sane-b}, spec: {schedulerName: default-scheduler, schedulingGroup: {podGroupName: sane}, containers: [{name: main, resources: {requests: {cpu: "1"}}}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: sane-c, uid: sane-c, labels: {echelon.sh/gang: sane-labels}, annotations: {echelon.sh/gang-minimum: "1"}}, spec: {schedulerName: default-scheduler, containers: [{name: main, resources: {requests: {cpu: "1"}}}]}}
)";

// Words that adapters look for.
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

// Any bytes as JSON: each is a choice.
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

// JSON as it stands, which says its own kind; else a kind, and an object that is made of the bytes.
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

const kube::TopographSource source{.name = "odd", .source = model::TopologySource::object, .file = {}};

// What the object does when it comes; as the watch delivers it.
Events coming(const json& object, std::string& broken) {
    if (kube::is_topograph(object)) {
        auto told = kube::read_topograph(object, source);
        if (!told)
            broken = sentence_fault(told.error().sentence);
        return told ? std::move(*told) : kube::faulty_topograph(source, told.error());
    }
    auto events = kube::decode(object, kube::Change::seen);
    if (events)
        return std::move(*events);
    broken = sentence_fault(events.error().sentence);
    Events instead;
    if (auto event = kube::stand_in(object, events.error()))
        instead.push_back(std::move(*event));
    return instead;
}

Events going(const json& object) {
    if (kube::is_topograph(object))
        return kube::topograph_gone(source);
    auto events = kube::decode(object, kube::Change::gone);
    return events ? std::move(*events) : Events{};
}

// All that a gang says, with the names of what numbers stand for.
std::string written(const model::Gang& gang, const model::Snapshot& snapshot) {
    std::string out = fmt::format("{} {} {} {}\n", gang.root.kind, gang.name(), gang.priority, gang.created);
    for (const model::GangGroup& group : gang.groups) {
        out += fmt::format("  {} {} {} {}", group.key.kind, group.key.name, group.minimum, group.is_leaf);
        for (const model::LevelRef level : group.required)
            out += " requires " + snapshot.trees[level.tree].keys[level.depth];
        out += '\n';
    }
    for (const model::Member& member : gang.members)
        out += fmt::format("  {}\n", member.pod);
    if (gang.problem)
        out += gang.problem->sentence + "\n";
    const solver::Answer answer = solver::solve(snapshot, gang, budget);
    return out + (std::holds_alternative<solver::Plan>(answer) ? "  placed\n" : "  refused\n");
}

// The sane gangs; the others only have to have a reading.
std::string reading(const model::Cluster& cluster, std::string& broken) {
    const model::Snapshot snapshot = cluster.snapshot();
    std::string out;
    for (const model::GroupKey& root : cluster.roots()) {
        const model::Gang gang = cluster.gang(root, snapshot);
        if (root.name.contains(mark)) {
            out += written(gang, snapshot);
        } else if (gang.problem && broken.empty()) {
            broken = sentence_fault(gang.problem->sentence);
        }
    }
    for (const std::string& fault : cluster.topology_faults()) {
        if (broken.empty())
            broken = sentence_fault(fault);
    }
    return out;
}

void take_in(model::Cluster& cluster, const Events& events) {
    for (const model::Event& event : events)
        static_cast<void>(cluster.apply(event));
}

}  // namespace

std::string adapter(std::string_view bytes) {
    if (bytes.empty() || bytes.size() > largest_input || bytes.contains(mark))
        return {};
    const std::optional<json> object = object_of(bytes);
    if (!object)
        return {};
    const std::string kind = object->value("kind", json()).is_string() ? (*object)["kind"].get<std::string>() : "";
    if (kind == "Pod" || kind == "Node" || kind == "PriorityClass" || kind == "GangPlan")
        return {};  // Those are about everybody.
    const auto sane = kube::read_manifest_text(sane_text, "sane")->events;
    std::string broken;
    const Events odd = coming(*object, broken);
    const auto fresh = [] { return model::Cluster(model::Profiles{{"default-scheduler", {}}}); };

    model::Cluster alone = fresh();
    take_in(alone, sane);
    const std::string expected = reading(alone, broken);
    model::Cluster before = fresh();
    take_in(before, odd);
    take_in(before, sane);
    if (const std::string found = reading(before, broken); found != expected)
        return fmt::format("read before, it changes others:\n{}----\n{}", expected, found);
    take_in(alone, odd);
    if (const std::string found = reading(alone, broken); found != expected)
        return fmt::format("read afterwards, it changes others:\n{}----\n{}", expected, found);
    take_in(alone, going(*object));
    if (const std::string found = reading(alone, broken); found != expected)
        return fmt::format("gone, it has changed others:\n{}----\n{}", expected, found);
    return broken;
}

}  // namespace echelon::fuzz

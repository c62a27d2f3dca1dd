#pragma once

// What happened in the cluster? Every input (watch, `plan -f`, tests) becomes these events.
//
// Events of one resource arrive in order; between resources any interleaving is possible, and the model accepts all of
// them (L11). A repeated event changes nothing.

#include "model/facts/declared_domain.hpp"
#include "model/facts/device.hpp"
#include "model/facts/disruption_budget.hpp"
#include "model/facts/group.hpp"
#include "model/facts/node.hpp"
#include "model/facts/node_zones.hpp"
#include "model/facts/plan_record.hpp"
#include "model/facts/pod.hpp"
#include "model/facts/topology.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace echelon::model {

struct NodeSeen {
    Node node;
};
struct NodeGone {
    std::string name;
};
// A pod as it is now. The same namespace/name with another UID implies that the earlier pod is gone.
struct PodSeen {
    Pod pod;
    // Labels, which terms of pod (anti-)affinity and sub-group selectors read. They are not in `Pod`, since the model
    // stores them separately. Other marks that sub-group selectors read are here too, under keys that no label can have
    // (`selector_key`).
    Labels labels = {};
    std::vector<PodClaim> claims = {};  // Device claims; not in `Pod`, since few pods have any.
};
struct PodGone {
    std::string uid;
};
struct GroupSeen {
    Group group;
};
struct GroupGone {
    GroupKey key;
    std::string uid;  // Of the deleted object; a newer one with the same key stays.
};
// All groups of an object that declares several.
struct GroupSetSeen {
    GroupSet set;
};
struct GroupSetGone {
    GroupKey owner;
    std::string uid;  // Of the deleted object.
};
struct TopologySeen {
    Topology topology;
};
struct TopologyGone {
    TopologySource source = TopologySource::object;
    std::string api_kind;
    std::string name;
};
struct DomainSeen {
    DeclaredDomain domain;
};
struct DomainGone {
    std::string name;
};
struct PriorityClassSeen {
    std::string name;
    std::int64_t value = 0;
    bool preempts = true;     // preemptionPolicy is not Never.
    bool is_default = false;  // globalDefault: of what names no class.
};
struct PriorityClassGone {
    std::string name;
};
struct BudgetSeen {
    DisruptionBudget budget;
};
struct BudgetGone {
    std::string ns;
    std::string name;
};
// A Job that ends all its pods at a declared time, however late they started.
struct JobSeen {
    std::string uid;
    std::int64_t ends = 0;  // Seconds since 1970; 0: it has not begun, or declares no end.
};
struct JobGone {
    std::string uid;
};
struct DeviceSliceSeen {
    DeviceSlice slice;
};
struct DeviceSliceGone {
    std::string name;
};
struct DeviceClassSeen {
    DeviceClass device_class;
};
struct DeviceClassGone {
    std::string name;
};
struct DeviceTaintRuleSeen {
    DeviceTaintRule rule;
};
struct DeviceTaintRuleGone {
    std::string name;
};
struct DeviceClaimSeen {
    DeviceClaim claim;
};
struct DeviceClaimGone {
    std::string ns;
    std::string name;
};
struct DeviceTemplateSeen {
    DeviceClaimTemplate claim_template;
};
struct DeviceTemplateGone {
    std::string ns;
    std::string name;
};
// The NUMA zones of a node. They replace those that were seen before.
struct NodeZonesSeen {
    NodeZones zones;
    // By UID: pods that were bound to the node after these zones were reported. Empty in events of the watch, since the
    // model notes such pods itself.
    std::map<std::string, ZoneParts> bound_since = {};
};
struct NodeZonesGone {
    std::string node;
};
struct PlanSeen {
    PlanRecord record;
    std::string uid = {};  // UID of the GangPlan; it changes if the object is deleted and created again.
};
struct PlanGone {
    std::string ns;
    std::string name;
};
// The first list of a resource ("pods", "nodes", "podgroups.scheduling.k8s.io" ...) has been delivered completely, or
// the resource isn't served. `what` is the resource's name in readiness messages.
struct Synced {
    std::string what;
};

using Event =
    std::variant<NodeSeen, NodeGone, PodSeen, PodGone, GroupSeen, GroupGone, GroupSetSeen, GroupSetGone, TopologySeen,
                 TopologyGone, DomainSeen, DomainGone, PriorityClassSeen, PriorityClassGone, PlanSeen, PlanGone, Synced,
                 BudgetSeen, BudgetGone, DeviceSliceSeen, DeviceSliceGone, DeviceClassSeen, DeviceClassGone,
                 DeviceClaimSeen, DeviceClaimGone, DeviceTemplateSeen, DeviceTemplateGone, NodeZonesSeen, NodeZonesGone,
                 DeviceTaintRuleSeen, DeviceTaintRuleGone, JobSeen, JobGone>;

// True if the event declares levels or domains. Labels of nodes declare them, too, but their events may change nothing.
[[nodiscard]] inline bool is_topology_event(const Event& event) {
    return std::holds_alternative<TopologySeen>(event) || std::holds_alternative<TopologyGone>(event) ||
           std::holds_alternative<DomainSeen>(event) || std::holds_alternative<DomainGone>(event);
}

}  // namespace echelon::model

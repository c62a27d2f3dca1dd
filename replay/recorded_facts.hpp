#pragma once

// Which fields does a recording keep of facts about the cluster, and under which names?
//
// All of them, since replay would decide differently without a field. The structured bindings below break the build if
// a struct gets a field that has no name here. Plain tables.

#include "model/facts/event.hpp"

#include <array>
#include <string_view>
#include <tuple>

namespace echelon::replay {

// `names` and `fields` of a struct, in the same order.
template <typename T>
struct Recorded;

template <>
struct Recorded<model::Taint> {
    static constexpr std::array<std::string_view, 3> names = {"key", "value", "effect"};
    static auto fields(auto& all) {
        auto& [key, value, effect] = all;
        return std::tie(key, value, effect);
    }
};
template <>
struct Recorded<model::Node> {
    static constexpr std::array<std::string_view, 10> names = {"name",        "uid",    "labels", "annotations",
                                                               "allocatable", "taints", "ready",  "unschedulable",
                                                               "deleting",    "faults"};
    static auto fields(auto& all) {
        auto& [name, uid, labels, annotations, allocatable, taints, ready, unschedulable, deleting, faults] = all;
        return std::tie(name, uid, labels, annotations, allocatable, taints, ready, unschedulable, deleting, faults);
    }
};
template <>
struct Recorded<model::Toleration> {
    static constexpr std::array<std::string_view, 4> names = {"key", "exists", "value", "effect"};
    static auto fields(auto& all) {
        auto& [key, exists, value, effect] = all;
        return std::tie(key, exists, value, effect);
    }
};
template <>
struct Recorded<model::Requirement> {
    static constexpr std::array<std::string_view, 3> names = {"key", "op", "values"};
    static auto fields(auto& all) {
        auto& [key, op, values] = all;
        return std::tie(key, op, values);
    }
};
template <>
struct Recorded<model::NodeTerm> {
    static constexpr std::array<std::string_view, 2> names = {"labels", "fields"};
    static auto fields(auto& all) {
        auto& [labels, fields] = all;
        return std::tie(labels, fields);
    }
};
template <>
struct Recorded<model::ContainerRequest> {
    static constexpr std::array<std::string_view, 2> names = {"requests", "kind"};
    static auto fields(auto& all) {
        auto& [requests, kind] = all;
        return std::tie(requests, kind);
    }
};
template <>
struct Recorded<model::Alignment> {
    static constexpr std::array<std::string_view, 2> names = {"isGuaranteed", "containers"};
    static auto fields(auto& all) {
        auto& [is_guaranteed, containers] = all;
        return std::tie(is_guaranteed, containers);
    }
};
template <>
struct Recorded<model::PodClass> {
    static constexpr std::array<std::string_view, 5> names = {"requests", "nodeSelector", "nodeAffinity", "tolerations",
                                                              "alignment"};
    static auto fields(auto& all) {
        // Events have no resolved claims (`devices`).
        auto& [requests, node_selector, node_affinity, tolerations, alignment, devices] = all;
        return std::tie(requests, node_selector, node_affinity, tolerations, alignment);
    }
};
template <>
struct Recorded<model::Zone> {
    static constexpr std::array<std::string_view, 3> names = {"name", "allocatable", "available"};
    static auto fields(auto& all) {
        auto& [name, allocatable, available] = all;
        return std::tie(name, allocatable, available);
    }
};
template <>
struct Recorded<model::NodeZones> {
    static constexpr std::array<std::string_view, 4> names = {"node", "isSingleNumaNode", "scope", "zones"};
    static auto fields(auto& all) {
        auto& [node, is_single_numa_node, scope, zones] = all;
        return std::tie(node, is_single_numa_node, scope, zones);
    }
};
template <>
struct Recorded<model::PodTerm> {
    static constexpr std::array<std::string_view, 5> names = {"kind", "key", "labels", "namespaces", "isEverywhere"};
    static auto fields(auto& all) {
        auto& [kind, key, labels, namespaces, is_everywhere] = all;
        return std::tie(kind, key, labels, namespaces, is_everywhere);
    }
};
template <>
struct Recorded<model::GroupKey> {
    static constexpr std::array<std::string_view, 2> names = {"kind", "name"};
    static auto fields(auto& all) {
        auto& [kind, name] = all;
        return std::tie(kind, name);
    }
};
template <>
struct Recorded<model::LabelledPods> {
    static constexpr std::array<std::string_view, 2> names = {"label", "value"};
    static auto fields(auto& all) {
        auto& [label, value] = all;
        return std::tie(label, value);
    }
};
template <>
struct Recorded<model::PlacedCondition> {
    static constexpr std::array<std::string_view, 5> names = {"type", "status", "message", "generation", "version"};
    static auto fields(auto& all) {
        auto& [type, status, message, generation, version] = all;
        return std::tie(type, status, message, generation, version);
    }
};
template <>
struct Recorded<model::Group> {
    static constexpr std::array<std::string_view, 51> names = {"key",           "kind",
                                                               "parent",        "minimum",
                                                               "fewest",        "basic",
                                                               "floor",         "expected",
                                                               "startSet",      "lateShape",
                                                               "ended",         "onlyWaiting",
                                                               "timeout",       "required",
                                                               "preferred",     "multiples",
                                                               "maxPerDomain",  "pairedTopology",
                                                               "topology",      "topologyGroup",
                                                               "priority",      "priorityClass",
                                                               "preempts",      "disruption",
                                                               "protectedFrom", "onePriorityPerTree",
                                                               "workload",      "needsWorkload",
                                                               "maxDepth",      "anchor",
                                                               "listed",        "gathersChildren",
                                                               "isSupplement",  "describedBy",
                                                               "oldestDecides", "takesScore",
                                                               "placed",        "needsPods",
                                                               "sorts",         "uid",
                                                               "apiVersion",    "apiKind",
                                                               "generation",    "created",
                                                               "ends",          "problem",
                                                               "warnings",      "countedChildren",
                                                               "sliceSize",     "unsizedSlices",
                                                               "about"};
    static auto fields(auto& all) {
        auto& [key, kind, parent, minimum, fewest, basic, floor, expected, start_set, late_pod_class, ended, timeout,
               required, preferred, multiples, most_per_domain, paired, topology, topology_group, priority,
               priority_class, preempts, disruption, protected_from, policy, anchor, listed, only_supplements, about,
               described_by, placed, sorts, uid, api_version, api_kind, generation, created, ends, problem, warnings] =
            all;
        auto& [counts_only_waiting, inherits_widest_child_level, oldest_pod_decides, has_placement_score, needs_pods,
               one_priority_per_tree, workload, requires_workload_ref, max_depth, counted_children, slice_size,
               unsized_slices] = policy;
        return std::tie(key, kind, parent, minimum, fewest, basic, floor, expected, start_set, late_pod_class, ended,
                        counts_only_waiting, timeout, required, preferred, multiples, most_per_domain, paired, topology,
                        topology_group, priority, priority_class, preempts, disruption, protected_from,
                        one_priority_per_tree, workload, requires_workload_ref, max_depth, anchor, listed,
                        inherits_widest_child_level, only_supplements, described_by, oldest_pod_decides,
                        has_placement_score, placed, needs_pods, sorts, uid, api_version, api_kind, generation, created,
                        ends, problem, warnings, counted_children, slice_size, unsized_slices, about);
    }
};
template <>
struct Recorded<model::PartNumbers> {
    static constexpr std::array<std::string_view, 2> names = {"first", "end"};
    static auto fields(auto& all) {
        auto& [first, end] = all;
        return std::tie(first, end);
    }
};
template <>
struct Recorded<model::SubGroupSelector> {
    static constexpr std::array<std::string_view, 6> names = {"labels",     "keys",     "leaf",
                                                              "isDeclared", "selector", "parts"};
    static auto fields(auto& all) {
        auto& [labels, selector, keys, leaf, is_declared, parts] = all;
        return std::tie(labels, keys, leaf, is_declared, selector, parts);
    }
};
template <>
struct Recorded<model::GroupSet> {
    static constexpr std::array<std::string_view, 5> names = {"owner", "uid", "created", "groups", "shared"};
    static auto fields(auto& all) {
        auto& [owner, uid, created, groups, shared] = all;
        return std::tie(owner, uid, created, groups, shared);
    }
};
template <>
struct Recorded<model::Membership> {
    static constexpr std::array<std::string_view, 4> names = {"leaf", "declared", "rank", "attempt"};
    static auto fields(auto& all) {
        auto& [leaf, declared, rank, attempt] = all;
        return std::tie(leaf, declared, rank, attempt);
    }
};
template <>
struct Recorded<model::Pod> {
    static constexpr std::array<std::string_view, 24> names = {"uid",
                                                               "ns",
                                                               "name",
                                                               "schedulerName",
                                                               "node",
                                                               "nominatedNode",
                                                               "phase",
                                                               "deleting",
                                                               "hasUnreadTerms",
                                                               "hasUnreadSpread",
                                                               "preempts",
                                                               "isProtected",
                                                               "isOfNode",
                                                               "shape",
                                                               "terms",
                                                               "gates",
                                                               "priority",
                                                               "created",
                                                               "started",
                                                               "ended",
                                                               "activeDeadline",
                                                               "job",
                                                               "membership",
                                                               "plan"};
    static auto fields(auto& all) {
        auto& [uid, ns, name, scheduler_name, node, nominated_node, phase, deleting, has_unread_terms,
               has_unread_spread, preempts, is_protected, is_of_node, shape, terms, gates, priority, created, started,
               ended, active_deadline, job, membership, plan] = all;
        return std::tie(uid, ns, name, scheduler_name, node, nominated_node, phase, deleting, has_unread_terms,
                        has_unread_spread, preempts, is_protected, is_of_node, shape, terms, gates, priority, created,
                        started, ended, active_deadline, job, membership, plan);
    }
};
template <>
struct Recorded<model::DisruptionBudget> {
    static constexpr std::array<std::string_view, 4> names = {"ns", "name", "selector", "allowed"};
    static auto fields(auto& all) {
        auto& [ns, name, selector, allowed] = all;
        return std::tie(ns, name, selector, allowed);
    }
};
template <>
struct Recorded<model::TopologyFault> {
    static constexpr std::array<std::string_view, 3> names = {"sentence", "levels", "nodes"};
    static auto fields(auto& all) {
        auto& [sentence, levels, nodes] = all;
        return std::tie(sentence, levels, nodes);
    }
};
template <>
struct Recorded<model::Topology> {
    static constexpr std::array<std::string_view, 10> names = {"name",   "source",  "apiKind",    "levels", "problem",
                                                               "labels", "aliases", "precedence", "places", "flaws"};
    static auto fields(auto& all) {
        auto& [name, source, api_kind, levels, problem, labels, aliases, precedence, places, flaws] = all;
        return std::tie(name, source, api_kind, levels, problem, labels, aliases, precedence, places, flaws);
    }
};
template <>
struct Recorded<model::DomainMember> {
    static constexpr std::array<std::string_view, 5> names = {"kind", "name", "pattern", "labels", "problem"};
    static auto fields(auto& all) {
        auto& [kind, name, pattern, labels, problem] = all;
        return std::tie(kind, name, pattern, labels, problem);
    }
};
template <>
struct Recorded<model::DeclaredDomain> {
    static constexpr std::array<std::string_view, 6> names = {"name",     "apiKind", "tier",
                                                              "tierName", "members", "problem"};
    static auto fields(auto& all) {
        auto& [name, api_kind, tier, tier_name, members, problem] = all;
        return std::tie(name, api_kind, tier, tier_name, members, problem);
    }
};
template <>
struct Recorded<model::RecordedSeat> {
    static constexpr std::array<std::string_view, 5> names = {"pod", "uid", "node", "bound", "ranBefore"};
    static auto fields(auto& all) {
        auto& [pod, uid, node, bound, ran_before] = all;
        return std::tie(pod, uid, node, bound, ran_before);
    }
};
template <>
struct Recorded<model::RecordedGroup> {
    static constexpr std::array<std::string_view, 4> names = {"group", "placed", "minimum", "domain"};
    static auto fields(auto& all) {
        auto& [group, placed, minimum, domain] = all;
        return std::tie(group, placed, minimum, domain);
    }
};
template <>
struct Recorded<model::RecordedVictim> {
    static constexpr std::array<std::string_view, 5> names = {"pod", "uid", "node", "gang", "priority"};
    static auto fields(auto& all) {
        auto& [pod, uid, node, gang, priority] = all;
        return std::tie(pod, uid, node, gang, priority);
    }
};
template <>
struct Recorded<model::PlanRecord> {
    static constexpr std::array<std::string_view, 15> names = {
        "ns",     "name",    "root",  "ownerApiVersion", "ownerKind", "ownerUid",          "epoch", "phase", "holder",
        "reason", "message", "seats", "groups",          "victims",   "observedGeneration"};
    static auto fields(auto& all) {
        auto& [ns, name, root, owner_api_version, owner_kind, owner_uid, epoch, phase, holder, reason, message, seats,
               groups, victims, observed_generation] = all;
        return std::tie(ns, name, root, owner_api_version, owner_kind, owner_uid, epoch, phase, holder, reason, message,
                        seats, groups, victims, observed_generation);
    }
};

}  // namespace echelon::replay

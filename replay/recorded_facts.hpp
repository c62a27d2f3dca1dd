#pragma once

// Which fields does a recording keep of facts about the cluster, and under which names?
//
// All of them, since replay would decide differently without a field. The build breaks if a struct gets a field that
// has no name here (recorded_names.hpp). Plain tables.

#include "model/facts/event.hpp"
#include "replay/recorded_names.hpp"

#include <array>
#include <string_view>
#include <tuple>

namespace echelon::replay {

template <>
struct Recorded<model::Taint> : Names<"key", "value", "effect"> {};
template <>
struct Recorded<model::Node> : Names<"name", "uid", "labels", "annotations", "allocatable", "taints", "ready",
                                     "unschedulable", "deleting", "faults"> {};
template <>
struct Recorded<model::Toleration> : Names<"key", "exists", "value", "effect"> {};
template <>
struct Recorded<model::Requirement> : Names<"key", "op", "values"> {};
template <>
struct Recorded<model::NodeTerm> : Names<"labels", "fields"> {};
template <>
struct Recorded<model::ContainerRequest> : Names<"requests", "kind"> {};
template <>
struct Recorded<model::Alignment> : Names<"isGuaranteed", "containers"> {};
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
struct Recorded<model::Zone> : Names<"name", "allocatable", "available"> {};
template <>
struct Recorded<model::NodeZones> : Names<"node", "isSingleNumaNode", "scope", "zones"> {};
template <>
struct Recorded<model::PodTerm> : Names<"kind", "key", "labels", "namespaces", "isEverywhere"> {};
template <>
struct Recorded<model::GroupKey> : Names<"kind", "name"> {};
template <>
struct Recorded<model::LabelledPods> : Names<"label", "value"> {};
template <>
struct Recorded<model::PlacedCondition> : Names<"type", "status", "message", "generation", "version"> {};
template <>
struct Recorded<model::Group> {
    static constexpr std::array<std::string_view, 53> names = {"key",           "kind",
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
                                                               "about",         "takesDefaultPriority",
                                                               "lateClaims"};
    static auto fields(auto& all) {
        auto& [key, kind, parent, minimum, fewest, basic, floor, expected, start_set, late_pod_class, late_claims,
               ended, timeout, required, preferred, multiples, most_per_domain, paired, topology, topology_group,
               priority, priority_class, preempts, disruption, protected_from, policy, anchor, listed, only_supplements,
               about, described_by, placed, sorts, uid, api_version, api_kind, generation, created, ends, problem,
               warnings] = all;
        auto& [counts_only_waiting, inherits_widest_child_level, oldest_pod_decides, has_placement_score, needs_pods,
               one_priority_per_tree, workload, requires_workload_ref, max_depth, counted_children,
               takes_default_priority, slice_size, unsized_slices] = policy;
        return std::tie(key, kind, parent, minimum, fewest, basic, floor, expected, start_set, late_pod_class, ended,
                        counts_only_waiting, timeout, required, preferred, multiples, most_per_domain, paired, topology,
                        topology_group, priority, priority_class, preempts, disruption, protected_from,
                        one_priority_per_tree, workload, requires_workload_ref, max_depth, anchor, listed,
                        inherits_widest_child_level, only_supplements, described_by, oldest_pod_decides,
                        has_placement_score, placed, needs_pods, sorts, uid, api_version, api_kind, generation, created,
                        ends, problem, warnings, counted_children, slice_size, unsized_slices, about,
                        takes_default_priority, late_claims);
    }
};
template <>
struct Recorded<model::PartNumbers> : Names<"first", "end"> {};
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
struct Recorded<model::GroupSet> : Names<"owner", "uid", "created", "groups", "shared"> {};
template <>
struct Recorded<model::Membership> : Names<"leaf", "declared", "rank", "attempt"> {};
template <>
struct Recorded<model::Pod> {
    static constexpr std::array<std::string_view, 25> names = {
        "uid",      "ns",        "name",           "schedulerName",   "node",     "nominatedNode",
        "phase",    "deleting",  "hasUnreadTerms", "hasUnreadSpread", "preempts", "isProtected",
        "isOfNode", "isUnready", "shape",          "terms",           "gates",    "priority",
        "created",  "started",   "ended",          "activeDeadline",  "job",      "membership",
        "plan"};
    static auto fields(auto& all) {
        auto& [uid, ns, name, scheduler_name, node, nominated_node, phase, deleting, has_unread_terms,
               has_unread_spread, preempts, is_protected, is_of_node, is_unready, pod_class, terms, gates, priority,
               created, started, ended, active_deadline, job, membership, plan] = all;
        return std::tie(uid, ns, name, scheduler_name, node, nominated_node, phase, deleting, has_unread_terms,
                        has_unread_spread, preempts, is_protected, is_of_node, is_unready, pod_class, terms, gates,
                        priority, created, started, ended, active_deadline, job, membership, plan);
    }
};
template <>
struct Recorded<model::DisruptionBudget> : Names<"ns", "name", "selector", "allowed", "ignoresUnready"> {};
template <>
struct Recorded<model::TopologyFault> : Names<"sentence", "levels", "nodes"> {};
template <>
struct Recorded<model::Topology>
    : Names<"name", "source", "apiKind", "levels", "problem", "labels", "aliases", "precedence", "places", "flaws"> {};
template <>
struct Recorded<model::DomainMember> : Names<"kind", "name", "pattern", "labels", "problem"> {};
template <>
struct Recorded<model::DeclaredDomain> : Names<"name", "apiKind", "tier", "tierName", "members", "problem"> {};
template <>
struct Recorded<model::RecordedSeat> : Names<"pod", "uid", "node", "bound", "ranBefore"> {};
template <>
struct Recorded<model::RecordedGroup> : Names<"group", "placed", "minimum", "domain"> {};
template <>
struct Recorded<model::RecordedVictim> : Names<"pod", "uid", "node", "gang", "priority"> {};
template <>
struct Recorded<model::PlanRecord> {
    static constexpr std::array<std::string_view, 16> names = {"ns",
                                                               "name",
                                                               "root",
                                                               "ownerApiVersion",
                                                               "ownerKind",
                                                               "ownerUid",
                                                               "epoch",
                                                               "phase",
                                                               "holder",
                                                               "reason",
                                                               "message",
                                                               "seats",
                                                               "groups",
                                                               "victims",
                                                               "observedGeneration",
                                                               "schedulerNames"};
    static auto fields(auto& all) {
        auto& [ns, name, root, owner_api_version, owner_kind, owner_uid, epoch, phase, holder, reason, message, seats,
               groups, victims, observed_generation, scheduler_names] = all;
        return std::tie(ns, name, root, owner_api_version, owner_kind, owner_uid, epoch, phase, holder, reason, message,
                        seats, groups, victims, observed_generation, scheduler_names);
    }
};

}  // namespace echelon::replay

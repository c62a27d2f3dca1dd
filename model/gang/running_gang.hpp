#pragma once

// Which pods run where, gang by gang? Victims of a preemption are chosen from these facts (U1 to U4).
//
// Plain values, made against a snapshot. A pod of no gang is a separate gang without a name.

#include "model/facts/amounts.hpp"
#include "model/topology/snapshot.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace echelon::model {

// Members of an affinity class avoid the nodes with one label value while the pod runs, by anti-affinity of either
// (D14).
struct KeptAway {
    std::uint32_t affinity_class = 0;
    std::uint32_t topology_key = 0;  // Index into AffinityConstraints::topology_keys.
    std::uint32_t value = 0;

    auto operator<=>(const KeptAway&) const = default;
};

struct RunningPod {
    std::string pod;  // "namespace/name".
    std::string uid;
    NodeId node = nowhere;
    Amounts requests;
    std::int64_t started = 0;             // Seconds since 1970.
    bool is_protected = false;            // Never evicted (U3).
    std::vector<std::uint32_t> budgets;   // Indexes into RunningGangs::budgets: those in which its eviction counts.
    std::uint32_t selecting_budgets = 0;  // How many select it, also without counting it.
    std::vector<KeptAway> keeps_away;     // Only after `Cluster::relate`.
};

struct RunningGroup {
    std::uint32_t parent = nowhere;
    bool is_leaf = true;
    bool goes_whole = false;      // Disruption mode `all`: its pods are evicted together (S29).
    std::int64_t minimum = 0;     // Leaf: pods; composite: satisfied children.
    std::int64_t floor = 0;       // Composite: pods of the subtree; 0: none.
    std::int64_t finished = 0;    // Leaf: pods that count toward the minimum and are gone.
    std::uint32_t first_pod = 0;  // Range of RunningGang::pods that holds the subtree.
    std::uint32_t last_pod = 0;
};

struct RunningGang {
    std::string name;  // "namespace/name" of the root; empty: a pod of no gang.
    std::string kind;  // Of the root's key.
    std::int64_t priority = 0;
    std::vector<RunningGroup> groups;  // Pre-order; [0] is the root.
    std::vector<RunningPod> pods;      // By leaf.
};

// A PodDisruptionBudget.
struct DisruptionAllowance {
    std::string name;          // "namespace/name".
    std::int64_t allowed = 0;  // Evictions that it allows now; 0 if its status is older than its spec.
};

struct RunningGangs {
    std::vector<RunningGang> gangs;  // Sorted by name; those without a name by pod.
    std::vector<DisruptionAllowance> budgets;
    // AffinityConstraints::barred as it would be without all these pods. Empty: evictions open no node.
    std::vector<std::vector<std::uint8_t>> barred_anyway;
};

}  // namespace echelon::model

#pragma once

// What is known of one pod, and to which group it says it belongs. Plain values.

#include "model/amounts.hpp"
#include "model/group.hpp"
#include "model/node.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace echelon::model {

// Our own scheduling gate; members behind it wait for a plan (serve-command contract).
inline constexpr const char* gang_gate = "echelon.sh/gang";

struct Toleration {
    std::string key;  // Empty with `exists`: every key.
    bool exists = false;
    std::string value;
    std::optional<TaintEffect> effect;  // Absent: every effect.

    auto operator<=>(const Toleration&) const = default;
};

struct Requirement {
    enum class Operator : std::uint8_t { in, not_in, exists, does_not_exist, greater_than, less_than };
    std::string key;
    Operator op = Operator::in;
    std::vector<std::string> values;  // Sorted, but for greater_than and less_than (one integer).

    auto operator<=>(const Requirement&) const = default;
};

// All requirements of a term must hold; a selector holds when one of its terms does. An empty term matches nothing.
struct NodeTerm {
    std::vector<Requirement> labels;
    std::vector<Requirement> fields;  // Only metadata.name exists.

    auto operator<=>(const NodeTerm&) const = default;
};

// Everything about a pod that decides where it may go. Pods of equal shape are interchangeable for the solver.
struct PodShape {
    Amounts requests;  // Effective request (init containers, sidecars, overhead, pod level), with "pods" = 1.
    Labels node_selector;
    std::optional<std::vector<NodeTerm>> node_affinity;  // requiredDuringScheduling; absent: no constraint.
    std::vector<Toleration> tolerations;                 // Sorted.

    auto operator<=>(const PodShape&) const = default;
};

// The leaf that a pod names, and the groups that exist only through such pods (gangs by labels, LeaderWorkerSet ...).
struct Membership {
    GroupKey leaf;
    std::vector<Group> declared;  // Leaf first, root last; empty when the leaf is an object of its own.
    std::int64_t rank = -1;       // Order inside the leaf; -1: by natural name order.
    std::string attempt;          // Restart or revision; members of an older one don't count (rule M1).

    bool operator==(const Membership&) const = default;
};

enum class PodPhase : std::uint8_t { pending, running, succeeded, failed, unknown };

struct Pod {
    std::string uid;
    std::string ns;
    std::string name;
    std::string scheduler_name;
    std::string node;            // Bound to; empty: not yet.
    std::string nominated_node;  // status.nominatedNodeName.
    PodPhase phase = PodPhase::pending;
    bool deleting = false;  // Has a deletion timestamp.
    PodShape shape;
    std::vector<std::string> gates;  // All scheduling gates, ours included, in their order.
    std::int64_t priority = 0;
    bool preempts = true;      // preemptionPolicy is not Never.
    std::int64_t created = 0;  // Seconds since 1970.
    std::optional<Membership> membership;
    std::string plan;  // Annotation echelon.sh/plan, put there by our Binding.

    [[nodiscard]] std::string full_name() const { return ns + "/" + name; }
    [[nodiscard]] bool is_finished() const { return phase == PodPhase::succeeded || phase == PodPhase::failed; }
    [[nodiscard]] bool occupies() const { return !node.empty() && !is_finished(); }
    [[nodiscard]] bool has_our_gate() const;
    [[nodiscard]] bool has_foreign_gate() const;

    bool operator==(const Pod&) const = default;
};

}  // namespace echelon::model

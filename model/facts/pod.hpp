#pragma once

// What is known about one pod, and which group does it name? Plain values.

#include "base/rare.hpp"
#include "base/shared_list.hpp"
#include "base/text.hpp"
#include "model/facts/group.hpp"
#include "model/facts/node.hpp"
#include "model/facts/pod_class.hpp"
#include "model/facts/pod_term.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace echelon::model {

// echelon's own scheduling gate; members behind it wait for a plan.
inline constexpr const char* gang_gate = "echelon.sh/gang";

// The leaf that a pod names, and the groups that exist only through such pods (gangs by labels, LeaderWorkerSet ...).
struct Membership {
    GroupKey leaf;
    // Leaf first, root last; empty if the leaf is an object. Also holds what the pod adds to groups that are objects.
    base::SharedList<Group> declared;
    std::int64_t rank = -1;  // Order within the leaf; -1: natural order of names.
    // "WHOSE=ATTEMPT", or "ATTEMPT" of the whole leaf: the restart or revision. Members of an older attempt of the same
    // part don't count (M1). Empty: the member belongs to every attempt.
    std::string attempt;

    void replace_content(const GroupKey& other);  // Moves what is declared about the leaf to `other`.

    bool operator==(const Membership&) const = default;
};

enum class PodPhase : std::uint8_t { pending, running, succeeded, failed, unknown };

struct Pod {
    base::Text uid;
    base::Text ns;
    base::Text name;
    base::Text scheduler_name;
    base::Text node;            // Bound to; empty: not yet.
    base::Text nominated_node;  // status.nominatedNodeName.
    PodPhase phase = PodPhase::pending;
    bool deleting = false;           // Has a deletion timestamp.
    bool has_unread_terms = false;   // Some terms depend on labels of namespaces, which echelon doesn't read (D14).
    bool has_unread_spread = false;  // A topologySpreadConstraint has DoNotSchedule; echelon doesn't plan these.
    bool preempts = true;            // preemptionPolicy is not Never.
    bool is_protected = false;       // Never evicted: `is_of_node`, or marked so (U3).
    bool is_of_node = false;         // Of a DaemonSet, or static: the node has such a pod for as long as it is there.
    bool is_unready = false;         // On a node, and its status says that it is not ready.
    PodClass pod_class;
    std::vector<PodTerm> terms;      // Required pod affinity and anti-affinity, sorted.
    std::vector<std::string> gates;  // All scheduling gates, ours included, in their order.
    std::int64_t priority = 0;
    std::int64_t created = 0;          // Seconds since 1970.
    std::int64_t started = 0;          // status.startTime, or before that the time of the binding; 0: not yet.
    std::int64_t ended = 0;            // Succeeded: when its last container ended; 0: not yet, or unknown.
    std::int64_t active_deadline = 0;  // spec.activeDeadlineSeconds, seconds after its start; 0: no deadline.
    base::Rare<std::string> job;       // UID of the Job that controls it; empty: none.
    std::optional<Membership> membership;
    base::Rare<std::string> plan;  // Annotation echelon.sh/plan, which echelon's Binding sets.

    [[nodiscard]] std::string full_name() const;  // "namespace/name".
    [[nodiscard]] bool is_finished() const { return phase == PodPhase::succeeded || phase == PodPhase::failed; }
    // A dead pod's declarations count only if no living member declares the group.
    [[nodiscard]] bool is_alive() const { return !deleting && phase != PodPhase::failed; }
    [[nodiscard]] bool occupies() const { return !node.empty() && !is_finished(); }
    [[nodiscard]] bool has_our_gate() const;
    [[nodiscard]] bool has_foreign_gate() const;

    bool operator==(const Pod&) const = default;
};

}  // namespace echelon::model

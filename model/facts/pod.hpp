#pragma once

// What is known of one pod, and to which group it says it belongs. Plain values.

#include "base/shared_list.hpp"
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

// Our own scheduling gate; members behind it wait for a plan (serve-command contract).
inline constexpr const char* gang_gate = "echelon.sh/gang";

// The leaf that a pod names, and the groups that exist only through such pods (gangs by labels, LeaderWorkerSet ...).
struct Membership {
    GroupKey leaf;
    // Leaf first, root last; empty when the leaf is an object of its own. Supplements of objects stand here too.
    base::SharedList<Group> declared;
    std::int64_t rank = -1;  // Order inside the leaf; -1: by natural name order.
    std::string attempt;     // Restart or revision; members of an older one don't count (rule M1).

    void replace_content(const GroupKey& other);  // What is declared of the leaf is of the other one then.

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
    bool deleting = false;          // Has a deletion timestamp.
    bool has_unread_terms = false;  // Some depend on labels of namespaces, which nobody reads (D14).
    bool preempts = true;           // preemptionPolicy is not Never.
    bool is_protected = false;      // Is never evicted: of a DaemonSet, static, or marked so (U3).
    PodClass shape;
    std::vector<PodTerm> terms;      // Required pod affinity and anti-affinity, sorted.
    std::vector<std::string> gates;  // All scheduling gates, ours included, in their order.
    std::int64_t priority = 0;
    std::int64_t created = 0;  // Seconds since 1970.
    std::int64_t started = 0;  // status.startTime, likewise; 0: not yet.
    std::int64_t active_deadline =
        0;  // spec.activeDeadlineSeconds: it ends so long after its start; 0: it needn't end.
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

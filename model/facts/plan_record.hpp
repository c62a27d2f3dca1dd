#pragma once

// What does the `GangPlan` object (echelon.sh/v1alpha1) of a gang say? A plain value.
//
// One per root gang, in its namespace. It answers "why is it pending". Once its phase is `committed`, a restart rolls
// forward from it (rules R17, B6).

#include "base/enum_count.hpp"
#include "base/text.hpp"
#include "model/facts/group.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

enum class Phase : std::uint8_t {
    pending,    // No plan.
    clearing,   // Planned; pods of lower priority are evicted from its seats first.
    held,       // Planned, nothing committed.
    committed,  // Record written, bindings under way.
    bound,      // Every minimum is bound; extras may still wait.
    degraded,   // Was bound, is now below a minimum.
};
inline constexpr std::size_t phase_count = base::count_up_to(Phase::degraded);

[[nodiscard]] std::string_view to_string(Phase phase);  // "Pending", "Held" ...

struct RecordedSeat {
    base::Text pod;  // "namespace/name".
    base::Text uid;
    base::Text node;
    bool bound = false;
    // Committed: the pod was bound before the members of this commit were planned, and doesn't count with them (KP4).
    bool ran_before = false;

    bool operator==(const RecordedSeat&) const = default;
};

struct RecordedGroup {
    std::string group;  // "namespace/name".
    std::int64_t placed = 0;
    std::int64_t minimum = 0;
    std::string domain;  // Path; "" is the whole cluster.

    bool operator==(const RecordedGroup&) const = default;
};

// A pod that is evicted for the gang.
struct RecordedVictim {
    std::string pod;  // "namespace/name".
    std::string uid;
    std::string node;
    std::string gang;  // "namespace/name" of the gang's root; empty: a pod of no gang.
    std::int64_t priority = 0;

    bool operator==(const RecordedVictim&) const = default;
};

struct PlanRecord {
    std::string ns;
    std::string name;  // Object name: the root's, or with a hashed suffix.
    GroupKey root;
    std::string owner_api_version;  // Of the root object; empty: the gang exists only by labels and has no owner.
    std::string owner_kind;
    std::string owner_uid;

    std::int64_t epoch = 0;  // Grows with every plan of the gang.
    Phase phase = Phase::pending;
    std::string holder;  // Committed: identity of the echelon that committed it; empty: it has no identity.
    std::string reason;  // "" when placed; else "Incomplete", "NoRoom" ...
    std::string message;
    std::vector<RecordedSeat> seats;
    std::vector<RecordedGroup> groups;
    // Clearing: all victims (P2). Later: victims that were evicted and still exist (P5).
    std::vector<RecordedVictim> victims;
    std::int64_t observed_generation = 0;  // Of the root object.
    // Of the gang's pods, sorted: echelons with other profiles leave the record alone. Empty: no pod was there yet.
    std::vector<base::Text> scheduler_names;

    bool operator==(const PlanRecord&) const = default;
};

}  // namespace echelon::model

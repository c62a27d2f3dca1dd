#pragma once

// What is written to or read from the API server, and what was the outcome? The engine decides, `kube/` carries it out.
//
// Every write names the pod by UID: a write for an earlier pod must fail, and not reach a new pod of the same name.

#include "base/text.hpp"
#include "model/facts/plan_record.hpp"
#include "model/facts/pod.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace echelon::model {

struct PodRef {
    base::Text ns;
    base::Text name;
    base::Text uid;

    bool operator==(const PodRef&) const = default;
};

// POST pods/NAME/binding with a UID precondition. `plan` (may be empty) becomes the annotation echelon.sh/plan.
struct BindPod {
    PodRef pod;
    base::Text node;
    std::string plan;
};
// Strategic merge patch of pods/NAME status.nominatedNodeName.
struct NominatePod {
    PodRef pod;
    base::Text node;
};
// Strategic merge patch of spec.schedulingGates that deletes our gate. Gates of others stay, whichever the pod has by
// then.
struct UngatePod {
    PodRef pod;
};
// Strategic merge patch of the annotation echelon.sh/kick: wakes a member that kube-scheduler has parked (rule R16).
struct KickPod {
    PodRef pod;
    std::string value;
    bool by_label = false;  // Of the label instead: kube-scheduler looks at pod affinity again for no other update.
};
// Server-side apply of the GangPlan and its status, both.
struct ApplyPlan {
    PlanRecord record;
};
// DELETE of the GangPlan with a UID precondition.
struct DeletePlan {
    std::string ns;
    std::string name;
    std::string uid = {};  // Empty: the UID of the last record written; if there is none, nothing is deleted.
};
// POST pods/NAME/eviction with a UID precondition (P1).
struct EvictPod {
    PodRef pod;
};
// GET of the pod, to find out an unknown outcome.
struct ReadPod {
    PodRef pod;
};

// GET of a group's object, to learn its generation before a commit (rule X2).
struct ReadGroup {
    std::string api_version;
    std::string api_kind;
    std::string ns;
    std::string name;
};

// POST of an event (events.k8s.io/v1): a step in the life of a gang.
struct EmitGangEvent {
    std::string ns;
    std::string plan;               // Name of the GangPlan; the event's name begins with it.
    std::string about_api_version;  // The object that the event regards; empty: the GangPlan.
    std::string about_kind;
    std::string about_name;
    std::string about_uid;
    std::string reason;  // "NoRoom", "Held" ...
    std::string sentence;
    bool is_warning = false;
};

// Merge patch of status.placementScore of a gang's object, for dialects that have one.
struct WritePlacementScore {
    std::string api_version;
    std::string api_kind;
    std::string ns;
    std::string name;
    std::string uid;
    std::int64_t per_mille = 0;  // 1000: every preferred level is met.
};

// Strategic merge patch of one condition in the status of a group's object: conditions of other writers stay (Z32).
struct WriteGroupCondition {
    std::string api_version;
    std::string api_kind;
    std::string ns;
    std::string name;
    std::string uid;
    std::string version;  // resourceVersion of the object: another one is a conflict; empty: any.
    std::string type;
    bool is_met = false;
    std::string reason;
    std::string message;
    std::int64_t generation = 0;
    bool is_transition = false;  // The status changes, or is new: lastTransitionTime is written too.
};

using Write = std::variant<BindPod, NominatePod, UngatePod, KickPod, ApplyPlan, DeletePlan, ReadPod, ReadGroup,
                           EmitGangEvent, WritePlacementScore, EvictPod, WriteGroupCondition>;

struct Outcome {
    enum class Kind : std::uint8_t {
        done,      // 2xx.
        conflict,  // 409: already assigned, other UID, version conflict.
        gone,      // 404: the pod doesn't exist; for ApplyPlan: the kind isn't served.
        rejected,  // Any other 4xx: final, `sentence` says why.
        unknown,   // 429, 5xx, time-out, connection lost: may or may not have happened.
    };
    Kind kind = Kind::done;
    std::string sentence;         // For logs and answers; empty when done.
    std::string node;             // ReadPod, done: where the pod is bound; empty: nowhere.
    std::string uid;              // ReadPod, ReadGroup and ApplyPlan, done: of the object that has the name now.
    std::int64_t generation = 0;  // ReadGroup, done.
    std::string budget = {};      // EvictPod, rejected: the disruption budget that doesn't allow it; empty: none.
    bool is_too_large = false;    // ApplyPlan, rejected: the API server stores no object of that size.
};

}  // namespace echelon::model

#pragma once

// What is known of one tree and its pods, before any judgement: the common ground of faults, readiness and the gang.
//
// Pointers into the model; good until its next change.

#include "model/facts/limits.hpp"
#include "model/facts/pod.hpp"
#include "model/gang/forest.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace echelon::model {

// What a pod is to its group (docs/rules.md, members: M1 to M4).
enum class Standing : std::uint8_t {
    waiting,   // No node and no gate but ours: may get a seat.
    bound,     // On a node that exists: counts and pins.
    finished,  // Succeeded: counts, pins nothing.
    gated,     // Behind somebody else's gate: doesn't exist for the minimum yet.
    lost,      // Failed, being deleted, on a node that is gone, or of an earlier attempt: doesn't count.
};

// The attempt of a pod that tells none, and that a group names (Z36): it is of every one. No label has this value.
inline constexpr const char* any_attempt = "*";

struct PodFacts {
    const Pod* pod = nullptr;
    Standing standing = Standing::lost;
    NodeId node = nowhere;    // Where it is bound.
    PodClassId shape = 0;     // Of waiting, bound and gated pods.
    bool ran_before = false;  // Of a group where only those count that wait: it runs, or has ended, and isn't new.

    [[nodiscard]] bool exists() const {
        return standing == Standing::waiting || standing == Standing::bound || standing == Standing::finished;
    }
};

struct GroupFacts {
    Branch branch;
    std::vector<std::uint32_t> children;
    std::vector<PodFacts> pods;       // Ours, in rank order: numbered ones first, then by natural name order.
    std::vector<const Pod*> foreign;  // Of other schedulers, by name.
    bool is_disputed = false;         // Its members declare it in different ways.
    std::vector<std::pair<const Pod*, const Group*>>
        declarers;  // Of a disputed one: who lives and what it says, by name.
    bool is_beyond_parent_minimum =
        false;                         // Nobody is of it yet, and its parent needs no more than those of whom some are.
    bool is_loose = false;             // All pods of its tree are of profiles without gangs: it needs none (Z34).
    std::string unlike;                // A group that lists it, or that it lists, and that says otherwise itself.
    std::string missing_listed_group;  // A group that it lists and that doesn't exist yet.
    std::string missing_claim;         // For which a pod of it waits as if behind a gate (DR4).

    [[nodiscard]] const Group* group() const { return branch.group; }
    [[nodiscard]] bool is_leaf() const { return group() == nullptr || group()->kind == GroupKind::leaf; }
    [[nodiscard]] std::int64_t existing() const;
    // Pods that have ended well, as their owner counts them, and aren't there any more (H7): beside those that are.
    [[nodiscard]] std::int64_t gone() const;
    // Who must be there before the others come: late members wait for these, so these can't be placeholders.
    [[nodiscard]] std::int64_t at_start() const;
    // Declared members that don't exist as pods, of a group whose members come late, as far as the minimum needs them
    // (H1): nobody who is there waits for a seat behind an extra that isn't. 0 when all come at once.
    [[nodiscard]] std::int64_t placeholders() const;
    // Pods that it says it has or needs, whether they are created or not; of a leaf that somebody waits for.
    [[nodiscard]] std::int64_t announced() const;
    // As declared, without those that have ended and are gone; of `basic` 1, of a composite that states none all its
    // children (N5, N7). 0 when nothing is known, and of a loose one.
    [[nodiscard]] std::int64_t minimum() const;
    // Pods in the whole subtree that must be there beside it; 0: none.
    [[nodiscard]] std::int64_t floor() const;
    // Pods that are announced and not created yet, of a loose one: room for them is a wish (Z34).
    [[nodiscard]] std::int64_t still_to_come() const;
    // Members that ran before, where only those count that wait (KP4). They count where nobody else is there: a group
    // whose members are all bound stands.
    [[nodiscard]] std::int64_t standing() const;
    // Members that must exist: those that ran before come on top of the minimum.
    [[nodiscard]] std::int64_t needed() const { return minimum() + standing(); }

private:
    // `minimum`, but for what a loose one doesn't need.
    [[nodiscard]] std::int64_t stated_minimum() const;
};

struct PriorityClass {
    std::int64_t value = 0;
    bool preempts = true;

    bool operator==(const PriorityClass&) const = default;
};
using PriorityClasses = std::map<std::string, PriorityClass, std::less<>>;

struct GangFacts {
    std::vector<GroupFacts> groups;  // Pre-order; [0] is the root.
    bool is_cycle = false;
    const PriorityClasses* classes = nullptr;
    std::vector<std::shared_ptr<const Group>> made = {};  // Groups that no object and no pod declares: slices.

    [[nodiscard]] const GroupFacts& root() const { return groups.front(); }
    // Pods that are there, those behind a gate and those that aren't created yet included.
    [[nodiscard]] std::int64_t size() const;
};

// How a pod by itself stands; `node_exists`: the node that it names is known. Attempts are judged per leaf.
[[nodiscard]] Standing pod_standing_of(const Pod& pod, bool node_exists);
// Puts the pods of a leaf in rank order, and sets those of an earlier attempt than the youngest pod's to `lost` (M1).
void sort_by_rank_and_drop_old_attempts(std::vector<PodFacts>& pods);
// The number that a group states, itself or through its class; nullopt: none that is known.
[[nodiscard]] std::optional<std::int64_t> stated_priority(const Group& group, const PriorityClasses& classes);
// Seconds that held seats wait for their pods: the longest that a group states; nullopt: none does.
[[nodiscard]] std::optional<std::int64_t> timeout_of(const GangFacts& facts);
// The root's number, else the highest among the pods that exist.
[[nodiscard]] std::int64_t priority_of(const GangFacts& facts);
// False if pods of lower priority are not evicted for it: its preemption policy is Never. What a group states counts
// first, then the class of the root, then what the pods say.
[[nodiscard]] bool preempts(const GangFacts& facts);

}  // namespace echelon::model

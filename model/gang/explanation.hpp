#pragma once

// Why is a gang refused, group by group? The tree of a refusal as a plain value, bounded in size.
//
// Made by `solver::explain_tree`, only when somebody asks; a refusal itself is one sentence. Pure.

#include "model/facts/amounts.hpp"
#include "model/gang/gang.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

// What keeps members out of a domain.
struct Blocker {
    enum class Kind : std::uint8_t {
        held,  // Room promised to another gang; `who` is the gang, empty: plain pods whose binding is under way.
        running_gang,  // Running pods of another gang.
        running_pods,  // Running pods of no gang, all together.
        sibling,       // Groups of the same gang, in the best plan for as many of them as fit at once.
        claimed,       // Free room that is kept for a gang which has waited too long.
        cordoned,      // Nodes that take nothing, by cause.
        not_ready,
        leaving,           // Being deleted.
        tainted,           // Beyond the tolerations of the pods.
        outside_selector,  // Node selector or required affinity leaves the node out.
        barred,            // Pod (anti-)affinity of pods outside the gang keeps them away.
        rejected,          // kube-scheduler's own filters said no a while ago.
    };
    struct Named {
        std::string name;         // Pod "namespace/name", group, or node.
        std::int64_t amount = 0;  // Of the missing resource; 0 for nodes.
    };
    Kind kind = Kind::held;
    std::string who;            // held, running_gang, claimed: the gang.
    std::int64_t count = 0;     // Seats, pods or nodes.
    std::int64_t amount = 0;    // Of the missing resource, in its unit; 0 for nodes.
    std::int64_t room = 0;      // Members that would fit besides if it alone went away.
    std::int64_t priority = 0;  // The highest among its pods.
    std::vector<Named> names;   // A few of them, those with most first.

    [[nodiscard]] bool is_about_nodes() const { return kind >= Kind::cordoned; }
};

[[nodiscard]] std::string_view to_string(Blocker::Kind kind);  // "held", "runningGang" ...

// One domain that a group could use, and how far it gets there.
struct ExplainedDomain {
    std::string path;                   // "" is the whole cluster.
    std::int64_t room = 0;              // Members that fit now, by count, of those that are needed.
    std::int64_t slots_when_empty = 0;  // The same without anybody else's pods.
    std::string missing;                // The scarce resource; empty: no node there takes these members.
    std::vector<Blocker> blockers;      // Those that free most room first.
    std::size_t blockers_left_out = 0;
};

// Members of one size among those that are needed.
struct ExplainedClass {
    Amounts requests;
    std::int64_t needed = 0;
    std::int64_t room = 0;  // In the best domain, for this size alone.
};

struct ExplainedGroup {
    enum class Status : std::uint8_t {
        culprit,                       // Has nowhere to go, and nothing below it is to blame.
        misses_slots_beside_siblings,  // Would fit alone, not beside its siblings.
        waits,                         // Can't be satisfied because of `blamed_group`, below it.
        fits,                          // Would fit, were it alone.
        satisfied,                     // Stands already: nothing is needed.
        incomplete,                    // Too few members exist.
        unproved,                      // The search gave up: nothing is known.
        not_tried,                     // Not looked at: the work of one explanation is bounded.
    };
    std::string group;        // "namespace/name".
    std::uint32_t depth = 0;  // Below the root.
    bool is_leaf = true;
    Status status = Status::not_tried;
    std::string blamed_group;   // waits: the group to look at.
    std::size_t alike = 0;      // Further siblings of which the very same is true; they have no row.
    std::int64_t minimum = 0;   // Leaf: members; composite: groups.
    std::int64_t existing = 0;  // Members that exist, or children with members enough.
    std::int64_t counting = 0;  // Of a leaf: members that are bound or finished.
    std::int64_t needed = 0;    // Seats that the minimum asks for besides.
    std::int64_t at_once = 0;   // culprit: the largest minimum that would fit.
    bool is_at_least = false;   // A search for more of them ended at its budget: more may fit at once.
    std::string level;          // Key of the level it must stay in one domain of, its own or inherited; empty: none.
    std::string domain;         // fits: where.
    std::string split;          // Its bound members sit in two places of `level` (D8): both, in words; empty: no.
    std::vector<ExplainedClass> sizes;     // culprit, crowded_out: the hardest first.
    std::vector<ExplainedDomain> domains;  // culprit, crowded_out: the best first.
    std::size_t domains_left_out = 0;
    std::size_t nodes_without_level = 0;   // Usable, but they lack the label (D6).
    std::vector<std::string> nodes_named;  // A few of those.
};

[[nodiscard]] std::string_view to_string(ExplainedGroup::Status status);  // "culprit", "crowdedOut" ...

struct Explanation {
    Reason reason = Reason::no_room;
    std::vector<ExplainedGroup> groups;  // Pre-order, the root first.
    std::size_t groups_left_out = 0;
    // It would fit without these gangs, parts of gangs, or pods: "default/low", "2 pods of default/web". Empty: not
    // known.
    std::vector<std::string> without = {};
};

}  // namespace echelon::model

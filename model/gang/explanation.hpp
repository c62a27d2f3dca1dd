#pragma once

// Why is a gang refused, group by group? A plain value of bounded size.
//
// `solver::explain_tree` makes it on demand; a refusal itself is one sentence. Pure.

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
        held,          // Room promised to another gang; without a name: plain pods whose binding is under way.
        running_gang,  // Running pods of another gang.
        running_pods,  // Running pods of no gang, summed up.
        sibling,       // Groups of the same gang, in the plan that places most of them.
        claimed,       // Free room of a domain that is reserved for a starving gang.
        cordoned,      // From here on: nodes that accept no member, by cause.
        not_ready,
        leaving,           // Nodes being deleted.
        tainted,           // Taints that the pods don't tolerate.
        outside_selector,  // Node selector or required node affinity excludes the node.
        barred,            // Required pod (anti-)affinity with pods outside the gang keeps the members away.
        rejected,          // kube-scheduler's own filters refused the node recently.
    };
    struct Named {
        std::string name;         // Pod "namespace/name", group, or node.
        std::int64_t amount = 0;  // Of the missing resource; 0 for nodes.
    };
    Kind kind = Kind::held;
    std::string owner;          // held, running_gang, claimed: the gang; sibling: the group.
    std::int64_t count = 0;     // Seats, pods or nodes.
    std::int64_t amount = 0;    // Of the missing resource, in its unit; 0 for nodes.
    std::int64_t room = 0;      // How many more members would fit if only this blocker went away.
    std::int64_t priority = 0;  // The highest among its pods.
    std::vector<Named> names;   // A few of them; largest amount first.

    [[nodiscard]] bool is_about_nodes() const { return kind >= Kind::cordoned; }
};

[[nodiscard]] std::string_view to_string(Blocker::Kind kind);  // "held", "runningGang" ...

// One domain that a group could use, and how far it gets there.
struct ExplainedDomain {
    std::string path;                   // "" is the whole cluster.
    std::int64_t room = 0;              // How many of the needed members fit now, by counting.
    std::int64_t slots_when_empty = 0;  // The same if the domain had no other pods.
    std::string missing;                // The scarce resource, or "kept ..." by affinity; empty: no node takes them.
    std::vector<Blocker> blockers;      // The one that would free most room first.
    std::size_t blockers_left_out = 0;
};

// The needed members of one pod class.
struct ExplainedClass {
    Amounts requests;
    std::int64_t needed = 0;
    std::int64_t room = 0;  // How many fit in the best domain, for this class alone.
};

struct ExplainedGroup {
    enum class Status : std::uint8_t {
        culprit,         // Has nowhere to go, and nothing below it is to blame.
        is_crowded_out,  // Would fit alone, not beside its siblings.
        waits,           // Can't be satisfied because of `blamed_group`, below it.
        fits,            // Would fit if it were alone.
        satisfied,       // Its minimum is met; it needs nothing.
        incomplete,      // Too few members exist.
        unproved,        // The search budget ran out: nothing is known.
        not_tried,       // Not examined, since the work of one explanation is bounded.
    };
    std::string group;        // "namespace/name".
    std::uint32_t depth = 0;  // Below the root.
    bool is_leaf = true;
    Status status = Status::not_tried;
    std::string blamed_group;   // waits: the group that is to blame.
    std::size_t alike = 0;      // How many siblings have the same result and no row.
    std::int64_t minimum = 0;   // Leaf: members; composite: groups.
    std::int64_t existing = 0;  // Members that exist, or children with enough members.
    std::int64_t counting = 0;  // Leaf: members that are bound or finished.
    std::int64_t needed = 0;    // Seats that the minimum still needs.
    std::int64_t at_once = 0;   // culprit: the largest minimum that would fit.
    bool is_at_least = false;   // The search for a larger `at_once` ran out of budget: more may fit.
    std::string level;          // Key of the required level, its own or inherited; empty: none.
    std::string domain;         // fits: path of the domain.
    std::string split;          // If bound members are in two domains of `level` (D8): both, in words; else empty.
    std::vector<ExplainedClass> sizes;     // culprit, is_crowded_out: the hardest to place first.
    std::vector<ExplainedDomain> domains;  // culprit, is_crowded_out: the best first.
    std::size_t domains_left_out = 0;
    std::size_t nodes_without_level = 0;   // Usable nodes that lack the label (D6).
    std::vector<std::string> nodes_named;  // A few of them.
};

[[nodiscard]] std::string_view to_string(ExplainedGroup::Status status);  // "culprit", "crowdedOut" ...

struct Explanation {
    Reason reason = Reason::no_room;
    std::vector<ExplainedGroup> groups;  // Pre-order, the root first.
    std::size_t groups_left_out = 0;
    // The gang would fit without these gangs, parts of gangs, or pods: "default/low", "2 pods of default/web". Empty:
    // unknown.
    std::vector<std::string> without = {};
};

}  // namespace echelon::model

#pragma once

// What do the domains that objects declare (HyperNodes) mean together? Trees by tier, where each node stands in them,
// and what has to be left out.
//
// Nobody validates such objects, so each fault is contained: it takes away only what stands on it, and is told with the
// object's name (docs/topologies.md). In this order:
//   1. the domains of a cycle are none; what hangs below keeps its own tiers;
//   2. an edge to a child whose tier isn't below its parent's is ignored;
//   3. a child with two parents stands under neither;
//   4. a node in two domains of one tier is in neither, and still in wider ones that agree;
//   5. a member that doesn't exist or can't be read is empty;
//   6. a name that stands at two tiers of one tree is no level there.
// Membership follows from the nodes' present names and labels. Pure, single-threaded; the answer depends on the sets of
// nodes and domains alone. What patterns match is remembered: a pattern judges each name once.

#include "model/facts/declared_domain.hpp"
#include "model/facts/node_view.hpp"
#include "model/facts/topology.hpp"
#include "model/topology/snapshot.hpp"
#include "model/topology/trees.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

// Name of the topology that all HyperNodes form.
inline constexpr std::string_view domain_forest_name = "hypernodes";

// The trees of declared domains over the nodes of one moment.
struct DeclaredTrees {
    // One level for each tier, widest first; its places are by depth. No levels: there is no domain.
    Topology topology;
    std::vector<std::int64_t> tiers;
    Places places;
    // Tier names that are no whole level of `topology`: of several tiers, or of some of a tier's domains.
    struct Named {
        std::string name;
        Places places;  // Of that one level.
    };
    std::vector<Named> named;
    std::vector<UnusablePart> left_out;  // Nodes by their places in the list of nodes.
};

class DomainForest {
public:
    // True: something changed.
    bool see(const DeclaredDomain& domain);
    bool forget(std::string_view name);
    [[nodiscard]] bool empty() const { return domains_.empty(); }
    // Some member chooses nodes by this label.
    [[nodiscard]] bool reads(std::string_view label) const;

    // Requires: `nodes` stand by name. Parts of `places` point into this forest: valid until the next `see` or
    // `forget`.
    [[nodiscard]] DeclaredTrees resolve(std::span<const NodeView> nodes);

private:
    struct Resolution {
        std::set<std::string, std::less<>> judged;                              // Names that all patterns have judged.
        std::map<std::string, std::vector<std::string>, std::less<>> names_of;  // Pattern -> names that match, sorted.
    };

    void cached_resolution(std::span<const NodeView> nodes);

    std::map<std::string, DeclaredDomain, std::less<>> domains_;
    std::map<std::string, std::size_t, std::less<>> labels_read_;  // Label -> members that choose by it.
    Resolution memory_;
};

}  // namespace echelon::model

#pragma once

// Which trees do declared domains (HyperNodes) form, in which domains is each node, and what has to be left out?
//
// The API server doesn't validate such objects together, so each fault is contained. Only what depends on it is left
// out, and a message names the object (docs/topologies.md). In this order:
//   1. domains on a cycle are dropped; what is below them keeps its tiers;
//   2. an edge to a child whose tier isn't below its parent's is ignored;
//   3. a child with two parents is below neither;
//   4. a node in two domains of one tier is in neither, but still in wider domains that agree;
//   5. a member that doesn't exist or can't be read is empty;
//   6. a tier name at two tiers of one tree is no level there.
// Membership follows from the current names and labels of nodes. Pure, single-threaded; the result depends only on the
// sets of nodes and domains. Pattern matches are cached: a pattern is applied to each name once.

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

// The trees of declared domains over a set of nodes.
struct DeclaredTrees {
    // One level for each tier, widest first; `places` has the same depths. No levels: no domain is declared.
    Topology topology;
    std::vector<std::int64_t> tiers;
    Places places;
    // Tier names that aren't one whole level of `topology`: used at several tiers, or only by some domains of a tier.
    struct Named {
        std::string name;
        Places places;  // One level.
    };
    std::vector<Named> named;
    std::vector<UnusablePart> left_out;  // Nodes as indexes into the list of nodes.
};

class DomainForest {
public:
    // True: something changed.
    bool see(const DeclaredDomain& domain);
    bool forget(std::string_view name);
    [[nodiscard]] bool empty() const { return domains_.empty(); }
    [[nodiscard]] const std::map<std::string, DeclaredDomain, std::less<>>& domains() const { return domains_; }
    // True if some member chooses nodes by this label.
    [[nodiscard]] bool reads(std::string_view label) const;

    // Requires: `nodes` are sorted by name. Parts of `places` point into this forest: valid until the next `see` or
    // `forget`.
    [[nodiscard]] DeclaredTrees resolve(std::span<const NodeView> nodes);

private:
    struct Resolution {
        std::set<std::string, std::less<>> judged;  // Names that all patterns were applied to.
        std::map<std::string, std::vector<std::string>, std::less<>> names_of;  // Pattern -> names that match, sorted.
    };

    struct PatternUse {
        NamePattern pattern;
        std::size_t members = 0;  // How many choose by it.
    };

    void cached_resolution(std::span<const NodeView> nodes);

    std::map<std::string, DeclaredDomain, std::less<>> domains_;
    std::map<std::string, std::size_t, std::less<>> labels_read_;  // Label -> how many members choose by it.
    std::map<std::string, PatternUse, std::less<>> patterns_;      // By text.
    Resolution memory_;
};

}  // namespace echelon::model

#pragma once

// How do declared domains and a set of nodes become trees? Builds the graph of the objects, and makes it a forest.
//
// Lives for one call; the rules are in `model/topology/domain_forest.hpp`. Requires: the arguments of the constructor
// outlive it.

#include "base/flat_table.hpp"
#include "model/facts/declared_domain.hpp"
#include "model/facts/node_view.hpp"
#include "model/topology/domain_forest.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::model {

class DomainGraph {
public:
    using Domains = std::map<std::string, DeclaredDomain, std::less<>>;
    using NamesOf = std::map<std::string, std::vector<std::string>, std::less<>>;  // Pattern -> names that match.

    DomainGraph(const Domains& domains, const NamesOf& names_of, std::span<const NodeView> nodes);
    [[nodiscard]] DeclaredTrees trees();

private:
    using Index = std::uint32_t;
    // Of a list that all vertices share: a vector for each would take most of the time of small domains.
    struct Range {
        std::uint32_t first = 0;
        std::uint32_t last = 0;
        [[nodiscard]] std::span<const std::uint32_t> of(const std::vector<std::uint32_t>& all) const {
            return std::span(all).subspan(first, last - first);
        }
    };
    struct Vertex {
        const DeclaredDomain* domain = nullptr;
        std::vector<Index> children;  // As declared; sorted, each once.
        Range declarers;              // Of `declarers_`; sorted.
        Range nodes;                  // Of `members_`: direct members; sorted, each once.
        std::string absence;          // Why the first empty member is empty.
        bool is_domain = true;
        Index parent = nowhere;
        std::uint32_t depth = 0;
        std::string_view name;  // Valid tier name; empty: none.
    };
    // Two domains of one tier.
    using ConflictingDomains = std::pair<Index, Index>;

    // Members.
    void link(Index index);
    [[nodiscard]] bool choose(const DomainMember& member, Vertex& vertex);  // False: a name doesn't exist.
    void choose_by_label(const NodeTerm& term);
    [[nodiscard]] static std::string absence(const DomainMember& member);
    // nowhere: there is none.
    [[nodiscard]] NodeId node_named(std::string_view name);
    [[nodiscard]] Index domain_named(std::string_view name) const;
    void list_declarers();

    // Makes the graph a forest.
    void drop_unusable();
    [[nodiscard]] std::string others_of(const std::vector<Index>& circle) const;
    void join();
    void adopt(Index child);
    void number_tiers();
    void drop_ambiguous_tier_names();
    void place_nodes();
    void place(NodeId node, Index lowest, std::map<ConflictingDomains, std::vector<NodeId>>& conflicts);

    // Builds the result.
    [[nodiscard]] Places places() const;
    void name_levels(DeclaredTrees& out) const;
    [[nodiscard]] std::vector<std::uint8_t> tiers_lacking() const;
    [[nodiscard]] Places places_of_name(std::string_view name) const;

    // Records what is left out.
    void leave_out(Index index, std::string_view what, const std::set<Index>& losers, std::vector<NodeId> lost);
    [[nodiscard]] std::set<Index> with_all_above(const std::vector<Index>& from) const;
    [[nodiscard]] std::vector<NodeId> nodes_below(Index index) const;

    const Domains& domains_;
    const NamesOf& names_of_;
    std::span<const NodeView> nodes_;
    base::FlatTable<Index> by_name_;
    std::vector<Vertex> vertices_;  // Sorted by name.
    std::vector<Index> declarers_;
    std::vector<NodeId> members_;
    std::vector<NodeId> chosen_;  // By the vertex that is being linked.
    NodeId found_last_ = 0;       // By `node_named`.
    std::map<std::string_view, std::map<std::string_view, std::vector<NodeId>>>
        by_label_;                     // Label -> value -> nodes; only labels requested so far.
    std::vector<std::int64_t> tiers_;  // Descending.
    // [node * tiers + depth]
    std::vector<Index> at_;
    std::vector<std::uint8_t> is_disputed_;
    std::vector<UnusablePart> left_out_;
};

}  // namespace echelon::model

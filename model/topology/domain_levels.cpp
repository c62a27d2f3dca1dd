// Turns the forest of declared domains into levels: the places of nodes, and the levels that tier names mean.

#include "model/topology/domain_graph.hpp"
#include "model/topology/presets.hpp"

#include <algorithm>

namespace echelon::model {

Places DomainGraph::places() const {
    Places out{.depth = tiers_.size() + 1, .parts = {}};
    out.parts.assign(nodes_.size() * out.depth, Places::missing);
    out.uses_root_for_missing_tiers.assign(out.parts.size(), 0);
    for (NodeId node = 0; node < nodes_.size(); ++node) {
        out.parts[node * out.depth + tiers_.size()] = nodes_[node].name();
        auto narrower = nowhere;
        for (auto depth = tiers_.size(); depth-- > 0;) {
            const auto own = at_[node * tiers_.size() + depth];
            const auto cell = node * out.depth + depth;
            out.uses_root_for_missing_tiers[cell] = own == nowhere && narrower != nowhere ? 1 : 0;
            narrower = own == nowhere ? narrower : own;
            if (narrower != nowhere)
                out.parts[cell] = vertices_[narrower].domain->name;
        }
    }
    return out;
}

// [depth] 1: some narrower domain is below no domain of that tier, and would take its place. Depends on the domains
// alone, so that the meaning of a name doesn't change with nodes.
std::vector<std::uint8_t> DomainGraph::tiers_lacking() const {
    std::vector<std::uint8_t> lacking(tiers_.size(), 0);
    std::vector<std::uint8_t> own;
    for (const auto& vertex : vertices_) {
        if (!vertex.is_domain)
            continue;
        own.assign(tiers_.size(), 0);
        for (const auto* each = &vertex;; each = &vertices_[each->parent]) {
            own[each->depth] = 1;
            if (each->parent == nowhere)
                break;
        }
        for (std::uint32_t depth = 0; depth < vertex.depth; ++depth) {
            lacking[depth] = lacking[depth] != 0 || own[depth] == 0 ? 1 : 0;
        }
    }
    return lacking;
}

// A name that all domains of one tier have, and no other domain, is an alias of that level. Any other name, and that of
// a tier that is lacking somewhere (`tiers_lacking`), is a separate level.
void DomainGraph::name_levels(DeclaredTrees& out) const {
    std::map<std::string_view, std::set<std::uint32_t>> depths_of;
    std::map<std::uint32_t, std::set<std::string_view>> names_at;
    for (const auto& vertex : vertices_) {
        if (!vertex.is_domain)
            continue;
        names_at[vertex.depth].insert(vertex.name);
        if (!vertex.name.empty())
            depths_of[vertex.name].insert(vertex.depth);
    }
    const auto lacking = tiers_lacking();
    for (const auto& [name, depths] : depths_of) {
        const auto depth = *depths.begin();
        if (depths.size() == 1 && names_at[depth].size() == 1 && lacking[depth] == 0) {
            out.topology.aliases.emplace(name, out.topology.levels[depth]);
        } else {
            out.named.push_back({std::string(name), places_of_name(name)});
        }
    }
}

// A node is in the narrowest of the domains around it that has the name.
Places DomainGraph::places_of_name(std::string_view name) const {
    Places out{.depth = 2, .parts = {}};
    for (NodeId node = 0; node < nodes_.size(); ++node) {
        auto part = Places::missing;
        for (std::size_t depth = 0; depth < tiers_.size(); ++depth) {
            const auto own = at_[node * tiers_.size() + depth];
            if (own != nowhere && vertices_[own].name == name)
                part = vertices_[own].domain->name;
        }
        out.parts.push_back(part);
        out.parts.push_back(nodes_[node].name());
    }
    return out;
}

}  // namespace echelon::model

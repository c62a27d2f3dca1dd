#pragma once

// If several trees list a level, which of them places each node, and which domains does the level have? (Z24)
//
// Pure. Each node belongs to one tree: to the one that places it at most wider levels, then to one with most levels,
// then by source. In trees of labels, labels identify a domain, so that a zone is the same zone in all of them.

#include "model/facts/topology.hpp"
#include "model/topology/snapshot.hpp"
#include "model/topology/trees.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

struct TreeOrigin {
    TopologySource source = TopologySource::object;
    bool is_by_labels = true;
};

// The name of a tree that unites other trees for one level; `aliases` names that level.
inline constexpr std::string_view united_tree_name = "";

class UnitedLevels {
public:
    // Valid while the arguments are. Requires: trees are sorted by precedence, with one origin each; all number nodes
    // as in `nodes`.
    UnitedLevels(std::span<const Tree> trees, std::span<const TreeOrigin> origins, std::span<const NodeView> nodes)
        : trees_(trees), origins_(origins), nodes_(nodes) {}

    // True for trees of the best source, and for those that place some node at a level whose domains are unlike those
    // of the first tree that lists it.
    [[nodiscard]] bool is_used(std::uint32_t tree) const;
    // A tree that unites the level; nullopt: the first tree that lists it already has the same domains.
    [[nodiscard]] std::optional<Tree> unite(const std::string& level, HostRanks hosts) const;

private:
    struct Listing {
        std::uint32_t tree = 0;
        std::uint32_t depth = 0;
        std::uint8_t is_alias = 0;
        std::vector<std::string> identities = {};  // [domain] Equal in two listings if it is the same domain.
    };
    struct Placement {
        std::vector<Listing> listings;
        std::vector<std::uint32_t> listing_of;  // [node] index into `listings`; nowhere: in no domain of the level.
    };

    [[nodiscard]] std::vector<Listing> listings_of(const std::string& level) const;
    [[nodiscard]] Placement place(const std::string& level) const;
    [[nodiscard]] std::vector<std::string> identities_in(const Listing& listing) const;
    [[nodiscard]] bool is_as_in_first(const Placement& placement) const;
    [[nodiscard]] std::vector<std::string> shared_wider_keys(const Placement& placement) const;

    std::span<const Tree> trees_;
    std::span<const TreeOrigin> origins_;
    std::span<const NodeView> nodes_;
};

}  // namespace echelon::model

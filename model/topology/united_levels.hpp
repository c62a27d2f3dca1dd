#pragma once

// Several trees may list one level. Which of them places each node there, and which domains has the level in all? (Z24)
//
// Pure. A node belongs to one tree: the one that has a place for it at all wider levels, by source, with most levels.
// Domains of trees that labels make are told apart by the labels that they have, so that a zone is one zone in all.

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

// The name of a tree that unites others for one level, which is the one that its `aliases` name.
inline constexpr std::string_view united_tree_name = "";

class UnitedLevels {
public:
    // Valid while the trees are. They stand by precedence, one origin for each, and number nodes alike; names by node.
    UnitedLevels(std::span<const Tree> trees, std::span<const TreeOrigin> origins, std::span<const NodeView> nodes)
        : trees_(trees), origins_(origins), nodes_(nodes) {}

    // Trees of the best source, and those that place some node at some level where no better tree does.
    [[nodiscard]] bool is_used(std::uint32_t tree) const;
    // The level in several trees; nullopt: the first that lists it has the same domains.
    [[nodiscard]] std::optional<Tree> unite(const std::string& level, HostRanks hosts) const;

private:
    struct Listing {
        std::uint32_t tree = 0;
        std::uint32_t depth = 0;
        std::uint8_t is_alias = 0;
        std::vector<std::string> identities = {};  // [domain] Equal in two listings: the same domain.
    };
    struct Placement {
        std::vector<Listing> listings;
        std::vector<std::uint32_t> listing_of;  // [node] nowhere: it is in no domain of the level.
    };

    [[nodiscard]] Placement place(const std::string& level) const;
    [[nodiscard]] std::vector<std::string> identities_in(const Listing& listing) const;
    [[nodiscard]] bool is_as_in_first(const Placement& placement) const;
    [[nodiscard]] std::vector<std::string> shared_wider_keys(const Placement& placement) const;

    std::span<const Tree> trees_;
    std::span<const TreeOrigin> origins_;
    std::span<const NodeView> nodes_;
};

}  // namespace echelon::model

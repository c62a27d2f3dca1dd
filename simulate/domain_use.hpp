#pragma once

// Which domains are whole, that is without a running pod? Counts the whole domains of every level, and the empty nodes
// of the domain that has the most.
//
// Every change costs as much as there are levels. Pure.

#include "model/topology/snapshot.hpp"
#include "simulate/world.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace echelon::simulate {

class DomainUse {
public:
    explicit DomainUse(const World& world);

    // A pod starts or ends on the node.
    void add_usage(model::NodeId node);
    void remove_usage(model::NodeId node);

    // Level keys, each once: of the first tree that has it.
    [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }
    [[nodiscard]] std::int64_t whole_domains(std::size_t key) const { return levels_[key].whole; }
    [[nodiscard]] std::int64_t most_empty_nodes(std::size_t key) const;

private:
    struct Level {
        std::vector<std::uint32_t> domain_of;  // [node]
        std::vector<std::uint32_t> used;       // [domain] Nodes that run a pod.
        std::vector<std::uint32_t> empty;      // [domain] Usable nodes that run none.
        std::vector<std::uint32_t> with;       // [n] Domains with n empty nodes.
        std::int64_t whole = 0;
    };

    void add_level(const World& world, const model::Tree& tree, std::size_t depth);
    void count_use(model::NodeId node, bool is_used);

    std::vector<std::string> keys_;
    std::vector<Level> levels_;         // [key]
    std::vector<std::uint32_t> pods_;   // [node]
    std::vector<std::uint8_t> usable_;  // [node]
};

}  // namespace echelon::simulate

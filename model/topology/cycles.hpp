#pragma once

// Which vertices of a directed graph lie on a cycle? By strongly connected components (Tarjan), without recursion.
//
// Pure, linear in vertices and edges.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace echelon::model {

class Cycles {
public:
    // The children of a vertex, in ascending order; each is below the count of vertices.
    using Children = std::function<const std::vector<std::uint32_t>&(std::uint32_t)>;

    // `children` is called for vertices below `count`, and isn't kept. Requires: the lists don't change meanwhile.
    Cycles(std::size_t count, const Children& children);

    // True if the vertex is on a cycle, even as its own child.
    [[nodiscard]] bool holds(std::uint32_t vertex) const { return on_cycle_[vertex] != 0; }
    // Equal for vertices that are reachable from each other.
    [[nodiscard]] std::uint32_t component(std::uint32_t vertex) const { return component_[vertex]; }

private:
    struct Step {
        std::uint32_t vertex;
        std::size_t next;
    };

    void enter(std::uint32_t vertex, std::vector<Step>& path);
    void walk(std::uint32_t start, const Children& children);
    void close(std::uint32_t first, const Children& children);

    std::uint32_t last_number_ = 0;
    std::vector<std::uint32_t> number_;  // 0: not visited.
    std::vector<std::uint32_t> low_;
    std::vector<std::uint8_t> is_open_;
    std::vector<std::uint8_t> on_cycle_;
    std::vector<std::uint32_t> component_;
    std::vector<std::uint32_t> open_;
};

}  // namespace echelon::model

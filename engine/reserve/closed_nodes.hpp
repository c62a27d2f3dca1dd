#pragma once

// Which nodes may a gang not use, since they are reserved for another gang or belong to another clearing?
//
// Whatever becomes free there is closed too: seats that yield, pods that end, and pods that could be evicted.

#include "engine/reserve/taken_room.hpp"
#include "model/gang/running_gang.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace echelon::engine {

class ClosedNodes {
public:
    // `node_count`: of the snapshot.
    void add(model::NodeId node, std::size_t node_count) {
        is_closed_.resize(node_count, 0);
        is_closed_[node] = 1;
    }
    // "namespace/name" of a gang for which some of them are reserved.
    void add_owner(const std::string& gang) { owners_.push_back(gang); }
    [[nodiscard]] bool empty() const { return is_closed_.empty(); }
    [[nodiscard]] bool contains(model::NodeId node) const { return !empty() && is_closed_[node] != 0; }

    // "2 nodes are reserved for gang ml/big and others"; empty: no node is.
    [[nodiscard]] std::string sentence() const;

    // Takes all free room of these nodes.
    [[nodiscard]] TakenRoom take_room(model::Snapshot& snapshot) const;
    // No pod there may be evicted.
    void protect_pods(model::RunningGangs& running) const;

private:
    std::vector<std::uint8_t> is_closed_;  // [node]; empty: no node is closed.
    std::vector<std::string> owners_;
};

}  // namespace echelon::engine

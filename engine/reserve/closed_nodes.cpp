#include "engine/reserve/closed_nodes.hpp"

namespace echelon::engine {

TakenRoom ClosedNodes::take_room(model::Snapshot& snapshot) const {
    TakenRoom taken(snapshot);
    for (model::NodeId node = 0; node < is_closed_.size(); ++node) {
        if (is_closed_[node] == 0)
            continue;
        for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
            if (const auto room = snapshot.room[r][node]; room > 0)
                taken.take(node, r, room);
        }
    }
    return taken;
}

void ClosedNodes::protect_pods(model::RunningGangs& running) const {
    if (empty())
        return;
    for (auto& gang : running.gangs) {
        for (auto& pod : gang.pods)
            pod.is_protected = pod.is_protected || contains(pod.node);
    }
}

}  // namespace echelon::engine

#include "engine/reserve/closed_nodes.hpp"

#include <algorithm>

#include <fmt/format.h>

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

std::string ClosedNodes::sentence() const {
    if (owners_.empty())
        return {};
    const auto count = std::ranges::count(is_closed_, 1);
    return fmt::format("{} node{} reserved for gang {}{}", count, count == 1 ? " is" : "s are", owners_.front(),
                       owners_.size() > 1 ? " and others" : "");
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

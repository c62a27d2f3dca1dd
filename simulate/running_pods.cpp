#include "simulate/running_pods.hpp"

namespace echelon::simulate {

void RunningPods::add(Started started, std::optional<Seconds> ends_at) {
    const auto order = starts_++;
    if (!ends_at)
        return;  // The room is never given back.
    if (free_slots_.empty()) {
        free_slots_.push_back(slots_.size());
        slots_.emplace_back();
    }
    const auto slot = free_slots_.back();
    free_slots_.pop_back();
    slots_[slot] = std::move(started);
    ends_.push({.at = *ends_at, .order = order, .slot = slot});
}

std::optional<Seconds> RunningPods::next_end() const {
    if (ends_.empty())
        return std::nullopt;
    return ends_.top().at;
}

Started RunningPods::take_next() {
    const auto slot = ends_.top().slot;
    ends_.pop();
    free_slots_.push_back(slot);
    return std::exchange(slots_[slot], {});
}

}  // namespace echelon::simulate

#include "engine/wakeups.hpp"

namespace echelon::engine {

std::optional<model::GroupKey> Wakeups::next_touched() {
    if (touched_.empty())
        return std::nullopt;
    return std::move(touched_.extract(touched_.begin()).value());
}

void Wakeups::wake_at(const model::GroupKey& root, Time when) {
    if (const auto old = timer_of_.find(root); old != timer_of_.end()) {
        if (old->second == when)
            return;
        timers_.erase({old->second, root});
        timer_of_.erase(old);
    }
    if (when == never)
        return;
    timers_.insert({when, root});
    timer_of_[root] = when;
}

void Wakeups::forget(const model::GroupKey& root) {
    touched_.erase(root);
    wake_at(root, never);
}

void Wakeups::touch_due(Time now) {
    while (!timers_.empty() && timers_.begin()->first <= now) {
        touched_.insert(timers_.begin()->second);
        timer_of_.erase(timers_.begin()->second);
        timers_.erase(timers_.begin());
    }
}

}  // namespace echelon::engine

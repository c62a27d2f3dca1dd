#pragma once

// What happens next? A virtual clock and the queue of all future events. Events of one moment run in the order in which
// they were queued.
//
// Not thread-safe. Nothing waits: time jumps to the next event.

#include "engine/engine.hpp"

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace echelon::simulator {

using Time = engine::Time;

class Clock {
public:
    using Callback = std::function<void()>;

    [[nodiscard]] Time now() const { return now_; }
    void at(Time when, Callback callback) { queue_.push({when < now_ ? now_ : when, ++last_, std::move(callback)}); }
    void after(Time delay, Callback callback) { at(now_ + delay, std::move(callback)); }
    [[nodiscard]] bool is_empty() const { return queue_.empty(); }
    [[nodiscard]] Time next() const { return queue_.top().when; }

    // Runs the next event. Requires: there is one.
    void run_next() {
        // The queue only returns constant elements, and the callback may add to it.
        auto callback = std::move(const_cast<Entry&>(queue_.top()).callback);
        now_ = queue_.top().when;
        queue_.pop();
        callback();
    }

private:
    struct Entry {
        Time when;
        std::uint64_t number;
        Callback callback;
        bool operator<(const Entry& other) const {
            return when != other.when ? when > other.when : number > other.number;
        }
    };

    Time now_{1000};
    std::uint64_t last_ = 0;
    std::priority_queue<Entry> queue_;
};

}  // namespace echelon::simulator

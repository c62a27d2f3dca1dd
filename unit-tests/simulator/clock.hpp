#pragma once

// What happens next? A virtual clock and the queue of everything that is on its way. Events of one moment come in the
// order in which they were asked for.
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
    using Deed = std::function<void()>;

    [[nodiscard]] Time now() const { return now_; }
    void at(Time when, Deed deed) { queue_.push({when < now_ ? now_ : when, ++last_, std::move(deed)}); }
    void after(Time delay, Deed deed) { at(now_ + delay, std::move(deed)); }
    [[nodiscard]] bool is_empty() const { return queue_.empty(); }
    [[nodiscard]] Time next() const { return queue_.top().when; }

    // Runs the next event. Requires: there is one.
    void run_next() {
        // The queue gives out constant elements only, and what runs may add to it.
        auto deed = std::move(const_cast<Entry&>(queue_.top()).deed);
        now_ = queue_.top().when;
        queue_.pop();
        deed();
    }

private:
    struct Entry {
        Time when;
        std::uint64_t number;
        Deed deed;
        bool operator<(const Entry& other) const {
            return when != other.when ? when > other.when : number > other.number;
        }
    };

    Time now_{1000};
    std::uint64_t last_ = 0;
    std::priority_queue<Entry> queue_;
};

}  // namespace echelon::simulator

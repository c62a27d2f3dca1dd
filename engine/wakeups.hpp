#pragma once

// Which gangs are reconciled at the end of this step, and when is the next one due?
//
// Not thread-safe.

#include "engine/time.hpp"
#include "model/facts/group.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

namespace echelon::engine {

class Wakeups {
public:
    // The gang is reconciled before the step ends, since something about it has changed.
    void touch(const model::GroupKey& root) { touched_.insert(root); }
    // Removes and returns the first touched gang; nullopt: none is left.
    [[nodiscard]] std::optional<model::GroupKey> next_touched();
    // Sets the time at which the gang is touched, in place of an earlier one; `never`: no time.
    void wake_at(const model::GroupKey& root, Time when);
    void forget(const model::GroupKey& root);
    // Touches gangs whose time has come.
    void touch_due(Time now);
    [[nodiscard]] Time first() const { return timers_.empty() ? never : timers_.begin()->first; }

private:
    std::set<model::GroupKey> touched_;
    std::set<std::pair<Time, model::GroupKey>> timers_;
    std::map<model::GroupKey, Time> timer_of_;
};

}  // namespace echelon::engine

#pragma once

// When is a record written again because the watch still shows another one, or none?
//
// Either the watch lags, or ours was overwritten or deleted. The longer the watch shows nothing new, the rarer the next
// attempt. Not thread-safe.

#include "engine/time.hpp"
#include "model/facts/group.hpp"

#include <algorithm>
#include <map>

namespace echelon::engine {

inline constexpr Time recheck_delay{1000};  // By then the watch shows what was written, by us or by another echelon.
inline constexpr Time longest_recheck_delay{30'000};

class RecordRechecks {
public:
    // The record of the gang was written, and the watch doesn't show it. Returns the delay until the next attempt.
    Time note_written(const model::GroupKey& root, Time now) {
        auto& row = rows_[root];
        row.delay = std::clamp(2 * row.delay, recheck_delay, longest_recheck_delay);
        row.due = now + row.delay;
        return row.delay;
    }
    // When the same record may be written again; `now` if nothing is known about the gang.
    [[nodiscard]] Time due(const model::GroupKey& root, Time now) const {
        const auto found = rows_.find(root);
        return found == rows_.end() ? now : found->second.due;
    }
    // The watch shows something new, another record is written, or the gang is gone.
    void forget(const model::GroupKey& root) { rows_.erase(root); }

private:
    struct Row {
        Time delay{0};
        Time due{0};
    };

    std::map<model::GroupKey, Row> rows_;
};

}  // namespace echelon::engine

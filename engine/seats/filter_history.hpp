#pragma once

// Which pods did kube-scheduler ask about lately, and which of them were refused?
//
// Bounded. Not thread-safe.

#include "engine/input.hpp"
#include "engine/seats/recent.hpp"

#include <string>

namespace echelon::engine {

class FilterHistory {
public:
    void note(const Filtered& filtered) {
        asked_.add(filtered.uid);
        if (filtered.answer == Filtered::Answer::refused)
            refused_.add(filtered.uid);
        if (filtered.is_exempt)
            exempt_.add(filtered.uid);
    }
    // The pod is gone.
    void forget(const std::string& uid) {
        asked_.erase(uid);
        refused_.erase(uid);
        exempt_.erase(uid);
    }
    [[nodiscard]] bool was_asked(const std::string& uid) const { return asked_.contains(uid); }
    [[nodiscard]] bool was_refused_by_filter(const std::string& uid) const { return refused_.contains(uid); }
    // True if the pod may use promised room (PR2).
    [[nodiscard]] bool is_exempt(const std::string& uid) const { return exempt_.contains(uid); }

private:
    RecentUids asked_{100'000};
    RecentUids refused_{100'000};
    RecentUids exempt_{100'000};
};

}  // namespace echelon::engine

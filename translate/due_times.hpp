#pragma once

// Which name is due next? A queue in which a name is once.
//
// Not thread-safe. Each call takes logarithmic time.

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace echelon::translate {

class DueTimes {
public:
    using Instant = std::chrono::steady_clock::time_point;

    // A name that is there already keeps the earlier time.
    void add(const std::string& name, Instant at) {
        const auto [entry, is_new] = at_.try_emplace(name, at);
        if (!is_new && entry->second <= at)
            return;
        order_.erase({entry->second, name});
        entry->second = at;
        order_.emplace(at, name);
    }
    void erase(const std::string& name) {
        const auto entry = at_.find(name);
        if (entry == at_.end())
            return;
        order_.erase({entry->second, name});
        at_.erase(entry);
    }
    [[nodiscard]] bool empty() const { return order_.empty(); }
    // Requires: not empty.
    [[nodiscard]] Instant first_time() const { return order_.begin()->first; }
    // Removes the first name. Requires: not empty.
    [[nodiscard]] std::string take_first() {
        std::string name = order_.begin()->second;
        erase(name);
        return name;
    }

private:
    std::map<std::string, Instant> at_;
    std::set<std::pair<Instant, std::string>> order_;
};

}  // namespace echelon::translate

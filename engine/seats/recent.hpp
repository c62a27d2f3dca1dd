#pragma once

// Which UIDs were added lately? A set that keeps at least the last `generation` UIDs, and at most twice as many.
//
// Not thread-safe.

#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>

namespace echelon::engine {

class RecentUids {
public:
    explicit RecentUids(std::size_t generation) : generation_(generation) {}

    void add(const std::string& uid) {
        if (young_.size() >= generation_) {
            old_ = std::move(young_);
            young_.clear();
        }
        young_.insert(uid);
    }
    void erase(const std::string& uid) {
        young_.erase(uid);
        old_.erase(uid);
    }
    [[nodiscard]] bool contains(const std::string& uid) const { return young_.contains(uid) || old_.contains(uid); }

private:
    std::size_t generation_;
    std::unordered_set<std::string> young_;
    std::unordered_set<std::string> old_;
};

}  // namespace echelon::engine

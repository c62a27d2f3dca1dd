#pragma once

// Which requests came lately, and how often? Counts the last few thousand pods by request.
//
// Pure.

#include <cstdint>
#include <deque>
#include <vector>

namespace echelon::solver {

class RequestWindow {
public:
    void add(std::uint32_t request, std::uint64_t pods);

    // [request] number of pods in the window.
    [[nodiscard]] const std::vector<std::uint64_t>& counts() const { return counts_; }
    // True if the mix may have changed since the last `mark`. For one user, which calls `mark` when it reads the
    // counts.
    [[nodiscard]] bool has_moved() const;
    void mark();

private:
    struct Entry {
        std::uint32_t request = 0;
        std::uint64_t pods = 0;
    };

    std::deque<Entry> last_;
    std::vector<std::uint64_t> counts_;
    std::uint64_t in_window_ = 0;
    std::uint64_t pods_seen_ = 0;
    std::uint64_t marked_ = 0;
};

}  // namespace echelon::solver

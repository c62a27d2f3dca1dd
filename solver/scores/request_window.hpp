#pragma once

// Which requests came lately, and how often? The last few thousand, by number.
//
// Pure: it knows what came and nothing of what comes.

#include <cstdint>
#include <deque>
#include <vector>

namespace echelon::solver {

class RequestWindow {
public:
    void add(std::uint32_t request, std::uint64_t pods);

    // [request] How many pods of it came among the last ones.
    [[nodiscard]] const std::vector<std::uint64_t>& counts() const { return counts_; }
    // True: the mix may be another one by now. The answer is for one user; it calls `mark` when it looks.
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
    std::uint64_t came_ = 0;
    std::uint64_t marked_ = 0;
};

}  // namespace echelon::solver

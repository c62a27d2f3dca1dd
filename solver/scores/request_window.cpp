#include "solver/scores/request_window.hpp"

#include <algorithm>

namespace echelon::solver {

namespace {

constexpr std::uint64_t window = 8192;       // Pods.
constexpr std::uint64_t least_to_move = 16;  // Pods between two marks at first.
constexpr std::uint64_t most_to_move = 256;  // And later.

}  // namespace

void RequestWindow::add(std::uint32_t request, std::uint64_t pods) {
    pods = std::min(pods, window);
    if (request >= counts_.size())
        counts_.resize(request + 1);
    last_.push_back({request, pods});
    counts_[request] += pods;
    in_window_ += pods;
    pods_seen_ += pods;
    while (in_window_ > window) {
        counts_[last_.front().request] -= last_.front().pods;
        in_window_ -= last_.front().pods;
        last_.pop_front();
    }
}

// At first after every few pods, later once an eighth of them is new. A mix that is kept for longer costs up to 3 % of
// the GPUs of some clusters.
bool RequestWindow::has_moved() const {
    return pods_seen_ - marked_ >= std::clamp(marked_ / 8, least_to_move, most_to_move);
}

void RequestWindow::mark() {
    marked_ = pods_seen_;
}

}  // namespace echelon::solver

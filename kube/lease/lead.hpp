#pragma once

// Until when may this echelon write, under one lead?
//
// One object per lead. A renewal moves the end of the lead. A write that was requested under it checks the end again
// before it is sent. Thread-safe.

#include <atomic>
#include <chrono>

namespace echelon::kube {

class Lead {
public:
    using Instant = std::chrono::steady_clock::time_point;

    explicit Lead(Instant until) : until_(until) {}

    [[nodiscard]] Instant until() const { return until_.load(); }
    void renew(Instant until) { until_.store(until); }
    void end() { until_.store(Instant::min()); }

private:
    std::atomic<Instant> until_;
};

}  // namespace echelon::kube

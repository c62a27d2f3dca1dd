#pragma once

// What was asked lately, and how long did it take? The calls of kube-scheduler for /debug/requests.
//
// The last thousand, and beside them the last hundred slow ones, which would soon be lost among the others.
// Thread-safe.

#include "server/extender/metrics.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>

namespace echelon::server {

struct RequestLogEntry {
    std::string id;  // X-Request-Id.
    Verb verb = Verb::filter;
    std::string pod;  // "namespace/name"; empty: the call couldn't be read, or its verb doesn't look.
    CallResult result = CallResult::ok;
    std::chrono::system_clock::time_point began;
    std::chrono::microseconds took{};
};

class RequestRing {
public:
    void add(RequestLogEntry request);
    // JSON, the youngest first.
    [[nodiscard]] std::string to_json() const;

private:
    static constexpr std::size_t most = 1000;
    static constexpr std::size_t most_slow = 100;

    mutable std::mutex mutex_;
    std::deque<RequestLogEntry> last_;  // Guarded by mutex_.
    std::deque<RequestLogEntry> slow_;  // The same.
};

}  // namespace echelon::server

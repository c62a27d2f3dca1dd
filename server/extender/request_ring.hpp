#pragma once

// Which calls did kube-scheduler make lately, and how long did they take? /debug/requests.
//
// Keeps the last 1000 calls, and the last 100 slow ones apart, so that others don't displace them. Thread-safe.

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
    std::string pod;  // "namespace/name"; empty: the call couldn't be read, or the verb doesn't read the pod.
    CallResult result = CallResult::ok;
    std::chrono::system_clock::time_point began;
    std::chrono::microseconds took{};
};

class RequestRing {
public:
    void add(RequestLogEntry request);
    // JSON, newest first.
    [[nodiscard]] std::string to_json() const;

private:
    static constexpr std::size_t most = 1000;
    static constexpr std::size_t most_slow = 100;

    mutable std::mutex mutex_;
    std::deque<RequestLogEntry> last_;  // Guarded by mutex_.
    std::deque<RequestLogEntry> slow_;  // Guarded by mutex_.
};

}  // namespace echelon::server

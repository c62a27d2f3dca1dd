#pragma once

// Which scheduler is a PodGang of Grove meant for? Its label `grove.io/scheduler-name` says so.
//
// Read from the API server, since a pod may be created before the watch shows its PodGang. Answers are cached for some
// seconds, so that the pods of one gang cost one read. Thread-safe. There is one read at a time, and look-ups in the
// cache don't wait for it.

#include "kube/client/credentials.hpp"
#include "kube/client/http_client.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace echelon::app {

class PodGangSchedulers {
public:
    explicit PodGangSchedulers(std::shared_ptr<kube::Credentials> credentials) : client_(std::move(credentials)) {}

    // Empty: there is no such PodGang, it can't be read in time, or it names no scheduler.
    [[nodiscard]] std::string of(const std::string& ns, const std::string& gang);

private:
    using Instant = std::chrono::steady_clock::time_point;
    struct Entry {
        std::string scheduler;
        Instant until;
    };

    // Empty: not cached, or expired.
    [[nodiscard]] std::string cached(const std::string& name);
    [[nodiscard]] std::string read(const std::string& ns, const std::string& gang);

    std::mutex client_mutex_;
    kube::HttpClient client_;  // Guarded by client_mutex_.
    std::mutex cache_mutex_;
    std::map<std::string, Entry> cache_;  // Guarded by cache_mutex_. By "namespace/name".
};

}  // namespace echelon::app

#pragma once

// Which scheduler is a PodGang of Grove for? As its label `grove.io/scheduler-name` says.
//
// Read from the API server, since a pod may be created before the watch shows its PodGang. What a label says is kept for
// some seconds, so that the pods of one gang cost one read. Thread-safe: one read at a time, which holds up no look-up.

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

    // Empty: it isn't there, can't be read in time, or names none.
    [[nodiscard]] std::string of(const std::string& ns, const std::string& gang);

private:
    using Instant = std::chrono::steady_clock::time_point;
    struct Known {
        std::string scheduler;
        Instant until;
    };

    // Empty: not known, or not any more.
    [[nodiscard]] std::string known(const std::string& name);
    [[nodiscard]] std::string read(const std::string& ns, const std::string& gang);

    std::mutex client_mutex_;
    kube::HttpClient client_;  // Guarded by client_mutex_.
    std::mutex known_mutex_;
    std::map<std::string, Known> known_;  // Guarded by known_mutex_. By "namespace/name".
};

}  // namespace echelon::app

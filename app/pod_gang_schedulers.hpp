#pragma once

// Which scheduler is a PodGang of Grove meant for? Its label `grove.io/scheduler-name` says so.
//
// Read from the API server, since a pod may be created before the watch shows its PodGang. Answers are cached for some
// seconds, so that the pods of one gang cost one read. Thread-safe. There is one read at a time. Other callers wait for
// it only briefly, and look-ups in the cache don't wait.

#include "kube/client/credentials.hpp"
#include "kube/client/http_client.hpp"

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace echelon::app {

// The API server waits three seconds for a review.
struct PodGangTimes {
    std::chrono::milliseconds read{1000};  // Longest time for the connection, and longest pause in the answer.
    std::chrono::milliseconds wait{500};   // How long a caller waits for the read of another one.
    std::chrono::milliseconds rest{1000};  // Nothing is read for so long after a read that failed or took too long.
    std::chrono::milliseconds keep{5000};  // How long an answer is cached, also that there is no label.
};

class PodGangSchedulers {
public:
    explicit PodGangSchedulers(std::shared_ptr<kube::Credentials> credentials, PodGangTimes times = {})
        : times_(times), client_(std::move(credentials)) {}

    // Empty: there is no such PodGang, it can't be read in time, or it names no scheduler.
    [[nodiscard]] std::string of(const std::string& ns, const std::string& gang);

private:
    using Instant = std::chrono::steady_clock::time_point;
    struct Entry {
        std::string scheduler;  // Empty: the PodGang names none.
        Instant until;
    };
    struct Reading {
        std::optional<std::string> scheduler;  // Nullopt: there is no such PodGang, or it can't be read.
        bool has_failed = false;
    };

    // Nullopt: not cached, or expired. Requires: `mutex_` is locked.
    [[nodiscard]] std::optional<std::string> cached(const std::string& name) const;
    // These require that `mutex_` is locked.
    void keep(const std::string& name, const Reading& reading);
    void rest();
    [[nodiscard]] bool rests() const;
    // Requires: `client_mutex_` is locked, and `mutex_` isn't.
    [[nodiscard]] Reading read(const std::string& ns, const std::string& gang);

    const PodGangTimes times_;
    std::mutex client_mutex_;  // Locked by the caller that reads. Never waited for.
    kube::HttpClient client_;  // Guarded by client_mutex_.
    std::mutex mutex_;
    std::condition_variable has_read_;
    Instant rests_until_{};               // Guarded by mutex_.
    std::map<std::string, Entry> cache_;  // Guarded by mutex_. By "namespace/name".
};

}  // namespace echelon::app

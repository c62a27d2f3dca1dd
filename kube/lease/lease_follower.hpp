#pragma once

// Does the kube-scheduler in this pod lead? Its Lease is read every 2 s (I9, R17).
//
// Nothing is written, and nothing is elected. Two echelons may both believe for a moment that they lead; preconditions
// and re-reads keep that safe. `LeaseObserver` is pure and not thread-safe; a `LeaseFollower` is one thread.

#include "base/result.hpp"
#include "kube/client/credentials.hpp"
#include "kube/client/http_client.hpp"
#include "kube/client/limited_log.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace echelon::kube {

// The fields of a Lease that show the leader.
struct LeaseRecord {
    std::string holder = {};  // "hostname_uuid"; empty: released.
    std::string renewed =
        {};  // RFC 3339 as written; compared for equality, and parsed only for its age at first sight.
    std::int64_t transitions = 0;
    std::chrono::seconds duration{15};
};

// True if the Lease was neither renewed nor taken in between.
[[nodiscard]] inline bool same_record(const LeaseRecord& a, const LeaseRecord& b) {
    return a.holder == b.holder && a.renewed == b.renewed && a.transitions == b.transitions;
}

// Reads a coordination.k8s.io/v1 Lease from JSON.
[[nodiscard]] base::Result<LeaseRecord> read_lease(std::string_view object);

class LeaseObserver {
public:
    using Instant = std::chrono::steady_clock::time_point;

    // `hostname`: the pod's, which all its containers share.
    explicit LeaseObserver(std::string hostname) : hostname_(std::move(hostname)) {}

    // The Lease was read at `now`; nullopt: there is none. `age`: the time since its renewal by the clock of this
    // machine, which wrote it if our kube-scheduler leads. Returns leads(now).
    bool observe(std::optional<LeaseRecord> record, Instant now, std::chrono::milliseconds age = {});
    // True if the kube-scheduler of this pod held the Lease when it was last read, and has renewed it in time.
    [[nodiscard]] bool leads(Instant now) const { return now < leads_until(); }
    // When the lead ends unless it is renewed; a time in the past: no lead.
    [[nodiscard]] Instant leads_until() const;

private:
    [[nodiscard]] bool is_ours() const;

    const std::string hostname_;
    std::optional<LeaseRecord> record_;
    Instant changed_at_{};  // When holder, renewal or transitions last changed, less the age of the record.
};

struct LeaseFollowerOptions {
    std::string ns;
    std::string name;
    std::string hostname;
    std::chrono::milliseconds interval = std::chrono::seconds(2);
    // Time-out of a connection, and of each pause in an answer.
    std::chrono::milliseconds patience = std::chrono::seconds(3);
};

class LeaseFollower {
public:
    // Called on the follower's thread: first, with every renewal, and on a loss. `until`: the end of the lead; nullopt:
    // doesn't lead.
    using Report = std::function<void(std::optional<LeaseObserver::Instant> until)>;
    using Log = std::function<void(const std::string& sentence)>;  // Rate-limited by the follower.

    LeaseFollower(std::shared_ptr<Credentials> credentials, LeaseFollowerOptions options, Report report, Log log);
    ~LeaseFollower();  // Stops within a second, whatever the server does.
    LeaseFollower(const LeaseFollower&) = delete;
    LeaseFollower& operator=(const LeaseFollower&) = delete;

private:
    void run(const std::stop_token& stop);
    void observe_answer(const HttpAnswer& answer, LeaseObserver::Instant asked_at,
                        std::chrono::system_clock::time_point asked_on);

    const LeaseFollowerOptions options_;
    const Report report_;
    LimitedLog log_;

    // Used only by the thread, except for `cancel`.
    HttpClient client_;
    LeaseObserver observer_;

    std::jthread thread_;  // Last member: it uses the others.
};

// gethostname(); the identity of a kube-scheduler is its hostname, "_" and a UUID. Empty on failure.
[[nodiscard]] std::string own_hostname();

}  // namespace echelon::kube

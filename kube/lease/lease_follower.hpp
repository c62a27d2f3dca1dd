#pragma once

// Does the kube-scheduler beside us lead? Read from its Lease every 2 s (I9, R17).
//
// Nothing is ever written, and nothing is elected: two echelons that both believe to lead for a moment are kept apart
// by preconditions and re-reads, not by this. `LeaseObserver` is pure and not thread-safe; a `LeaseFollower` is one
// thread.

#include "base/result.hpp"
#include "kube/client/credentials.hpp"
#include "kube/client/http_client.hpp"
#include "kube/client/log_rate_limiter.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace echelon::kube {

// What of a Lease tells who leads.
struct LeaseRecord {
    std::string holder = {};   // "hostname_uuid"; empty: given up.
    std::string renewed = {};  // As written; compared, never read as a time.
    std::int64_t transitions = 0;
    std::chrono::seconds duration{15};
};

// Not renewed and not taken since.
[[nodiscard]] inline bool same_record(const LeaseRecord& a, const LeaseRecord& b) {
    return a.holder == b.holder && a.renewed == b.renewed && a.transitions == b.transitions;
}

// Of a coordination.k8s.io/v1 Lease as JSON.
[[nodiscard]] base::Result<LeaseRecord> read_lease(std::string_view object);

class LeaseObserver {
public:
    using Instant = std::chrono::steady_clock::time_point;

    // `hostname`: ours, which the containers of a pod share.
    explicit LeaseObserver(std::string hostname) : hostname_(std::move(hostname)) {}

    // The Lease was read at `now` (nullopt: there is none). `age`: how long ago it was renewed, by the clock that our
    // neighbour and we share. Answers leads(now).
    bool observe(std::optional<LeaseRecord> record, Instant now, std::chrono::milliseconds age = {});
    // By what was seen last: our neighbour holds the Lease, and renewed it within its duration.
    [[nodiscard]] bool leads(Instant now) const { return now < leads_until(); }
    // Its lead ends then unless it is renewed; in the past: it doesn't lead.
    [[nodiscard]] Instant leads_until() const;

private:
    [[nodiscard]] bool is_ours() const;

    const std::string hostname_;
    std::optional<LeaseRecord> record_;
    Instant
        changed_at_{};  // When holder, renewal or transitions last became others than before; earlier if it was old.
};

struct LeaseFollowerOptions {
    std::string ns;
    std::string name;
    std::string hostname;
    std::chrono::milliseconds interval = std::chrono::seconds(2);
    // For a connection, and for each pause in an answer. An expiry needs no notice: every lead comes with its end.
    std::chrono::milliseconds patience = std::chrono::seconds(3);
};

class LeaseFollower {
public:
    // Called on the follower's thread: at first, with every renewal, and on a loss. nullopt: doesn't lead; else leads
    // until then, unless a later end comes.
    using Tell = std::function<void(std::optional<LeaseObserver::Instant> until)>;
    using Log = std::function<void(const std::string& sentence)>;  // Rate-limited by the follower.

    LeaseFollower(std::shared_ptr<Credentials> credentials, LeaseFollowerOptions options, Tell tell, Log log);
    ~LeaseFollower();  // Stops within a second, whatever the server does.
    LeaseFollower(const LeaseFollower&) = delete;
    LeaseFollower& operator=(const LeaseFollower&) = delete;

private:
    void run(const std::stop_token& stop);
    void judge(const HttpAnswer& answer, LeaseObserver::Instant asked_at,
               std::chrono::system_clock::time_point asked_on);
    void say(const std::string& sentence);

    const LeaseFollowerOptions options_;
    const Tell tell_;
    const Log log_;

    // Used by the thread alone, except for `cancel`.
    HttpClient client_;
    LeaseObserver judge_;
    LogRateLimiter gate_;

    std::mutex pause_mutex_;
    std::condition_variable_any pause_;
    std::jthread thread_;  // Last: it uses everything above.
};

// gethostname(): what kube-scheduler puts before the "_" of its identity. Empty: the system doesn't tell.
[[nodiscard]] std::string own_hostname();

}  // namespace echelon::kube

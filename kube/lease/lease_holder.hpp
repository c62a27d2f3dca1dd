#pragma once

// May this echelon act? Takes a Lease of its own, renews it, and steps down when it can't (I9, leader.mode
// own).
//
// A lead has an end by our own clock, before the Lease may be taken by another: whoever is told of it stops by himself
// when no renewal comes. Even so two may act for a moment (a process that was stopped); preconditions and re-reads keep
// them apart, not this. `LeaseTerm` is pure and not thread-safe; a `LeaseHolder` is one thread.

#include "base/result.hpp"
#include "kube/client/credentials.hpp"
#include "kube/client/http_client.hpp"
#include "kube/client/log_rate_limiter.hpp"
#include "kube/lease/lease_follower.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace echelon::kube {

class LeaseTerm {
public:
    using Instant = std::chrono::steady_clock::time_point;
    enum class Step : std::uint8_t {
        create,  // There is no Lease.
        take,    // Nobody's, given up, or not renewed for its duration by our own clock.
        renew,   // Ours.
        wait,    // Another's.
    };

    LeaseTerm(std::string identity, std::chrono::milliseconds duration)
        : identity_(std::move(identity)), duration_(duration) {}

    // The Lease was asked for, and the answer was here at `answered_at` (nullopt: there is none). What to do about it.
    // The lead of another counts from then: it may have been renewed at any moment before.
    Step observe(const std::optional<LeaseRecord>& record, Instant answered_at);
    // Our write, sent at `sent_at`, was accepted; the answer has the Lease as it is by now. Our lead counts from when
    // it was sent, and lasts no longer than the Lease that was answered.
    void wrote(const LeaseRecord& record, Instant sent_at);
    // The Lease is another's by now.
    void lose() { leads_until_ = {}; }

    // The end of the lead unless it is renewed; in the past: no lead.
    [[nodiscard]] Instant leads_until() const { return leads_until_; }
    [[nodiscard]] bool leads(Instant now) const { return now < leads_until_; }

private:
    const std::string identity_;
    const std::chrono::milliseconds duration_;
    std::optional<LeaseRecord> record_;
    Instant changed_at_{};  // When the record last became another than before.
    Instant leads_until_{};
};

// The object to write: as it was read (empty: a new one), held by `identity` from `now_text` on. An empty identity
// gives it up.
struct LeaseWriting {
    std::string ns;
    std::string name;
    std::string identity;
    std::chrono::seconds duration{15};
    std::string now_text;  // "2026-01-31T12:00:00.000000Z".
};
[[nodiscard]] base::Result<std::string> written_lease(std::string_view object, const LeaseWriting& writing);

struct LeaseHolderOptions {
    std::string ns;
    std::string name;
    std::string identity;  // Ours alone: "hostname_random".
    std::chrono::seconds duration{15};
    // Between two looks at the Lease; zero: a seventh of the duration (2 s of 15).
    std::chrono::milliseconds interval{0};
    std::function<LeaseTerm::Instant()> clock = std::chrono::steady_clock::now;
};

class LeaseHolder {
public:
    // Called on the holder's thread: at first, with every renewal, and on a loss. nullopt: doesn't lead; else leads
    // until then, unless a later end comes.
    using Tell = std::function<void(std::optional<LeaseTerm::Instant> until)>;
    using Log = std::function<void(const std::string& sentence)>;  // Rate-limited by the holder.

    LeaseHolder(std::shared_ptr<Credentials> credentials, LeaseHolderOptions options, Tell tell, Log log);
    // Gives the Lease up if it is ours and the server answers within a second. Requires: nobody acts any more.
    ~LeaseHolder();
    LeaseHolder(const LeaseHolder&) = delete;
    LeaseHolder& operator=(const LeaseHolder&) = delete;

private:
    void run(const std::stop_token& stop);
    void look();
    void write(LeaseTerm::Step step, const std::string& object);
    void tell_now();
    void give_up();
    [[nodiscard]] HttpRequest request(const std::string& method, bool names_it) const;
    void say(const std::string& sentence);

    const LeaseHolderOptions options_;
    const std::chrono::milliseconds interval_;
    const std::chrono::milliseconds retry_period_;
    const Tell tell_;
    const Log log_;
    const std::shared_ptr<Credentials> credentials_;

    // Used by the thread alone, except for `cancel`.
    HttpClient client_;
    LeaseTerm term_;
    LogRateLimiter gate_;
    std::optional<LeaseTerm::Instant> told_;
    bool has_reported_ = false;
    std::string object_;  // The Lease as it was read or written last; empty: none.

    std::mutex pause_mutex_;
    std::condition_variable_any pause_;
    std::jthread thread_;  // Last: it uses everything above.
};

// "hostname_" and 32 random digits: no two processes have the same.
[[nodiscard]] std::string new_identity();

}  // namespace echelon::kube

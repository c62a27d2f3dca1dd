#pragma once

// May this echelon act? Takes echelon's own Lease, renews it, and steps down if a renewal fails (I9, leader.mode own).
//
// A lead ends by our own clock before another process may take the Lease. Its users know that end, and stop then
// without further notice. Two processes may still act for a moment, after one was suspended; preconditions and re-reads
// keep that safe. `LeaseTerm` is pure and not thread-safe; a `LeaseHolder` is one thread.

#include "base/result.hpp"
#include "kube/client/credentials.hpp"
#include "kube/client/http_client.hpp"
#include "kube/client/limited_log.hpp"
#include "kube/lease/lease_follower.hpp"

#include <chrono>
#include <functional>
#include <memory>
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
        create,  // No Lease exists.
        take,    // It is released, or was not renewed for its duration by our own clock.
        renew,   // We hold it.
        wait,    // Another process holds it.
    };

    LeaseTerm(std::string identity, std::chrono::milliseconds duration)
        : identity_(std::move(identity)), duration_(duration) {}

    // The Lease was read, and the answer arrived at `answered_at`; nullopt: no Lease exists. Returns what to do.
    // Another's lead counts from then, since it may have been renewed at any moment before.
    Step observe(const std::optional<LeaseRecord>& record, Instant answered_at);
    // Our write, sent at `sent_at`, was accepted with this Lease. Our lead counts from `sent_at`, and lasts no longer
    // than the Lease.
    void wrote(const LeaseRecord& record, Instant sent_at);
    // Another process holds the Lease.
    void lose() { leads_until_ = {}; }

    // The end of the lead unless it is renewed; in the past: no lead.
    [[nodiscard]] Instant leads_until() const { return leads_until_; }
    [[nodiscard]] bool leads(Instant now) const { return now < leads_until_; }

private:
    const std::string identity_;
    const std::chrono::milliseconds duration_;
    std::optional<LeaseRecord> record_;
    Instant changed_at_{};  // When the record last changed.
    Instant leads_until_{};
};

// The Lease to write: `object` as it was read (empty: a new one), held by `identity` from `now_text` on. An empty
// identity releases it.
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
    std::string identity;  // Unique to this process: "hostname_random".
    std::chrono::seconds duration{15};
    // Between two reads of the Lease; zero: 2/15 of the duration (2 s of 15).
    std::chrono::milliseconds interval{0};
    std::function<LeaseTerm::Instant()> clock = std::chrono::steady_clock::now;
};

class LeaseHolder {
public:
    // Called on the holder's thread: first, with every renewal, and on a loss. `until`: the end of the lead; nullopt:
    // doesn't lead.
    using Report = std::function<void(std::optional<LeaseTerm::Instant> until)>;
    using Log = std::function<void(const std::string& sentence)>;  // Rate-limited by the holder.

    LeaseHolder(std::shared_ptr<Credentials> credentials, LeaseHolderOptions options, Report report, Log log);
    // If we hold the Lease: reports the end of the lead, then releases the Lease if the server answers within a second.
    // Requires: this echelon plans nothing any more.
    ~LeaseHolder();
    LeaseHolder(const LeaseHolder&) = delete;
    LeaseHolder& operator=(const LeaseHolder&) = delete;

private:
    void run(const std::stop_token& stop);
    void check();
    void write(LeaseTerm::Step step, const std::string& object);
    void report_lead();
    void release();
    [[nodiscard]] HttpAnswer put_without_holder(HttpClient& client, const std::string& object) const;
    [[nodiscard]] HttpRequest request(const std::string& method, bool names_it) const;

    const LeaseHolderOptions options_;
    const std::chrono::milliseconds interval_;
    const std::chrono::milliseconds retry_period_;
    const Report report_;
    LimitedLog log_;
    const std::shared_ptr<Credentials> credentials_;

    // Used only by the thread, except for `cancel`.
    HttpClient client_;
    LeaseTerm term_;
    std::optional<LeaseTerm::Instant> reported_;
    bool has_reported_ = false;
    std::string object_;  // The Lease as it was read or written last; empty: none.

    std::jthread thread_;  // Last member: it uses the others.
};

// "hostname_" and 32 random digits, unique to this process.
[[nodiscard]] std::string new_identity();

}  // namespace echelon::kube

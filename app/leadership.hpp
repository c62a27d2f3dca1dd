#pragma once

// Does this echelon lead, until when, and has it led before?
//
// The thread of the Lease writes it, and all others read it. Thread-safe.

#include "config/settings.hpp"
#include "kube/lease/lead.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

namespace echelon::app {

class Leadership {
public:
    using Instant = kube::Lead::Instant;

    explicit Leadership(config::LeaderMode mode)
        : mode_(mode), until_(mode == config::LeaderMode::none ? Instant::max() : Instant::min()) {}

    // nullopt: the lead is lost, or was not obtained. Returns whether that is a change.
    bool update(std::optional<Instant> until);

    [[nodiscard]] bool leads() const { return std::chrono::steady_clock::now() < until_.load(); }
    // True if callers should ask another echelon. With `follow`, an echelon that never led may still be asked about
    // pods of no gang.
    [[nodiscard]] bool has_lost() const;
    // For writes that are requested now; null: they have no time limit.
    [[nodiscard]] std::shared_ptr<const kube::Lead> current() const;

private:
    const config::LeaderMode mode_;
    std::atomic<Instant> until_;
    std::atomic<bool> has_led_ = false;

    mutable std::mutex mutex_;
    std::shared_ptr<kube::Lead> lead_;  // Guarded by mutex_: the current one or the last.
    bool was_leading_ = false;          // Guarded by mutex_.
};

}  // namespace echelon::app

#pragma once

// Are the TLS files that lie there now in use? What can't be used is logged at once, and again every ten minutes.
//
// `look` is called by one thread; `trouble` by any.

#include "base/result.hpp"

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

namespace echelon::app {

class TlsWatch {
public:
    using Instant = std::chrono::steady_clock::time_point;
    using Check = std::function<base::Result<void>()>;
    using Log = std::function<void(const std::string& sentence)>;

    // `check`: whether the files can be used now.
    TlsWatch(Check check, Log inform, Log complain)
        : check_(std::move(check)), inform_(std::move(inform)), complain_(std::move(complain)) {}

    // `reloaded`: whether files have changed since the last look and are in use, or why they can't be used.
    void look(const base::Result<bool>& reloaded, Instant now);
    // Why the files that lie there are not in use; empty: they are.
    [[nodiscard]] std::string trouble() const;

private:
    const Check check_;
    const Log inform_;
    const Log complain_;
    Instant complained_at_{};
    mutable std::mutex mutex_;
    std::string trouble_;  // Guarded by mutex_.
};

}  // namespace echelon::app

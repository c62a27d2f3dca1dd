#pragma once

// Which of the kinds that pods name are not served by the API server? References to such a kind are ignored, and the
// next source decides the pod's group (A1).
//
// `UnservedKinds` is a value. `ServedKinds` is thread-safe: the threads that watch the kinds report to it, and the
// thread that reads pods asks it.

#include "kube/client/watched_kind.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <stop_token>
#include <string_view>

namespace echelon::kube {

using KindBits = std::uint64_t;  // A set of rows of `watched_kinds`.
static_assert(watched_kinds.size() <= std::numeric_limits<KindBits>::digits);

// The bit of a kind in a set of kinds; 0 for one that pods don't name.
[[nodiscard]] constexpr KindBits kind_bit(std::string_view resource, std::string_view group) {
    const auto row = std::ranges::find_if(watched_kinds, [&](const WatchedKind& kind) {
        return kind.resource == resource && kind.group == group && kind.is_named_by_pods;
    });
    return row == watched_kinds.end() ? 0 : KindBits{1} << (row - watched_kinds.begin());
}

// The default is that every kind is served: pods then wait for the object that they name.
struct UnservedKinds {
    KindBits kinds = 0;

    [[nodiscard]] constexpr bool has(KindBits bits) const { return (kinds & bits) != 0; }
    bool operator==(const UnservedKinds&) const = default;
};

class ServedKinds {
public:
    // `changed` is called on the reporting thread whenever `unserved` changes.
    explicit ServedKinds(std::function<void()> changed = {}) : changed_(std::move(changed)) {}

    void report(const WatchedKind& kind, bool is_served);
    // Waits until every kind was reported, at most this long.
    void wait_for_all(const std::stop_token& stop, std::chrono::milliseconds at_most);

    [[nodiscard]] UnservedKinds unserved() const { return {unserved_.load(std::memory_order_relaxed)}; }

private:
    const std::function<void()> changed_;
    std::mutex mutex_;
    std::condition_variable_any reported_;
    KindBits known_ = 0;                 // Guarded by mutex_.
    std::atomic<KindBits> unserved_{0};  // Written under mutex_.
};

}  // namespace echelon::kube

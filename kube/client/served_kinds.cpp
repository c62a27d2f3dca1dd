#include "kube/client/served_kinds.hpp"

namespace echelon::kube {

namespace {

constexpr KindBits all_kinds() {
    KindBits bits = 0;
    for (const WatchedKind& kind : watched_kinds)
        bits |= kind_bit(kind.resource, kind.group);
    return bits;
}

}  // namespace

void ServedKinds::report(const WatchedKind& kind, bool is_served) {
    const KindBits bit = kind_bit(kind.resource, kind.group);
    bool is_new = false;
    {
        const std::lock_guard lock(mutex_);
        const KindBits before = unserved_.load(std::memory_order_relaxed);
        const KindBits now = is_served ? before & ~bit : before | bit;
        unserved_.store(now, std::memory_order_relaxed);
        is_new = now != before;
        known_ |= bit;
    }
    reported_.notify_all();
    if (is_new && changed_)
        changed_();
}

void ServedKinds::wait_for_all(const std::stop_token& stop, std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    reported_.wait_for(lock, stop, at_most, [this] { return known_ == all_kinds(); });
}

}  // namespace echelon::kube

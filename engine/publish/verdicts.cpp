#include "engine/publish/verdicts.hpp"

#include <algorithm>

namespace echelon::engine {

std::size_t Verdicts::place_of(base::Hashed uid) {
    return uid.hash() % (shard_count * bucket_count);
}

const Verdicts::Bucket* Verdicts::bucket_at(std::size_t place) const {
    const auto* shard = table_ != nullptr ? (*table_)[place / bucket_count].get() : nullptr;
    return shard != nullptr ? (*shard)[place % bucket_count].get() : nullptr;
}

Verdicts::Bucket::const_iterator Verdicts::find_in(const Bucket& bucket, base::Hashed uid) {
    return std::ranges::find_if(bucket, [uid](const auto& entry) { return entry.first == uid; });
}

const Verdict* Verdicts::find(base::Hashed uid) const {
    const auto* bucket = bucket_at(place_of(uid));
    if (bucket == nullptr)
        return nullptr;
    const auto found = find_in(*bucket, uid);
    return found == bucket->end() ? nullptr : &found->second;
}

namespace {

// Makes the part writable: copies it if it is shared.
template <typename Part>
Part& open(std::shared_ptr<Part>& part, bool is_open) {
    if (!is_open)
        part = part != nullptr ? std::make_shared<Part>(*part) : std::make_shared<Part>();
    return *part;
}

}  // namespace

// The bucket, ready to be written to.
Verdicts::Bucket& Verdicts::opened(std::size_t place) {
    auto& table = open(table_, std::exchange(is_open_, true));
    auto& shard = open(table[place / bucket_count], open_shards_.test(place / bucket_count));
    open_shards_.set(place / bucket_count);
    auto& bucket = open(shard[place % bucket_count], open_buckets_.test(place));
    open_buckets_.set(place);
    return bucket;
}

void Verdicts::put(const base::Text& uid, Verdict verdict) {
    const auto place = place_of(uid);
    const auto* now = bucket_at(place);
    const auto at = now == nullptr ? 0 : find_in(*now, uid) - now->begin();
    const bool is_known = now != nullptr && at < std::ssize(*now);
    if (is_known && (*now)[static_cast<std::size_t>(at)].second == verdict)
        return;
    auto& bucket = opened(place);
    if (is_known) {
        bucket[static_cast<std::size_t>(at)].second = std::move(verdict);
    } else {
        bucket.emplace_back(uid, std::move(verdict));
    }
}

void Verdicts::erase(base::Hashed uid) {
    const auto* verdict = find(uid);
    if (verdict == nullptr)
        return;
    const auto place = place_of(uid);
    const auto at = find_in(*bucket_at(place), uid) - bucket_at(place)->begin();
    auto& bucket = opened(place);
    std::swap(bucket[static_cast<std::size_t>(at)], bucket.back());
    bucket.pop_back();
}

Verdicts Verdicts::shared() {
    if (!std::exchange(is_open_, false))
        return *this;
    open_shards_.reset();
    open_buckets_.reset();
    return *this;
}

}  // namespace echelon::engine

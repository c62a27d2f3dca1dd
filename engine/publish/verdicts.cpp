#include "engine/publish/verdicts.hpp"

#include <optional>
#include <utility>

namespace echelon::engine {

namespace {

// Where the pod is in its bucket; nullopt: it isn't there.
std::optional<std::size_t> index_in(const auto* bucket, base::Hashed uid) {
    for (std::size_t at = 0; bucket != nullptr && at < bucket->size(); ++at) {
        if ((*bucket)[at].first == uid)
            return at;
    }
    return std::nullopt;
}

}  // namespace

std::size_t Verdicts::place_of(base::Hashed uid) {
    return uid.hash() % (shard_count * bucket_count);
}

const Verdicts::Bucket* Verdicts::bucket_at(std::size_t place) const {
    const auto* shard = table_ != nullptr ? (*table_)[place / bucket_count].get() : nullptr;
    return shard != nullptr ? (*shard)[place % bucket_count].get() : nullptr;
}

const Verdict* Verdicts::find(base::Hashed uid) const {
    const auto* bucket = bucket_at(place_of(uid));
    const auto at = index_in(bucket, uid);
    return at ? &(*bucket)[*at].second : nullptr;
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
    const auto at = index_in(now, uid);
    if (at && (*now)[*at].second == verdict)
        return;
    auto& bucket = opened(place);
    if (at) {
        bucket[*at].second = std::move(verdict);
    } else {
        bucket.emplace_back(uid, std::move(verdict));
    }
}

void Verdicts::erase(base::Hashed uid) {
    const auto place = place_of(uid);
    const auto at = index_in(bucket_at(place), uid);
    if (!at)
        return;
    auto& bucket = opened(place);
    std::swap(bucket[*at], bucket.back());
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

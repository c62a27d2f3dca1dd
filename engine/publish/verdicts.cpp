#include "engine/publish/verdicts.hpp"

#include "engine/publish/name_hash.hpp"

#include <algorithm>

namespace echelon::engine {

std::size_t Verdicts::place_of(std::string_view uid) {
    return name_hash(uid) % (shard_count * bucket_count);
}

const Verdicts::Bucket* Verdicts::bucket_at(std::size_t place) const {
    const auto* shard = table_ != nullptr ? (*table_)[place / bucket_count].get() : nullptr;
    return shard != nullptr ? (*shard)[place % bucket_count].get() : nullptr;
}

const Verdict* Verdicts::find(std::string_view uid) const {
    const auto* bucket = bucket_at(place_of(uid));
    if (bucket == nullptr)
        return nullptr;
    const auto found = std::ranges::find(*bucket, uid, &Bucket::value_type::first);
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

void Verdicts::put(const std::string& uid, Verdict verdict) {
    const auto* known = find(uid);
    if (known != nullptr && *known == verdict)
        return;
    auto& bucket = opened(place_of(uid));
    if (known == nullptr) {
        bucket.emplace_back(uid, std::move(verdict));
    } else {
        std::ranges::find(bucket, uid, &Bucket::value_type::first)->second = std::move(verdict);
    }
}

void Verdicts::erase(std::string_view uid) {
    if (find(uid) == nullptr)
        return;
    auto& bucket = opened(place_of(uid));
    std::swap(*std::ranges::find(bucket, uid, &Bucket::value_type::first), bucket.back());
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

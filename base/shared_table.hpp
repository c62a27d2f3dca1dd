#pragma once

// How does a table of thousands of entries give copies of itself away, again and again? A copy shares everything. A
// change copies one bucket and the three short arrays on the way to it, and those only if somebody shares them.
//
// The caller knows the keys: it passes the hash, and a function that recognizes the entry. A copy is as independent,
// and a table as thread-safe, as a value.

#include "base/copy_on_write.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace echelon::base {

template <typename Entry>
class SharedTable {
public:
    // Null: there is none. Valid until the next change.
    template <typename Is>
    [[nodiscard]] const Entry* find(std::size_t hash, const Is& is_wanted) const {
        const auto& bucket = bucket_of(hash);
        const auto at = index_in(bucket, is_wanted);
        return at < bucket.size() ? &bucket[at] : nullptr;
    }
    // Adds the entry, or replaces the one that is recognized. If they are equal nothing is copied.
    template <typename Is>
    void put(std::size_t hash, const Is& is_it, Entry entry) {
        const auto& present = bucket_of(hash);
        const auto at = index_in(present, is_it);
        if (at < present.size() && present[at] == entry)
            return;
        auto& bucket = edit(hash);
        if (at < bucket.size()) {
            bucket[at] = std::move(entry);
        } else {
            bucket.push_back(std::move(entry));
            ++size_;
        }
    }
    // False: there was none.
    template <typename Is>
    bool erase(std::size_t hash, const Is& is_it) {
        const auto at = index_in(bucket_of(hash), is_it);
        if (at == bucket_of(hash).size())
            return false;
        auto& bucket = edit(hash);
        std::swap(bucket[at], bucket.back());
        bucket.pop_back();
        --size_;
        return true;
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    // Calls `take(entry)` for each entry, in no particular order.
    template <typename Take>
    void for_each(const Take& take) const {
        for (const auto& hall : *root_) {
            for (const auto& row : *hall) {
                for (const auto& bucket : *row) {
                    for (const auto& entry : *bucket)
                        take(entry);
                }
            }
        }
    }

private:
    static constexpr std::size_t width = 16;  // 4,096 buckets.
    using Bucket = std::vector<Entry>;
    using Row = std::array<CopyOnWrite<Bucket>, width>;
    using Hall = std::array<CopyOnWrite<Row>, width>;
    using Root = std::array<CopyOnWrite<Hall>, width>;

    [[nodiscard]] const Bucket& bucket_of(std::size_t hash) const {
        return *(*(*(*root_)[hash / width / width % width])[hash / width % width])[hash % width];
    }
    [[nodiscard]] Bucket& edit(std::size_t hash) {
        auto& hall = root_.edit()[hash / width / width % width];
        return hall.edit()[hash / width % width].edit()[hash % width].edit();
    }
    // The size of the bucket: it isn't there.
    template <typename Is>
    [[nodiscard]] static std::size_t index_in(const Bucket& bucket, const Is& is_wanted) {
        std::size_t at = 0;
        while (at < bucket.size() && !is_wanted(bucket[at]))
            ++at;
        return at;
    }

    CopyOnWrite<Root> root_;
    std::size_t size_ = 0;
};

}  // namespace echelon::base

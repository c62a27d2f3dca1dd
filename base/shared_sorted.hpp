#pragma once

// How does a sorted table of thousands of entries give copies of itself away, again and again? A copy shares
// everything. A change copies one chunk and the list of chunks, and those only if somebody shares them.
//
// For keys that tenants choose: unlike a hash table, it takes the same time whatever they are. A copy is as
// independent, and a table as thread-safe, as a value.

#include "base/copy_on_write.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::base {

template <typename Value>
class SharedSorted {
public:
    using Entry = std::pair<std::string, Value>;  // Key and value.

    // Null: there is none. Valid until the next change.
    [[nodiscard]] const Entry* find(std::string_view key) const {
        if (size_ == 0)
            return nullptr;
        const auto& chunk = *(*chunks_)[chunk_of(key)];
        const auto at = place_in(chunk, key);
        return at < chunk.size() && chunk[at].first == key ? &chunk[at] : nullptr;
    }
    // Adds the entry, or replaces the one with its key.
    void put(Entry entry) {
        auto& chunks = chunks_.edit();
        if (chunks.empty())
            chunks.emplace_back();
        const auto number = chunk_of(entry.first);
        auto& chunk = chunks[number].edit();
        const auto at = chunk.begin() + static_cast<std::ptrdiff_t>(place_in(chunk, entry.first));
        if (at != chunk.end() && at->first == entry.first) {
            *at = std::move(entry);
            return;
        }
        chunk.insert(at, std::move(entry));
        ++size_;
        if (chunk.size() > most)
            split(chunks, number);
    }
    // False: there was none.
    bool erase(std::string_view key) {
        if (find(key) == nullptr)
            return false;
        auto& chunks = chunks_.edit();
        const auto number = static_cast<std::ptrdiff_t>(chunk_of(key));
        auto& chunk = chunks[static_cast<std::size_t>(number)].edit();
        chunk.erase(chunk.begin() + static_cast<std::ptrdiff_t>(place_in(chunk, key)));
        --size_;
        if (chunk.empty())
            chunks.erase(chunks.begin() + number);
        return true;
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    // Calls `take(entry)` for each entry, by key.
    template <typename Take>
    void for_each(const Take& take) const {
        for (const auto& chunk : *chunks_) {
            for (const auto& entry : *chunk)
                take(entry);
        }
    }

private:
    static constexpr std::size_t most = 64;  // Entries of a chunk.
    using Chunk = std::vector<Entry>;
    using Chunks = std::vector<CopyOnWrite<Chunk>>;  // Sorted; none is empty, unless the table is.

    // The last chunk that begins at the key or before it; the first one if none does.
    [[nodiscard]] std::size_t chunk_of(std::string_view key) const {
        if (size_ == 0)
            return 0;
        const auto first_key = [](const CopyOnWrite<Chunk>& chunk) { return std::string_view(chunk->front().first); };
        const auto behind = std::ranges::upper_bound(*chunks_, key, {}, first_key);
        return static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, behind - chunks_->begin()) - 1);
    }
    [[nodiscard]] static std::size_t place_in(const Chunk& chunk, std::string_view key) {
        return static_cast<std::size_t>(std::ranges::lower_bound(chunk, key, {}, &Entry::first) - chunk.begin());
    }
    static void split(Chunks& chunks, std::size_t number) {
        auto& chunk = chunks[number].edit();
        const auto half = chunk.begin() + most / 2;
        Chunk second(std::make_move_iterator(half), std::make_move_iterator(chunk.end()));
        chunk.erase(half, chunk.end());
        chunks.insert(chunks.begin() + static_cast<std::ptrdiff_t>(number) + 1, CopyOnWrite(std::move(second)));
    }

    CopyOnWrite<Chunks> chunks_;
    std::size_t size_ = 0;
};

}  // namespace echelon::base

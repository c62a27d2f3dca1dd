#pragma once

// Which room on nodes is promised to gangs, and does a pod of no gang fit beside it? (PR1 to PR3)
//
// Part of the published state: constant, and so thread-safe. filter asks about thousands of names at once, few of which
// have promises. For any other name the answer costs a few instructions (PR4).

#include "engine/publish/name_hash.hpp"
#include "engine/time.hpp"
#include "model/facts/plain_pod.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::engine {

// Which promises bind the plain pods of a profile.
enum class Protection : std::uint8_t {
    promised,  // All of them.
    holds,     // All but reserved domains.
    none,
};

// What is promised on a node. Nodes with equal promises share one object.
struct PromisedRoom {
    // What is left for pods of at most this priority, beside everything that is promised to gangs of this priority and
    // above. Only resources that are promised are listed.
    struct Left {
        std::int64_t priority = 0;
        std::vector<std::pair<std::string, std::int64_t>> amounts;  // May be negative.

        auto operator<=>(const Left&) const = default;
    };
    // The node is reserved: all its free room is kept, but for pods that have ended by `free_by` (Q6).
    struct Reserved {
        std::int64_t priority = 0;
        Time until{0};
        Time free_by{0};

        auto operator<=>(const Reserved&) const = default;
    };
    std::vector<Left> left;  // The highest priority first.
    std::vector<Reserved> reserved;

    // The pod doesn't fit beside what is promised.
    [[nodiscard]] bool keep_out(const model::PlainPod& pod, Protection protection, Time now) const;

    auto operator<=>(const PromisedRoom&) const = default;
};

struct NodePromises {
    std::string node;
    std::shared_ptr<const PromisedRoom> room;  // Never null.
};

class Promises {
public:
    static constexpr std::size_t shard_count = 64;
    struct Entry {
        NameHash hash = 0;
        std::shared_ptr<const NodePromises> promises;
    };
    struct Shard {
        std::array<std::uint64_t, 16> bits{};  // One bit is set for each entry, by its hash.
        std::vector<Entry> entries;            // By hash.
        // Index into `entries` by hash. The size is a power of two, and at least half of the slots are free.
        std::vector<std::uint32_t> slots;
    };
    using Shards = std::array<std::shared_ptr<const Shard>, shard_count>;  // Null: empty.

    Promises() = default;
    // `count`: of all entries.
    Promises(Shards shards, std::size_t count)
        : shards_(std::make_shared<const Shards>(std::move(shards))), count_(count) {}

    [[nodiscard]] bool empty() const { return count_ == 0; }
    [[nodiscard]] std::size_t size() const { return count_; }
    // Null: nothing is promised there. `hash` is that of the name.
    [[nodiscard]] const NodePromises* on(NameHash hash, std::string_view node) const {
        const auto* shard = shards_ ? (*shards_)[shard_of(hash)].get() : nullptr;
        return shard != nullptr && may_contain(*shard, hash) ? found_in(*shard, hash, node) : nullptr;
    }
    [[nodiscard]] const NodePromises* on(std::string_view node) const { return on(name_hash(node), node); }

    [[nodiscard]] static std::size_t shard_of(NameHash hash) { return hash % shard_count; }
    [[nodiscard]] static std::shared_ptr<const Shard> made_of(std::vector<Entry> entries);

private:
    static constexpr unsigned bit_shift = 6;  // The lower bits choose the shard.
    [[nodiscard]] static std::pair<std::size_t, std::uint64_t> bit_of(NameHash hash) {
        const auto place = (hash >> bit_shift) % 1024;
        return {place / 64, 1ULL << (place % 64)};
    }
    [[nodiscard]] static bool may_contain(const Shard& shard, NameHash hash) {
        const auto [word, bit] = bit_of(hash);
        return (shard.bits[word] & bit) != 0;
    }
    static constexpr std::uint32_t free_slot = UINT32_MAX;
    [[nodiscard]] static std::size_t slot_of(const Shard& shard, NameHash hash) {
        return (hash >> 16U) & (shard.slots.size() - 1);
    }
    [[nodiscard]] static const NodePromises* found_in(const Shard& shard, NameHash hash, std::string_view node) {
        for (auto at = slot_of(shard, hash); shard.slots[at] != free_slot; at = (at + 1) & (shard.slots.size() - 1)) {
            const auto& entry = shard.entries[shard.slots[at]];
            if (entry.hash == hash && entry.promises->node == node)
                return entry.promises.get();
        }
        return nullptr;
    }

    std::shared_ptr<const Shards> shards_;  // Null: empty.
    std::size_t count_ = 0;
};

}  // namespace echelon::engine

#pragma once

// Which room on nodes is promised to gangs, and does a pod of no gang fit beside it? (PR1 to PR3)
//
// Part of the published state: constant, and so thread-safe. filter asks about thousands of names at once, few of which
// have promises. For any other name the answer costs a few instructions (PR4).

#include "base/copy_on_write.hpp"
#include "base/text.hpp"
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
    base::Text node;
    std::shared_ptr<const PromisedRoom> room;  // Never null.
};

class Promises {
public:
    static constexpr std::size_t shard_count = 64;
    struct Entry {
        NameHash hash = 0;
        std::shared_ptr<const NodePromises> promises;
    };
    // What is left of one resource; `resource` is an index into those of the shard.
    struct Amount {
        std::uint32_t resource = 0;
        std::int64_t left = 0;
    };
    // A copy of what filter reads of an entry. It lies beside those of the others, so that it costs no look elsewhere.
    struct Brief {
        NameHash hash = 0;
        std::uint32_t name = 0;  // Offset of the name in `names`.
        std::uint32_t name_size = 0;
        std::int64_t priority = 0;
        std::uint32_t first = 0;  // Of `amounts`. Neighbours with one room share them.
        std::uint32_t last = 0;
        bool is_simple = false;  // One priority and no reserved domain: the fields above say everything.
    };
    struct Shard {
        std::array<std::uint64_t, 16> bits{};  // One bit is set for each entry, by its hash.
        std::vector<Entry> entries;
        std::vector<Brief> briefs;  // [entry]
        std::string names;
        std::vector<std::string> resources;
        std::vector<Amount> amounts;
        // Index into `entries` by hash. The size is a power of two, and at least half of the slots are free.
        std::vector<std::uint32_t> slots;
    };
    struct Found {
        const Shard* shard = nullptr;  // Null: nothing is promised there.
        std::uint32_t entry = 0;
    };

    // Replaces all entries of a shard. A copy shares the others.
    void set(std::size_t shard, std::vector<Entry> entries);

    [[nodiscard]] bool empty() const { return count_ == 0; }
    [[nodiscard]] std::size_t size() const { return count_; }
    // `hash` is that of the name.
    [[nodiscard]] Found find(NameHash hash, std::string_view node) const {
        const auto* shard = (*shards_)[shard_of(hash)].get();
        return shard != nullptr && may_contain(*shard, hash) ? found_in(*shard, hash, node) : Found{};
    }
    // Null: nothing is promised there.
    [[nodiscard]] const NodePromises* on(std::string_view node) const {
        const auto found = find(name_hash(node), node);
        return found.shard == nullptr ? nullptr : found.shard->entries[found.entry].promises.get();
    }

    [[nodiscard]] static std::size_t shard_of(NameHash hash) { return hash % shard_count; }

private:
    using Shards = std::array<std::shared_ptr<const Shard>, shard_count>;  // Null: empty.
    [[nodiscard]] static std::shared_ptr<const Shard> made_of(std::vector<Entry> entries);
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
    [[nodiscard]] static Found found_in(const Shard& shard, NameHash hash, std::string_view node);
    static void add_brief(const Entry& entry, Shard& shard);

    base::CopyOnWrite<Shards> shards_;
    std::size_t count_ = 0;  // Of all entries.
};

// Must one pod of no gang stay off nodes? The same as PromisedRoom::keep_out, for thousands of nodes.
class PodOnPromises {
public:
    PodOnPromises(const model::PlainPod& pod, Protection protection, Time now)
        : pod_(pod), protection_(protection), now_(now) {}

    // Requires: the promises outlive the last call.
    [[nodiscard]] bool keep_out(const Promises::Found& found) {
        const auto& brief = found.shard->briefs[found.entry];
        if (!brief.is_simple || protection_ == Protection::none || pod_.is_exempt)
            return found.shard->entries[found.entry].promises->room->keep_out(pod_, protection_, now_);
        if (brief.priority < pod_.priority)
            return false;
        auto& wanted = wanted_[Promises::shard_of(brief.hash)];
        if (wanted.empty())
            look_at(*found.shard, wanted);
        const auto* const amounts = found.shard->amounts.data();
        for (auto at = brief.first; at < brief.last; ++at) {
            if (wanted.data()[amounts[at].resource] > amounts[at].left)
                return true;
        }
        return false;
    }

private:
    using Wanted = std::vector<std::int64_t>;  // [resource of the shard] Far below zero: nothing.
    void look_at(const Promises::Shard& shard, Wanted& wanted) const;

    const model::PlainPod& pod_;
    const Protection protection_;
    const Time now_;
    std::array<Wanted, Promises::shard_count> wanted_;  // Empty: not looked at yet.
};

}  // namespace echelon::engine

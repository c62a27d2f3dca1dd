#pragma once

// What does filter answer for each pod?
//
// A copy shares everything that has not changed since. The table has 64 shards of 64 small buckets, and a change copies
// one shard and one bucket, however many pods there are. Not thread-safe; copies are independent.

#include "base/hashed.hpp"
#include "base/text.hpp"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::engine {

// What filter answers for one pod.
struct Verdict {
    enum class Kind : std::uint8_t {
        pinned,   // Exactly `node`, if it was offered.
        refused,  // No node, and `text` says why.
    };
    Kind kind = Kind::refused;
    base::Text node;
    // Only if refused. Begins with "echelon: ", and stays the same while reason and level do (rule R15).
    base::Text text;
    base::Text gang;  // "namespace/name" of the root.

    bool operator==(const Verdict&) const = default;
};

class Verdicts {
public:
    // Null: there is no verdict. Valid until the next change.
    [[nodiscard]] const Verdict* find(base::Hashed uid) const;
    void put(const base::Text& uid, Verdict verdict);
    void erase(base::Hashed uid);
    // A copy for a published state. What it shares is never written to afterwards.
    [[nodiscard]] Verdicts shared();

    // Calls `take(uid, verdict)` for each pod, in no order.
    template <typename Take>
    void for_each(const Take& take) const {
        for (std::size_t place = 0; place < shard_count * bucket_count; ++place) {
            const auto* bucket = bucket_at(place);
            for (std::size_t at = 0; bucket != nullptr && at < bucket->size(); ++at)
                take((*bucket)[at].first, (*bucket)[at].second);
        }
    }

private:
    static constexpr std::size_t shard_count = 64;
    static constexpr std::size_t bucket_count = 64;  // Buckets of a shard.
    using Bucket = std::vector<std::pair<base::Text, Verdict>>;
    using Shard = std::array<std::shared_ptr<Bucket>, bucket_count>;  // Null: empty.
    using Table = std::array<std::shared_ptr<Shard>, shard_count>;    // Null: empty.

    [[nodiscard]] static std::size_t place_of(base::Hashed uid);
    [[nodiscard]] const Bucket* bucket_at(std::size_t place) const;
    [[nodiscard]] Bucket& opened(std::size_t place);

    std::shared_ptr<Table> table_;  // Null: empty.
    // Copied since the last `shared`: not shared with anything.
    bool is_open_ = false;
    std::bitset<shard_count> open_shards_;
    std::bitset<shard_count * bucket_count> open_buckets_;
};

}  // namespace echelon::engine

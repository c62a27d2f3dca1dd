#pragma once

// Which gangs are there, for /v1/explain and /debug?
//
// A copy shares everything that has not changed since: a change copies one of 64 shards. Not thread-safe; copies are
// independent.

#include "model/facts/plan_record.hpp"

#include <array>
#include <bitset>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::engine {

struct GangView {
    model::PlanRecord record;
    std::size_t members = 0;  // Pods that exist.
    std::size_t waiting_at_barrier = 0;
};

class GangViews {
public:
    using View = std::shared_ptr<const GangView>;

    // `name`: "namespace/name" of the GangPlan. Null: there is none.
    [[nodiscard]] View find(std::string_view name) const;
    [[nodiscard]] std::size_t size() const;
    // By name.
    [[nodiscard]] std::vector<std::pair<std::string, View>> sorted() const;
    void put(const std::string& name, GangView view);
    void erase(std::string_view name);
    // A copy for a published state. What it shares is never written to afterwards.
    [[nodiscard]] GangViews shared();

private:
    static constexpr std::size_t shard_count = 64;
    using Shard = std::map<std::string, View, std::less<>>;
    using Table = std::array<std::shared_ptr<Shard>, shard_count>;  // Null: empty.

    [[nodiscard]] static std::size_t place_of(std::string_view name);
    [[nodiscard]] const Shard* shard_of(std::string_view name) const;
    [[nodiscard]] Shard& opened(std::size_t place);

    std::shared_ptr<Table> table_;  // Null: empty.
    // Copied since the last `shared`: not shared with anything.
    bool is_open_ = false;
    std::bitset<shard_count> open_shards_;
};

}  // namespace echelon::engine

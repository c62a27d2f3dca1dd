#pragma once

// May kube-scheduler evict these pods of one node for another pod? The shield protects gangs against kube-scheduler's
// own preemption (PR6).
//
// Part of the published state: constant, and so thread-safe.

#include "engine/publish/name_hash.hpp"
#include "model/gang/running_gang.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace echelon::engine {

class Shield {
public:
    static constexpr std::size_t shard_count = 64;
    // UID of a bound member -> the gang, with groups and the UIDs of all bound members.
    using Shard = std::unordered_map<std::string, std::shared_ptr<const model::RunningGang>>;
    using Shards = std::array<std::shared_ptr<const Shard>, shard_count>;  // Null: empty.

    Shield() = default;
    explicit Shield(Shards shards) : shards_(std::move(shards)) {}

    // True if every gang keeps its minimum and loses whole units only (U1). Pods of no gang may always go. Costs a walk
    // over the gangs of the victims.
    [[nodiscard]] bool allows(std::span<const std::string> victims) const;

    [[nodiscard]] static std::size_t shard_of(std::string_view uid) { return name_hash(uid) % shard_count; }

private:
    [[nodiscard]] std::shared_ptr<const model::RunningGang> gang_of(const std::string& uid) const;

    Shards shards_;
};

}  // namespace echelon::engine

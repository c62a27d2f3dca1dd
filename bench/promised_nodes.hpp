#pragma once

// Promises on many nodes, for measurements of filter: all room of each is promised.

#include "engine/publish/promises.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace echelon::bench {

[[nodiscard]] inline engine::Promises promises_on(const std::vector<std::string>& nodes, std::int64_t priority) {
    std::array<std::vector<engine::Promises::Entry>, engine::Promises::shard_count> entries;
    for (const auto& node : nodes) {
        engine::NodePromises one{
            .node = node, .left = {{priority, {{"cpu", 0}, {"nvidia.com/gpu", 0}}}}, .reserved = {}};
        const auto hash = engine::name_hash(node);
        entries[engine::Promises::shard_of(hash)].push_back(
            {hash, std::make_shared<const engine::NodePromises>(std::move(one))});
    }
    engine::Promises::Shards shards;
    for (std::size_t at = 0; at < shards.size(); ++at)
        shards[at] = engine::Promises::made_of(std::move(entries[at]));
    return {std::move(shards), nodes.size()};
}

}  // namespace echelon::bench

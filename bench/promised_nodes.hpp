#pragma once

// Which promises do measurements of filter use? On many nodes, nearly all room of each.

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
    std::int64_t left = 0;
    for (const auto& node : nodes) {
        // Each node has another amount left.
        auto room = std::make_shared<const engine::PromisedRoom>(
            engine::PromisedRoom{.left = {{priority, {{"cpu", left++}, {"nvidia.com/gpu", 0}}}}, .reserved = {}});
        const auto hash = engine::name_hash(node);
        entries[engine::Promises::shard_of(hash)].push_back(
            {hash, std::make_shared<const engine::NodePromises>(node, std::move(room))});
    }
    engine::Promises promises;
    for (std::size_t at = 0; at < entries.size(); ++at)
        promises.set(at, std::move(entries[at]));
    return promises;
}

}  // namespace echelon::bench

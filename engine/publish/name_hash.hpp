#pragma once

// The hash of a node's name: eight bytes at a time, so that thousands of names cost next to nothing.
//
// Pure. Names with equal hashes are compared in full by those that use it.

#include <cstdint>
#include <cstring>
#include <string_view>

namespace echelon::engine {

using NameHash = std::uint64_t;

// One more word of the name; the last one holds what is left of it, less than eight bytes, and zeros above.
[[nodiscard]] constexpr NameHash mixed(NameHash hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    return hash ^ (hash >> 32U);
}

[[nodiscard]] inline NameHash name_hash(std::string_view name) {
    NameHash hash = 0;
    std::uint64_t word = 0;
    for (; name.size() >= sizeof word; name.remove_prefix(sizeof word)) {
        std::memcpy(&word, name.data(), sizeof word);
        hash = mixed(hash, word);
    }
    word = 0;
    std::memcpy(&word, name.data(), name.size());
    return mixed(hash, word);
}

}  // namespace echelon::engine

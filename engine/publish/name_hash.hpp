#pragma once

// How are names of nodes hashed, so that thousands of them cost next to nothing? Eight bytes at a time.
//
// Pure. Callers compare names with equal hashes in full.

#include <cstdint>
#include <cstring>
#include <string_view>

namespace echelon::engine {

using NameHash = std::uint64_t;

// Mixes in the next eight bytes of a name. The last word has what is left of it, padded with zeros.
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

#pragma once

// Which names of a filter call are in a set? One pass over the list, eight bytes at a time (PR4).
//
// Pure.

#include "engine/publish/name_hash.hpp"
#include "server/extender/text_writer.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace echelon::server {

// The number of bytes after a list of names that must be readable.
inline constexpr std::size_t name_list_padding = TextWriter::padding;

// Calls `take(hash, name)` for each name in the JSON array `names_json` of strings without escapes. The names are views
// into it.
template <typename Take>
void for_each_name(std::string_view names_json, Take take) {
    static_assert(std::endian::native == std::endian::little);
    constexpr std::uint64_t ones = 0x0101010101010101ULL;
    constexpr std::uint64_t highs = 0x8080808080808080ULL;
    const char* at = names_json.data();
    const char* const end = at + names_json.size();
    while (at != end) {
        if (*at++ != '"')
            continue;
        const char* const begin = at;
        engine::NameHash hash = 0;
        for (;;) {
            std::uint64_t word = 0;
            std::memcpy(&word, at, sizeof word);
            const auto quotes = word ^ (ones * static_cast<unsigned char>('"'));
            const auto found = (quotes - ones) & ~quotes & highs;
            if (found == 0) {
                hash = engine::mixed(hash, word);
                at += sizeof word;
                continue;
            }
            const auto left = static_cast<unsigned>(std::countr_zero(found)) / 8U;
            hash = engine::mixed(hash, word & ((1ULL << (8U * left)) - 1U));
            at += left;
            break;
        }
        take(hash, std::string_view(begin, static_cast<std::size_t>(at - begin)));
        ++at;  // The closing quote.
    }
}

// Writes the array without `names`, which are views into `names_json` in its order. Never longer than `names_json`.
void put_without(TextWriter& to, std::string_view names_json, const std::vector<std::string_view>& names);

}  // namespace echelon::server

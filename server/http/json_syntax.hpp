#pragma once

// Is this JSON, to its last bracket? Pure; one pass, no memory.
//
// For what a parser skips by counting brackets. Looks at syntax alone: that strings are UTF-8 is found by the parser,
// which sees every byte.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace echelon::server {

enum class Syntax : std::uint8_t { sound, broken, too_deep };

struct Judged {
    Syntax syntax = Syntax::broken;
    std::size_t length = 0;  // Of a sound value, blanks before it included.
};

inline constexpr std::size_t deepest_json = 64;

// The first value of `text`, which may nest `deepest_json` levels; the text behind it is not read.
[[nodiscard]] Judged judge_value(std::string_view text);

}  // namespace echelon::server

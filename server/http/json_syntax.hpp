#pragma once

// Is this text valid JSON? Pure; one pass, no allocation.
//
// For values that the parser skips by counting brackets. Checks syntax only; the parser checks all bytes for UTF-8.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace echelon::server {

enum class Syntax : std::uint8_t { sound, broken, too_deep };

struct Judged {
    Syntax syntax = Syntax::broken;
    std::size_t length = 0;  // Bytes of a valid value, with the white space before it.
};

inline constexpr std::size_t deepest_json = 64;

// Checks the first value of `text`, which may nest `deepest_json` levels. The text after it is not read.
[[nodiscard]] Judged judge_value(std::string_view text);

}  // namespace echelon::server

#pragma once

// Is a text a whole number, and which one?
//
// Pure and thread-safe.

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace echelon::base {

// Digits, with "-" in front if `Number` is signed; no "+" and no spaces. Nullopt: anything else, an empty text, or a
// number that doesn't fit. `radix`: 2 to 36, without a prefix such as "0x".
template <std::integral Number>
[[nodiscard]] std::optional<Number> whole_number(std::string_view text, int radix = 10) {
    Number value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value, radix);
    return error == std::errc{} && end == last ? std::optional(value) : std::nullopt;
}

}  // namespace echelon::base

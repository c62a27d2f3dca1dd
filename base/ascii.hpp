#pragma once

// Which kind of ASCII character is a byte? Bytes of other characters are none of these, whatever the locale.
//
// Pure and thread-safe.

namespace echelon::base {

[[nodiscard]] constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

[[nodiscard]] constexpr bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

[[nodiscard]] constexpr bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

[[nodiscard]] constexpr bool is_letter(char c) {
    return is_lower(c) || is_upper(c);
}

[[nodiscard]] constexpr bool is_alphanumeric(char c) {
    return is_letter(c) || is_digit(c);
}

// The small letter of a capital one; other bytes stay as they are.
[[nodiscard]] constexpr char to_lower(char c) {
    return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace echelon::base

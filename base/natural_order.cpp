#include "base/natural_order.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace echelon::base {

namespace {

// The run of digits that `text` starts with.
std::string_view leading_digits(std::string_view text) {
    std::size_t length = 0;
    while (length < text.size() && is_digit(text[length])) {
        ++length;
    }
    return text.substr(0, length);
}

std::string_view without_zeros(std::string_view digits) {
    while (digits.size() > 1 && digits.front() == '0') {
        digits.remove_prefix(1);
    }
    return digits;
}

std::strong_ordering by_value(std::string_view a, std::string_view b) {
    a = without_zeros(a);
    b = without_zeros(b);
    return a.size() != b.size() ? a.size() <=> b.size() : a.compare(b) <=> 0;
}

// Eight bytes at a time: names may be as long as an annotation.
std::size_t common_prefix(std::string_view a, std::string_view b) {
    const std::size_t most = std::min(a.size(), b.size());
    std::size_t at = 0;
    for (std::uint64_t one = 0, other = 0; at + sizeof one <= most; at += sizeof one) {
        std::memcpy(&one, a.data() + at, sizeof one);
        std::memcpy(&other, b.data() + at, sizeof other);
        if (one != other)
            break;
    }
    while (at < most && a[at] == b[at])
        ++at;
    return at;
}

// The start of the first run of digits, or other character, in which the names differ.
std::size_t first_difference(std::string_view a, std::string_view b) {
    auto begin = common_prefix(a, b);
    while (begin > 0 && is_digit(a[begin - 1])) {
        --begin;
    }
    return begin;
}

}  // namespace

std::strong_ordering natural_order(std::string_view a, std::string_view b) {
    const auto begin = first_difference(a, b);  // Skips the common prefix, which is long among siblings.
    a.remove_prefix(begin);
    b.remove_prefix(begin);
    const std::string_view whole_a = a;
    const std::string_view whole_b = b;
    while (!a.empty() && !b.empty()) {
        const auto left = leading_digits(a);
        const auto right = leading_digits(b);
        if (!left.empty() && !right.empty()) {
            if (const auto order = by_value(left, right); order != 0)
                return order;
            a.remove_prefix(left.size());
            b.remove_prefix(right.size());
            continue;
        }
        if (a.front() != b.front())
            return static_cast<unsigned char>(a.front()) <=> static_cast<unsigned char>(b.front());
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    if (a.empty() != b.empty())
        return b.empty() <=> a.empty();
    return whole_a.compare(whole_b) <=> 0;  // Decides between "a01" and "a1".
}

}  // namespace echelon::base

#include "base/go_duration.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace echelon::base {

namespace {

constexpr std::int64_t second = 1'000'000'000;  // In nanoseconds, like the units below.
// Longer names first: "ms" isn't "m".
constexpr std::array<std::pair<std::string_view, std::int64_t>, 8> units = {{{"ns", 1},
                                                                             {"us", 1'000},
                                                                             {"\u00b5s", 1'000},
                                                                             {"\u03bcs", 1'000},
                                                                             {"ms", 1'000'000},
                                                                             {"s", second},
                                                                             {"m", 60 * second},
                                                                             {"h", 3600 * second}}};

// Takes the digits off the front.
std::string_view take_digits(std::string_view& text) {
    const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    return digits;
}

// Nanoseconds of the digits after the dot.
std::int64_t part_of(std::int64_t unit, std::string_view digits) {
    double scale = static_cast<double>(unit);
    double sum = 0;
    for (const char digit : digits) {
        scale /= 10;
        sum += scale * (digit - '0');
    }
    return static_cast<std::int64_t>(sum);
}

// Takes one "1.5h" off the front, in nanoseconds; nullopt: it isn't one, or is too large.
std::optional<std::int64_t> take_part(std::string_view& text) {
    const std::string_view digits = take_digits(text);
    const bool has_dot = text.starts_with('.');
    text.remove_prefix(has_dot ? 1 : 0);
    const std::string_view behind = has_dot ? take_digits(text) : std::string_view();
    const auto unit = std::ranges::find_if(units, [&](const auto& row) { return text.starts_with(row.first); });
    if (digits.size() + behind.size() == 0 || unit == units.end())
        return std::nullopt;
    text.remove_prefix(unit->first.size());
    std::int64_t whole = 0;
    for (const char digit : digits) {
        if (__builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, digit - '0', &whole))
            return std::nullopt;
    }
    if (__builtin_mul_overflow(whole, unit->second, &whole) ||
        __builtin_add_overflow(whole, part_of(unit->second, behind), &whole)) {
        return std::nullopt;
    }
    return whole;
}

}  // namespace

std::optional<std::int64_t> nanoseconds_of_go_duration(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    text.remove_prefix(is_negative || text.starts_with('+') ? 1 : 0);
    if (text == "0")
        return 0;
    if (text.empty())
        return std::nullopt;
    std::int64_t sum = 0;
    while (!text.empty()) {
        const auto part = take_part(text);
        if (!part || __builtin_add_overflow(sum, *part, &sum))
            return std::nullopt;
    }
    return is_negative ? -sum : sum;
}

}  // namespace echelon::base

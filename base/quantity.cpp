#include "base/quantity.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string>

namespace echelon::base {

namespace {

// Longer texts are rejected, which bounds the cost of the exact arithmetic below.
constexpr std::size_t longest_text = 100;
// Larger exponents give 0, 1 or the largest amount for any digits.
constexpr int largest_exponent = 1000;

struct Suffix {
    int tens = 0;  // Power of ten.
    int twos = 0;  // Power of two.
};

std::optional<Suffix> exponent_suffix(std::string_view text) {
    text.remove_prefix(1);  // The letter.
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+'))
        text.remove_prefix(1);
    if (text.empty() || !std::ranges::all_of(text, is_digit))
        return std::nullopt;
    int tens = 0;
    for (char c : text)
        tens = std::min(largest_exponent, tens * 10 + (c - '0'));
    return Suffix{.tens = negative ? -tens : tens};
}

std::optional<Suffix> suffix_of(std::string_view text) {
    struct Row {
        std::string_view text;
        Suffix suffix;
    };
    static constexpr std::array rows{
        Row{"", {}},        Row{"n", {-9, 0}},  Row{"u", {-6, 0}},  Row{"m", {-3, 0}},
        Row{"k", {3, 0}},   Row{"M", {6, 0}},   Row{"G", {9, 0}},   Row{"T", {12, 0}},
        Row{"P", {15, 0}},  Row{"E", {18, 0}},  Row{"Ki", {0, 10}}, Row{"Mi", {0, 20}},
        Row{"Gi", {0, 30}}, Row{"Ti", {0, 40}}, Row{"Pi", {0, 50}}, Row{"Ei", {0, 60}},
    };
    for (const Row& row : rows) {
        if (row.text == text)
            return row.suffix;
    }
    if (text.size() > 1 && (text[0] == 'e' || text[0] == 'E'))
        return exponent_suffix(text);
    return std::nullopt;
}

// Doubles a decimal number, given as its digits.
void double_digits(std::string& digits) {
    int carry = 0;
    for (auto at = digits.rbegin(); at != digits.rend(); ++at) {
        const int sum = 2 * (*at - '0') + carry;
        *at = static_cast<char>('0' + sum % 10);
        carry = sum / 10;
    }
    if (carry != 0)
        digits.insert(digits.begin(), '1');
}

// digits * 10^tens * 2^twos, rounded up; nullopt: beyond int64.
std::optional<std::int64_t> exact(std::string digits, int tens, int twos) {
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    if (digits.empty())
        return 0;
    for (int i = 0; i < twos; ++i)
        double_digits(digits);
    std::int64_t round_up = 0;
    if (tens < 0) {
        const std::size_t cut = std::min(static_cast<std::size_t>(-tens), digits.size());
        const std::string_view fraction = std::string_view(digits).substr(digits.size() - cut);
        round_up = fraction.find_first_not_of('0') != std::string_view::npos ? 1 : 0;
        if (static_cast<std::size_t>(-tens) > digits.size())
            round_up = 1;
        digits.resize(digits.size() - cut);
    } else {
        if (tens > 18)
            return std::nullopt;
        digits.append(static_cast<std::size_t>(tens), '0');
    }
    std::int64_t value = 0;
    if (!digits.empty()) {
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc{})
            return std::nullopt;
    }
    std::int64_t sum = 0;
    if (__builtin_add_overflow(value, round_up, &sum))
        return std::nullopt;
    return sum;
}

// The fast path for a few digits and a suffix. Nullopt: `exact` must compute it.
std::optional<std::int64_t> plain(std::string_view digits, int tens, int twos) {
    constexpr std::size_t most_digits = 18;  // Any of them fit int64.
    constexpr std::array<std::int64_t, 10> powers{1,       10,        100,        1'000,       10'000,
                                                  100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
    const std::size_t power = static_cast<std::size_t>(tens < 0 ? -tens : tens);
    if (digits.empty() || digits.size() > most_digits || power >= powers.size())
        return std::nullopt;
    std::int64_t value = 0;
    for (const char digit : digits)
        value = value * 10 + (digit - '0');
    if (tens < 0) {
        if (twos != 0)
            return std::nullopt;
        return value / powers[power] + (value % powers[power] == 0 ? 0 : 1);
    }
    std::int64_t scaled = 0;
    if (__builtin_mul_overflow(value, powers[power], &scaled) ||
        __builtin_mul_overflow(scaled, std::int64_t{1} << twos, &scaled)) {
        return std::nullopt;
    }
    return scaled;
}

}  // namespace

std::expected<std::int64_t, QuantityFault> quantity_in(std::string_view text, Unit unit) {
    if (text.size() > longest_text)
        return std::unexpected(QuantityFault::malformed);

    std::string_view rest = text;
    const bool negative = rest.starts_with('-');
    if (negative || rest.starts_with('+'))
        rest.remove_prefix(1);
    std::string digits;
    int tens = unit == Unit::thousandth ? 3 : 0;
    bool after_point = false;
    std::size_t length = 0;
    for (; length < rest.size(); ++length) {
        const char c = rest[length];
        if (is_digit(c)) {
            digits += c;
            if (after_point)
                --tens;
        } else if (c == '.' && !after_point) {
            after_point = true;
        } else {
            break;
        }
    }
    const std::optional<Suffix> suffix = suffix_of(rest.substr(length));
    if (digits.empty() || !suffix)
        return std::unexpected(QuantityFault::malformed);

    std::optional<std::int64_t> amount = plain(digits, tens + suffix->tens, suffix->twos);
    if (!amount)
        amount = exact(std::move(digits), tens + suffix->tens, suffix->twos);
    if (negative && amount != 0)
        return std::unexpected(QuantityFault::negative);
    return amount.value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace echelon::base

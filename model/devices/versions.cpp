#include "model/devices/versions.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace echelon::model {

namespace {

constexpr std::size_t longest = 256;

struct Version {
    std::array<std::string_view, 3> numbers;
    std::string_view pre_release;  // Empty: none.
};

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, base::is_digit);
}

bool is_canonical_number(std::string_view text) {
    return is_number(text) && (text.size() == 1 || text.front() != '0');
}

// Takes the text up to the separator off `rest`, and the separator too.
std::string_view take(std::string_view& rest, char separator) {
    const auto end = std::min(rest.find(separator), rest.size());
    const auto part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}

bool are_identifiers(std::string_view text, bool numbers_are_canonical) {
    const auto is_letter = [](char c) { return c == '-' || base::is_alphanumeric(c); };
    if (text.empty() || text.back() == '.')
        return false;
    while (!text.empty()) {
        const auto part = take(text, '.');
        if (part.empty() || !std::ranges::all_of(part, is_letter))
            return false;
        if (numbers_are_canonical && is_number(part) && !is_canonical_number(part))
            return false;
    }
    return true;
}

std::optional<Version> read(std::string_view text) {
    if (text.size() > longest)
        return std::nullopt;
    if (const auto plus = text.find('+'); plus != std::string_view::npos) {
        if (!are_identifiers(text.substr(plus + 1), false))
            return std::nullopt;
        text = text.substr(0, plus);
    }
    Version version;
    if (const auto dash = text.find('-'); dash != std::string_view::npos) {
        version.pre_release = text.substr(dash + 1);
        if (!are_identifiers(version.pre_release, true))
            return std::nullopt;
        text = text.substr(0, dash);
    }
    if (std::ranges::count(text, '.') != 2)
        return std::nullopt;
    for (auto& number : version.numbers) {
        number = take(text, '.');
        if (!is_canonical_number(number))
            return std::nullopt;
    }
    return version;
}

int sign(std::strong_ordering order) {
    return order < 0 ? -1 : order > 0 ? 1 : 0;
}

// Numbers without leading zeros, of any length.
int compare_numbers(std::string_view a, std::string_view b) {
    return a.size() != b.size() ? sign(a.size() <=> b.size()) : sign(a <=> b);
}

int compare_identifiers(std::string_view a, std::string_view b) {
    if (is_number(a) && is_number(b))
        return compare_numbers(a, b);
    if (is_number(a) != is_number(b))
        return is_number(a) ? -1 : 1;
    return sign(a <=> b);
}

int compare_pre_releases(std::string_view a, std::string_view b) {
    if (a.empty() || b.empty())
        return a.empty() && b.empty() ? 0 : a.empty() ? 1 : -1;
    while (!a.empty() && !b.empty()) {
        if (const int order = compare_identifiers(take(a, '.'), take(b, '.')); order != 0)
            return order;
    }
    return a.empty() && b.empty() ? 0 : a.empty() ? -1 : 1;
}

}  // namespace

bool is_version(std::string_view text) {
    return read(text).has_value();
}

std::optional<int> compare_versions(std::string_view a, std::string_view b) {
    const auto left = read(a);
    const auto right = read(b);
    if (!left || !right)
        return std::nullopt;
    for (std::size_t i = 0; i < left->numbers.size(); ++i) {
        if (const int order = compare_numbers(left->numbers[i], right->numbers[i]); order != 0)
            return order;
    }
    return compare_pre_releases(left->pre_release, right->pre_release);
}

}  // namespace echelon::model

#include "translate/written_name.hpp"

#include "base/ascii.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace echelon::translate {

namespace {

constexpr std::size_t hash_digits = 10;

// FNV-1a: not cryptographic, but stable across machines and releases, since names outlive this process.
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 1099511628211ULL;
    }
    return hash;
}

bool is_end(char c) {
    return base::is_lower(c) || base::is_digit(c);
}

}  // namespace

std::string written_name(std::string_view wanted, bool has_dots, std::size_t longest) {
    std::string name;
    for (const char c : wanted) {
        const char lower = base::to_lower(c);
        // Parts between dots begin and end with a letter or digit.
        const bool is_dot = has_dots && c == '.' && !name.empty() && is_end(name.back());
        name += is_end(lower) || is_dot ? lower : '-';
    }
    for (std::size_t at = name.find("-.") + 1; at != 0; at = name.find("-.") + 1)
        name[at] = '-';
    for (std::size_t at = name.find(".-") + 1; at != 0; at = name.find(".-") + 1)
        name[at - 1] = '-';
    const bool is_whole =
        name == wanted && !name.empty() && name.size() <= longest && is_end(name.front()) && is_end(name.back());
    if (is_whole)
        return name;
    name = name.substr(0, longest - 1 - hash_digits);
    while (!name.empty() && !is_end(name.front()))
        name.erase(0, 1);
    while (!name.empty() && !is_end(name.back()))
        name.pop_back();
    const std::string digits = fmt::format("{:016x}", hash_of(wanted)).substr(0, hash_digits);
    return name.empty() ? "x" + digits : name + "-" + digits;
}

}  // namespace echelon::translate

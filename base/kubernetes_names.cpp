#include "base/kubernetes_names.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <cstddef>

namespace echelon::base {

namespace {

constexpr std::size_t longest_subdomain = 253;
constexpr std::size_t longest_name = 63;

}  // namespace

// Each part between dots begins and ends with a letter or digit.
bool is_dns_subdomain(std::string_view text) {
    if (text.size() > longest_subdomain)
        return false;
    while (true) {
        const auto end = std::min(text.find('.'), text.size());
        const auto part = text.substr(0, end);
        const auto fits = [](char c) { return is_lower(c) || is_digit(c) || c == '-'; };
        if (part.empty() || part.front() == '-' || part.back() == '-' || !std::ranges::all_of(part, fits))
            return false;
        if (end == text.size())
            return true;
        text.remove_prefix(end + 1);
    }
}

bool is_label_name(std::string_view text) {
    const auto fits = [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; };
    return !text.empty() && text.size() <= longest_name && std::ranges::all_of(text, fits) &&
           is_alphanumeric(text.front()) && is_alphanumeric(text.back());
}

bool is_label_key(std::string_view text) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos)
        return is_label_name(text);
    return is_dns_subdomain(text.substr(0, slash)) && is_label_name(text.substr(slash + 1));
}

}  // namespace echelon::base

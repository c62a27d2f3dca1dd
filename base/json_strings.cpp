#include "base/json_strings.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

namespace echelon::base {

namespace {

bool is_plain(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20U && byte < 0x80U && c != '"' && c != '\\';
}

}  // namespace

void append_json_string(std::string& to, std::string_view text) {
    to += '"';
    while (!text.empty()) {
        const auto plain = static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
        to += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty())
            break;
        const std::size_t size = utf8_size(text);
        if (size == 0) {
            to += replacement_character;
        } else if (static_cast<unsigned char>(text.front()) < 0x20U) {
            fmt::format_to(std::back_inserter(to), "\\u{:04x}", static_cast<unsigned>(text.front()));
        } else {
            if (text.front() == '"' || text.front() == '\\')
                to += '\\';
            to += text.substr(0, size);
        }
        text.remove_prefix(size == 0 ? 1 : size);
    }
    to += '"';
}

}  // namespace echelon::base

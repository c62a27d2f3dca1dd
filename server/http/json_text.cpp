#include "server/http/json_text.hpp"

#include "base/json_strings.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

namespace echelon::server {
namespace {

unsigned char byte_at(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
}

// Bytes of the UTF-8 sequence at `at`; 0: invalid (overlong, surrogate, cut off, above U+10FFFF).
std::size_t sequence_length(std::string_view text, std::size_t at) {
    auto lead = byte_at(text, at);
    if (lead < 0x80)
        return 1;
    std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || at + length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte_at(text, at + i) & 0xC0) != 0x80)
            return 0;
    }
    auto second = byte_at(text, at + 1);
    if (lead == 0xE0 && second < 0xA0)
        return 0;
    if (lead == 0xED && second > 0x9F)
        return 0;
    if (lead == 0xF0 && second < 0x90)
        return 0;
    if (lead == 0xF4 && second > 0x8F)
        return 0;
    return length;
}

}  // namespace

void append_quoted(std::string& to, std::string_view text) {
    to += '"';
    for (std::size_t at = 0; at < text.size();) {
        auto byte = byte_at(text, at);
        auto length = sequence_length(text, at);
        if (length == 0) {
            to += "\xEF\xBF\xBD";
            ++at;
            continue;
        }
        if (byte == '"' || byte == '\\')
            to += '\\';
        if (byte < 0x20) {
            fmt::format_to(std::back_inserter(to), "\\u{:04x}", byte);
        } else {
            to.append(text, at, length);
        }
        at += length;
    }
    to += '"';
}

std::string printable(std::string_view text, std::size_t most) {
    std::string shown;
    for (std::size_t at = 0; at < text.size();) {
        auto length = sequence_length(text, at);
        if (shown.size() + std::max<std::size_t>(length, 1) > most)
            return shown + "...";
        auto byte = byte_at(text, at);
        if (length == 0 || byte < 0x20 || byte == 0x7f) {
            shown += '?';
            ++at;
        } else {
            shown.append(text, at, length);
            at += length;
        }
    }
    return shown;
}

std::size_t length_of_value(std::string_view text) {
    auto begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos || (text[begin] != '{' && text[begin] != '['))
        return std::string_view::npos;
    base::JsonStrings strings;
    std::size_t depth = 0;
    for (auto at = begin; at < text.size(); ++at) {
        if (strings.take(text[at]))
            continue;
        if (text[at] == '{' || text[at] == '[')
            ++depth;
        if ((text[at] == '}' || text[at] == ']') && --depth == 0)
            return at + 1;
    }
    return std::string_view::npos;
}

}  // namespace echelon::server

#include "server/http/request_parser.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace echelon::server {
namespace {

// 0 to 15; -1: not a hexadecimal digit.
int digit_of(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Decodes "%41" at the front. Nullopt: invalid, or a control character.
std::optional<char> escaped(std::string_view text) {
    const int high = text.size() < 3 ? -1 : digit_of(text[1]);
    const int low = text.size() < 3 ? -1 : digit_of(text[2]);
    const int byte = high * 16 + low;
    if (high < 0 || low < 0 || byte < 0x20 || byte == 0x7f)
        return std::nullopt;
    return static_cast<char>(byte);
}

enum class Plus : std::uint8_t { is_itself, is_a_space };

std::optional<std::string> decoded(std::string_view text, Plus plus) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        if (text.front() == '%') {
            const auto byte = escaped(text);
            if (!byte)
                return std::nullopt;
            out += *byte;
            text.remove_prefix(3);
            continue;
        }
        out += text.front() == '+' && plus == Plus::is_a_space ? ' ' : text.front();
        text.remove_prefix(1);
    }
    return out;
}

// "a=1&b": a parameter without "=" has an empty value. False: it cannot be decoded.
bool read_query(std::string_view text, Request& request) {
    while (!text.empty()) {
        const auto one = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        if (one.empty())
            continue;
        const auto sign = std::min(one.find('='), one.size());
        auto name = decoded(one.substr(0, sign), Plus::is_a_space);
        auto value = decoded(one.substr(std::min(one.size(), sign + 1)), Plus::is_a_space);
        if (!name || !value)
            return false;
        request.query.emplace(std::move(*name), std::move(*value));
    }
    return true;
}

}  // namespace

base::Result<Request> parse_request(std::string_view bytes, const Framing& framing) {
    Request request;
    request.method = bytes.substr(0, framing.method_bytes);
    const auto target = bytes.substr(framing.method_bytes + 1, framing.target_bytes);
    const auto mark = std::min(target.find('?'), target.size());
    auto path = decoded(target.substr(0, mark), Plus::is_itself);
    if (!path || !read_query(target.substr(std::min(target.size(), mark + 1)), request))
        return base::failure("the target has broken percent-encoding");
    request.path = std::move(*path);
    request.accept = bytes.substr(framing.accept_at, framing.accept_bytes);
    request.body = bytes.substr(framing.head_bytes);
    return request;
}

}  // namespace echelon::server

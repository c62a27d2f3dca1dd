#include "server/http/json_text.hpp"

#include "base/json_strings.hpp"
#include "base/utf8.hpp"

#include <algorithm>

namespace echelon::server {

std::string printable(std::string_view text, std::size_t most) {
    std::string shown;
    while (!text.empty()) {
        const std::size_t size = base::utf8_size(text);
        const std::size_t taken = std::max<std::size_t>(size, 1);
        if (shown.size() + taken > most)
            return shown + "...";
        const auto byte = static_cast<unsigned char>(text.front());
        shown += size == 0 || byte < 0x20 || byte == 0x7f ? "?" : text.substr(0, taken);
        text.remove_prefix(taken);
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

#include "server/http/json_text.hpp"

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

}  // namespace echelon::server

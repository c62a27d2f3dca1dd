#include "base/utf8.hpp"

#include <algorithm>

namespace echelon::base {

std::size_t utf8_size(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char first = byte(0);
    if (first < 0x80U)
        return 1;
    const std::size_t size = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
    if (first < 0xC2U || first > 0xF4U || text.size() < size)
        return 0;
    for (std::size_t at = 1; at < size; ++at) {
        if ((byte(at) & 0xC0U) != 0x80U)
            return 0;
    }
    const bool is_overlong = (first == 0xE0U && byte(1) < 0xA0U) || (first == 0xF0U && byte(1) < 0x90U);
    const bool is_surrogate = first == 0xEDU && byte(1) > 0x9FU;
    const bool is_beyond = first == 0xF4U && byte(1) > 0x8FU;
    return is_overlong || is_surrogate || is_beyond ? 0 : size;
}

std::string as_utf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t size = utf8_size(text);
        out += size == 0 ? replacement_character : text.substr(0, size);
        text.remove_prefix(size == 0 ? 1 : size);
    }
    return out;
}

std::size_t utf8_width(std::string_view text) {
    // Every byte but those that continue a code point.
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace echelon::base

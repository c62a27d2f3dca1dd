#include "base/shortened.hpp"

#include <fmt/format.h>

namespace echelon::base {

std::string_view beginning(std::string_view text, std::size_t most) {
    if (text.size() <= most)
        return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U)
        --most;
    return text.substr(0, most);
}

std::string shortened(std::string text, std::size_t most) {
    if (text.size() <= most)
        return text;
    const auto word = [&](std::size_t kept) { return fmt::format("... ({} of {} bytes)", kept, text.size()); };
    const std::size_t room = word(most).size();
    if (room >= most)
        return std::string(beginning(text, most));
    const std::string_view kept = beginning(text, most - room);
    return std::string(kept) + word(kept.size());
}

}  // namespace echelon::base

#include "base/quoted.hpp"

#include <algorithm>

namespace echelon::base {

std::string quoted(std::string_view name) {
    std::string text = "\"";
    text.append(name).push_back('"');
    std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    return text;
}

}  // namespace echelon::base

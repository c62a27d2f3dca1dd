#include "base/quoted.hpp"

#include "base/shortened.hpp"

#include <algorithm>
#include <utility>

namespace echelon::base {

namespace {

std::string without_controls(std::string text) {
    std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    return text;
}

}  // namespace

std::string quoted(std::string_view name) {
    std::string text = "\"";
    text.append(name).push_back('"');
    return without_controls(std::move(text));
}

std::string on_one_line(std::string_view message, std::size_t most) {
    return without_controls(std::string(beginning(message, most)));
}

}  // namespace echelon::base

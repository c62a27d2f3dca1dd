#pragma once

// How is a tree of sentences drawn on a screen? Lines no wider than a page, wrapped between words, names kept short.
//
// Pure. Widths are counted in code points. Only the head of a line is coloured.

#include "report/style.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::report {

inline constexpr std::size_t page_width = 100;
inline constexpr std::size_t longest_name = 60;

struct TreeLine {
    enum class Tone : unsigned char { plain, good, bad, warm, faint };
    std::string head;  // Never broken; painted.
    std::string text;  // Behind the head; wrapped.
    Tone tone = Tone::plain;
    std::vector<TreeLine> below;
};

// Draws the line at `indent`, and the lines below it as a tree.
[[nodiscard]] std::string draw(const TreeLine& line, Style style, const std::string& indent);
// Wrapped between words to the page, each line behind `indent`, a line feed at the end of each.
[[nodiscard]] std::string wrapped(std::string_view text, const std::string& indent);
// A name as reports show it. A long name lacks its middle, and each control character is a "?".
[[nodiscard]] std::string clipped(std::string_view name, std::size_t most = longest_name);

}  // namespace echelon::report

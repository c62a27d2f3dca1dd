#include "report/text_tree.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::report {

namespace {

std::string painted(const TreeLine& line, Style style) {
    switch (line.tone) {
        case TreeLine::Tone::good:
            return style.good(line.head);
        case TreeLine::Tone::bad:
            return style.bad(line.head);
        case TreeLine::Tone::warm:
            return style.warm(line.head);
        case TreeLine::Tone::faint:
            return style.faint(line.head);
        case TreeLine::Tone::plain:
            return line.head;
    }
    return line.head;
}

// `text` between words, the first line with `room` columns left, each other with `next_room`.
std::vector<std::string> lines_of(std::string_view text, std::size_t room, std::size_t next_room) {
    std::vector<std::string> lines(1);
    while (!text.empty()) {
        const auto space = text.find(' ');
        const auto word = text.substr(0, space);
        text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
        const auto limit = lines.size() == 1 ? room : next_room;
        const auto used = base::utf8_width(lines.back());
        const bool is_full = used > 0 && used + 1 + base::utf8_width(word) > limit;
        const bool is_better_below =
            used == 0 && lines.size() == 1 && room < next_room && base::utf8_width(word) > room;
        if (is_full || is_better_below)
            lines.emplace_back();
        if (!lines.back().empty())
            lines.back().push_back(' ');
        lines.back() += word;
    }
    return lines;
}

std::size_t left_of(std::size_t used) {
    constexpr std::size_t least = 20;  // However deep the tree: a word or two.
    return used + least < page_width ? page_width - used : least;
}

void draw_into(std::string& out, const TreeLine& line, Style style, const std::string& lead,
               const std::string& indent) {
    const auto head = base::utf8_width(line.head) + 2;
    const std::string hanging = indent + (line.below.empty() ? "   " : "│  ");
    const auto used = base::utf8_width(lead) + head;
    const auto lines =
        lines_of(line.text, used < page_width ? page_width - used : 0, left_of(base::utf8_width(hanging)));
    out += fmt::format("{}{}{}{}\n", lead, painted(line, style), lines.front().empty() ? "" : "  ", lines.front());
    for (std::size_t i = 1; i < lines.size(); ++i)
        out += fmt::format("{}{}\n", hanging, lines[i]);
    for (std::size_t i = 0; i < line.below.size(); ++i) {
        const bool is_last = i + 1 == line.below.size();
        draw_into(out, line.below[i], style, indent + (is_last ? "└─ " : "├─ "), indent + (is_last ? "   " : "│  "));
    }
}

}  // namespace

std::string draw(const TreeLine& line, Style style, const std::string& indent) {
    std::string out;
    draw_into(out, line, style, indent, indent);
    return out;
}

std::string wrapped(std::string_view text, const std::string& indent) {
    const auto room = left_of(base::utf8_width(indent));
    std::string out;
    for (const auto& line : lines_of(text, room, room))
        out += fmt::format("{}{}\n", indent, line);
    return out;
}

std::string clipped(std::string_view untrusted, std::size_t most) {
    std::string name(untrusted);
    std::ranges::replace_if(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    if (base::utf8_width(name) <= most || most < 5)
        return name;
    // Names of Kubernetes objects are ASCII; whatever else comes is cut where a code point begins.
    const auto is_inside = [&](std::size_t at) { return (static_cast<unsigned char>(name[at]) & 0xC0U) == 0x80U; };
    std::size_t head = (most - 3) / 2;
    std::size_t tail = name.size() - (most - 3 - head);
    while (head > 0 && is_inside(head))
        --head;
    while (tail < name.size() && is_inside(tail))
        ++tail;
    return name.substr(0, head) + "..." + name.substr(tail);
}

}  // namespace echelon::report

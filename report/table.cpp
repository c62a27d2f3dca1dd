#include "report/table.hpp"

#include "base/utf8.hpp"
#include "report/style.hpp"

#include <algorithm>

namespace echelon::report {

namespace {

constexpr std::size_t between_columns = 3;

void append(std::string& out, const Style& style, const Cell& cell, std::size_t width, bool is_last) {
    out += cell.paint.empty() ? cell.text : style.paint(cell.paint, cell.text);
    if (!is_last)
        out.append(width - base::utf8_width(cell.text) + between_columns, ' ');
}

}  // namespace

std::string Table::text(bool has_colour) const {
    const Style style{has_colour};
    std::vector<std::size_t> widths;
    widths.reserve(column_titles_.size());
    for (const auto& head : column_titles_)
        widths.push_back(base::utf8_width(head));
    for (const auto& row : rows_) {
        for (std::size_t column = 0; column < widths.size(); ++column)
            widths[column] = std::max(widths[column], base::utf8_width(row[column].text));
    }
    std::string out;
    for (std::size_t column = 0; column < column_titles_.size(); ++column)
        append(out, style, {column_titles_[column], "2"}, widths[column], column + 1 == column_titles_.size());
    out += '\n';
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t column = 0; column < row.size(); ++column)
            append(line, style, row[column], widths[column], column + 1 == row.size());
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    return out;
}

}  // namespace echelon::report

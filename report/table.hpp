#pragma once

// How are the columns of a table aligned? Each column is as wide as its widest cell; the last one is not padded.
//
// Pure. Colours take no width; a character of several bytes counts as one.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::report {

struct Cell {
    std::string text;
    std::string_view paint = {};  // Code for `Style::paint`; empty: none.
};

class Table {
public:
    explicit Table(std::vector<std::string> heads) : column_titles_(std::move(heads)) {}

    // Requires: one cell for each head.
    void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
    [[nodiscard]] std::string text(bool has_colour) const;

private:
    std::vector<std::string> column_titles_;
    std::vector<std::vector<Cell>> rows_;
};

}  // namespace echelon::report

#pragma once

// Which fields does each row of a CSV text have?
//
// RFC 4180: fields in double quotes may hold commas, quotes (doubled) and line ends. Empty lines are skipped. Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::simulate {

class CsvReader {
public:
    // The text must outlive the reader.
    explicit CsvReader(std::string_view text);

    // False at the end of the text, and after a fault.
    bool next();
    [[nodiscard]] const std::vector<std::string>& fields() const { return fields_; }
    // Where the row begins; the first line is 1.
    [[nodiscard]] std::size_t line() const { return line_; }
    // What is wrong with the row at `line`; empty: nothing.
    [[nodiscard]] const std::string& fault() const { return fault_; }

private:
    void read_row();
    void read_field();
    void read_quoted();

    std::string_view rest_;
    std::size_t next_line_ = 1;
    std::size_t line_ = 0;
    std::vector<std::string> fields_;
    std::string fault_;
};

}  // namespace echelon::simulate

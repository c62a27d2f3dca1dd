#include "simulate/csv.hpp"

#include <algorithm>

namespace echelon::simulate {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

CsvReader::CsvReader(std::string_view text) : rest_(text) {
    if (rest_.starts_with(byte_order_mark))
        rest_.remove_prefix(byte_order_mark.size());
}

bool CsvReader::next() {
    while (!rest_.empty() && fault_.empty()) {
        line_ = next_line_;
        read_row();
        if (!fault_.empty())
            return false;
        if (fields_.size() > 1 || !fields_.front().empty())
            return true;
    }
    return false;
}

void CsvReader::read_row() {
    fields_.clear();
    for (;;) {
        fields_.emplace_back();
        read_field();
        if (rest_.empty() || !fault_.empty())
            return;
        const bool is_last = rest_.front() == '\n';
        rest_.remove_prefix(1);
        if (is_last) {
            ++next_line_;
            return;
        }
    }
}

void CsvReader::read_field() {
    if (rest_.starts_with('"'))
        return read_quoted();
    const auto end = std::min(rest_.find_first_of(",\n"), rest_.size());
    auto field = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (field.ends_with('\r') && (rest_.empty() || rest_.front() == '\n'))
        field.remove_suffix(1);
    fields_.back() = field;
}

void CsvReader::read_quoted() {
    rest_.remove_prefix(1);
    for (;;) {
        const auto quote = rest_.find('"');
        if (quote == std::string_view::npos) {
            fault_ = "a quoted field has no end";
            return;
        }
        fields_.back() += rest_.substr(0, quote);
        rest_.remove_prefix(quote + 1);
        if (!rest_.starts_with('"'))
            break;
        fields_.back() += '"';
        rest_.remove_prefix(1);
    }
    next_line_ += static_cast<std::size_t>(std::ranges::count(fields_.back(), '\n'));
    if (rest_.starts_with("\r\n"))
        rest_.remove_prefix(1);
    if (!rest_.empty() && rest_.front() != ',' && rest_.front() != '\n')
        fault_ = "a quoted field is followed by other text";
}

}  // namespace echelon::simulate

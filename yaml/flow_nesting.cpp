#include "yaml/flow_nesting.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace echelon::yaml {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool is_break(char c) {
    return c == '\n' || c == '\r';
}

bool is_blank(char c) {
    return c == ' ' || c == '\t' || is_break(c);
}

bool is_flow_indicator(char c) {
    return c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
}

// Walks from token to token. It doesn't judge: what is no YAML, the parser will refuse.
class Walker {
public:
    explicit Walker(std::string_view text)
        : text_(text), at_(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0) {}

    std::string run() {
        while (at_ < text_.size() && closing_.size() <= deepest_flow)
            walk_line();
        std::string out(text_.substr(0, at_));
        if (closing_.size() > deepest_flow)
            out.append(closing_.rbegin(), closing_.rend());
        return out;
    }

private:
    // Behind the end there is a line break.
    [[nodiscard]] char here(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n';
    }
    [[nodiscard]] std::size_t found(std::size_t position) const { return std::min(position, text_.size()); }
    [[nodiscard]] std::size_t end_of_line(std::size_t from) const { return found(text_.find_first_of("\r\n", from)); }
    [[nodiscard]] std::size_t column() const { return at_ - line_; }
    // "---" and "...".
    [[nodiscard]] bool is_marker(std::size_t line) const {
        const std::string_view word = text_.substr(line, 3);
        return (word == "---" || word == "...") && (line + 3 == text_.size() || is_blank(text_[line + 3]));
    }

    void walk_line() {
        line_ = at_;
        at_ = found(text_.find_first_not_of(' ', at_));
        const bool has_token = !is_blank(here()) && here() != '#';
        while (has_token && !owners_.empty() && owners_.back() >= column())
            owners_.pop_back();
        key_.reset();
        if (is_marker(line_))
            at_ += 3;
        if (here() == '%' && column() == 0)
            at_ = end_of_line(at_);
        while (closing_.size() <= deepest_flow && !is_break(here())) {
            if (here() == '#')
                at_ = end_of_line(at_);
            else if (is_blank(here()))
                ++at_;
            else
                walk_token();
        }
        if (closing_.size() <= deepest_flow)
            at_ = found(at_ + 1);
    }

    void walk_token() {
        const char c = here();
        if ((c == '-' || c == '?' || c == ':') && is_blank(here(1))) {
            const std::size_t owner = c == ':' ? key_.value_or(column()) : column();
            // Deeper blocks than these are refused anyhow.
            if (owners_.size() <= deepest_flow && (owners_.empty() || owners_.back() < owner))
                owners_.push_back(owner);
            key_.reset();
            ++at_;
            return;
        }
        if (!key_)
            key_ = column();
        if (c == '!' || c == '&' || c == '*') {
            skip_word();
        } else if (c == '"' || c == '\'') {
            skip_quoted();
        } else if (c == '[' || c == '{') {
            walk_flow();
        } else if (c == '|' || c == '>') {
            at_ = end_of_line(at_);
            skip_further_lines(false);
        } else {
            walk_plain();
        }
    }

    // A tag, anchor or alias.
    void skip_word() {
        at_ = found(here() == '!' && here(1) == '<' ? text_.find('>', at_) : text_.find_first_of(" \t\r\n,[]{}", at_));
    }

    void skip_quoted() {
        const char mark = here();
        for (++at_; at_ < text_.size(); ++at_) {
            const bool is_escape = mark == '"' ? here() == '\\' : here() == mark && here(1) == mark;
            if (is_escape) {
                ++at_;
            } else if (here() == mark) {
                ++at_;
                return;
            }
        }
        at_ = text_.size();
    }

    // A plain scalar outside of flow collections, to the colon behind it if it is a key.
    void walk_plain() {
        for (; !is_break(here()); ++at_) {
            if ((here() == ':' && is_blank(here(1))) || (here() == '#' && is_blank(text_[at_ - 1])))
                return;
        }
        skip_further_lines(true);
    }

    // The further lines of a scalar are empty, or have more spaces in front than its owner. A comment ends a plain one.
    void skip_further_lines(bool is_plain) {
        const std::size_t least = owners_.empty() ? 0 : owners_.back() + 1;
        while (at_ < text_.size()) {
            const std::size_t next = at_ + 1;
            const std::size_t first = found(text_.find_first_not_of(' ', next));
            const std::size_t end = end_of_line(next);
            const bool is_empty = text_.find_first_not_of(" \t", next) >= end;
            const bool is_comment = is_plain && first < end && text_[first] == '#';
            if (!is_empty && (first - next < least || is_marker(next) || is_comment))
                return;
            at_ = end;
        }
    }

    void walk_flow() {
        bool in_plain = false;
        do {
            const char c = here();
            if (c == '#' && (!in_plain || is_blank(text_[at_ - 1]))) {
                at_ = end_of_line(at_);
            } else if (!in_plain && (c == '"' || c == '\'')) {
                skip_quoted();
            } else if (!in_plain && (c == '!' || c == '&' || c == '*')) {
                skip_word();
            } else {
                if (c == '[' || c == '{')
                    closing_.push_back(c == '[' ? ']' : '}');
                if (c == ']' || c == '}')
                    closing_.pop_back();
                const bool is_colon = c == ':' && (!in_plain || is_blank(here(1)) || is_flow_indicator(here(1)));
                in_plain = !is_flow_indicator(c) && !is_colon && (in_plain || !is_blank(c));
                ++at_;
            }
        } while (at_ < text_.size() && !closing_.empty() && closing_.size() <= deepest_flow);
        // A collection that the end of the text cuts short is left as it is.
    }

    std::string_view text_;
    std::size_t at_;
    std::size_t line_ = 0;             // Where the current line starts.
    std::vector<std::size_t> owners_;  // Columns of the blocks around, wider ones last.
    std::optional<std::size_t> key_;   // Column of what may be a key.
    std::string closing_;              // For each open flow collection.
};

}  // namespace

std::string cut_at_depth(std::string_view text) {
    return Walker(text).run();
}

}  // namespace echelon::yaml

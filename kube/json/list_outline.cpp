#include "kube/json/list_outline.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace echelon::kube {

namespace {

constexpr std::string_view white_space = " \t\r\n";

// Where the string that begins before `from` is closed; the end of `text` if it isn't. A quotation mark after an odd
// number of backslashes is escaped.
std::size_t closing_mark(std::string_view text, std::size_t from) {
    for (std::size_t at = from;; ++at) {
        at = text.find('"', at);
        if (at == std::string_view::npos)
            return text.size();
        std::size_t first = at;
        while (first > from && text[first - 1] == '\\')
            --first;
        if ((at - first) % 2 == 0)
            return at;
    }
}

class Outliner {
public:
    explicit Outliner(std::string_view text) : text_(text) {}
    Outline run();

private:
    void on_text(std::string_view quoted);
    void on_opening(std::size_t at);
    void on_closing(std::size_t at);
    void on_comma(std::size_t at);
    void begin_item(std::size_t at);
    void end_item(std::size_t end);
    void note(std::optional<std::string>& value, std::string_view text);
    [[nodiscard]] Outline finish(std::size_t length);

    std::string_view text_;
    std::size_t depth_ = 0;  // Open braces and brackets.
    std::size_t lines_ = 0;
    std::size_t line_start_ = 0;

    bool is_certain_ = true;
    std::string_view key_;  // The key of the document's current member.
    bool in_value_ = false;
    std::optional<std::string> kind_;
    std::optional<std::string> api_version_;

    bool in_items_ = false;
    std::optional<std::size_t> items_first_;  // Behind the opening bracket.
    std::size_t items_last_ = 0;              // The closing bracket.
    Outline::Item item_;
    std::vector<Outline::Item> items_;
};

Outline Outliner::run() {
    for (std::size_t at = 0; at < text_.size(); ++at) {
        switch (text_[at]) {
            case '"': {
                const std::size_t end = closing_mark(text_, at + 1);
                if (depth_ == 1)
                    on_text(text_.substr(at + 1, end - at - 1));
                at = end;
                break;
            }
            case '{':
            case '[':
                on_opening(at);
                break;
            case '}':
            case ']':
                if (depth_ <= 1)
                    return finish(at + 1);
                on_closing(at);
                break;
            case ',':
                on_comma(at);
                break;
            case ':':
                in_value_ = in_value_ || depth_ == 1;
                break;
            case '\n':
                ++lines_;
                line_start_ = at + 1;
                break;
            default:
                break;
        }
    }
    return finish(text_.size());
}

void Outliner::on_text(std::string_view quoted) {
    if (!in_value_) {
        key_ = quoted;
        is_certain_ = is_certain_ && quoted.find('\\') == std::string_view::npos;
    } else if (key_ == "kind") {
        note(kind_, quoted);
    } else if (key_ == "apiVersion") {
        note(api_version_, quoted);
    }
}

void Outliner::note(std::optional<std::string>& value, std::string_view text) {
    is_certain_ = is_certain_ && !value && text.find('\\') == std::string_view::npos;
    value = text;
}

void Outliner::on_opening(std::size_t at) {
    ++depth_;
    if (depth_ != 2 || !in_value_ || key_ != "items")
        return;
    is_certain_ = is_certain_ && !items_first_ && text_[at] == '[';
    in_items_ = true;
    items_first_ = at + 1;
    begin_item(at + 1);
}

void Outliner::on_closing(std::size_t at) {
    --depth_;
    if (!in_items_ || depth_ != 1)
        return;
    end_item(at);
    in_items_ = false;
    items_last_ = at;
    is_certain_ = is_certain_ && text_[at] == ']';
    if (items_.size() == 1 && items_.front().length == 0)
        items_.clear();
}

void Outliner::on_comma(std::size_t at) {
    if (depth_ == 1) {
        in_value_ = false;
        key_ = {};
    } else if (in_items_ && depth_ == 2) {
        end_item(at);
        begin_item(at + 1);
    }
}

void Outliner::begin_item(std::size_t at) {
    item_ = {.start = at, .line = lines_, .column = at - line_start_};
}

void Outliner::end_item(std::size_t end) {
    while (item_.start < end && white_space.find(text_[item_.start]) != std::string_view::npos) {
        ++item_.column;
        if (text_[item_.start++] == '\n') {
            ++item_.line;
            item_.column = 0;
        }
    }
    while (end > item_.start && white_space.find(text_[end - 1]) != std::string_view::npos)
        --end;
    item_.length = end - item_.start;
    items_.push_back(item_);
}

Outline Outliner::finish(std::size_t length) {
    Outline out;
    out.length = length;
    out.is_list = is_certain_ && kind_ && is_list_kind(*kind_) && api_version_ && items_first_ && !in_items_;
    if (!out.is_list)
        return out;
    out.kind = std::move(*kind_);
    out.api_version = std::move(*api_version_);
    out.items = std::move(items_);
    out.frame = text_.substr(0, *items_first_);
    out.frame += text_.substr(items_last_, length - items_last_);
    return out;
}

}  // namespace

Outline outline(std::string_view text) {
    return Outliner(text).run();
}

bool is_list_kind(std::string_view kind) {
    return kind.ends_with("List");
}

}  // namespace echelon::kube

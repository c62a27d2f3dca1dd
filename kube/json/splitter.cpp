#include "kube/json/splitter.hpp"

#include "kube/json/foreign_json.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace echelon::kube {

bool LineSplitter::feed(std::string_view data) {
    while (!data.empty()) {
        const auto end = data.find('\n');
        const std::string_view part = data.substr(0, end);
        const std::string_view kept = part.substr(0, longest_piece - pending_.size());
        length_ += part.size();
        if (end == std::string_view::npos) {
            pending_.append(kept);
            return length_ <= longest_line;
        }
        data.remove_prefix(end + 1);
        std::string_view line = kept;
        if (!pending_.empty()) {
            pending_.append(kept);
            line = pending_;
        }
        const bool is_whole = length_ <= longest_piece;
        const bool more = line.empty() || (is_whole ? take_(line) : take_front_(line));
        pending_.clear();
        length_ = 0;
        if (!more)
            return false;
    }
    return true;
}

bool ListSplitter::feed(std::string_view data) {
    for (const char c : data) {
        if (strings_.take(c) && state_ == State::inside) {
            keep(c);
        } else if (!structural(c)) {
            state_ = State::broken;
            return false;
        }
    }
    return true;
}

// One character outside of strings. White space has no meaning there.
bool ListSplitter::structural(char c) {
    switch (c) {
        case ' ':
        case '\t':
        case '\r':
        case '\n':
            return true;
        case '{':
        case '[':
            return opening(c);
        case '}':
        case ']':
            return closing(c);
        default:
            break;
    }
    if (state_ != State::inside)
        return false;
    if (c == ':' && depth_ == 1 && !key_) {
        if (piece_.size() < 2)
            return false;
        key_ = piece_.substr(1, piece_.size() - 2);
        piece_.clear();
        return true;
    } else if (c == ',' && depth_ == (in_items_ ? 2 : 1)) {
        end_piece();
        return true;
    }
    keep(c);
    return true;
}

bool ListSplitter::opening(char c) {
    if (state_ == State::before && c == '{') {
        state_ = State::inside;
        depth_ = 1;
        return true;
    }
    if (state_ != State::inside)
        return false;
    ++depth_;
    if (c == '[' && depth_ == 2 && key_ == "items" && piece_.empty()) {
        in_items_ = true;
    } else {
        keep(c);
    }
    return true;
}

bool ListSplitter::closing(char c) {
    if (state_ != State::inside)
        return false;
    --depth_;
    const bool ends_items = depth_ == 1 && in_items_;
    if ((ends_items && c != ']') || (depth_ == 0 && c != '}'))
        return false;
    if (depth_ == 0) {
        end_piece();
        state_ = State::after;
    } else if (ends_items) {
        end_piece();
        in_items_ = false;
        key_.reset();
    } else {
        keep(c);
    }
    return true;
}

void ListSplitter::keep(char c) {
    if (piece_.size() < longest_piece) {
        piece_ += c;
    } else {
        too_long_ = true;
    }
}

void ListSplitter::end_piece() {
    if (too_long_) {
        overlong_(piece_);
    } else if (in_items_ && !piece_.empty()) {
        item_(piece_);
    } else if (!in_items_ && key_) {
        member_(*key_, piece_);
    }
    piece_.clear();
    too_long_ = false;
    if (!in_items_)
        key_.reset();
}

base::Result<nlohmann::json> parse_object(std::string_view text) {
    auto parsed = parse_foreign(text, text.size(), deepest_nesting);
    if (!parsed && nesting_of(text, deepest_nesting) > deepest_nesting)
        return parsed;
    if (!parsed || !parsed->is_object())
        return base::failure("isn't a JSON object");
    return parsed;
}

}  // namespace echelon::kube

#include "kube/splitter.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

bool nests_too_deep(std::string_view text) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (in_string) {
            if (c == '\\') {
                ++at;
            } else if (c == '"') {
                in_string = false;
            }
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > deepest_nesting)
                return true;
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return false;
}

}  // namespace

bool LineSplitter::feed(std::string_view data) {
    while (!data.empty()) {
        const auto end = data.find('\n');
        const std::string_view part = data.substr(0, end);
        if (pending_.size() + part.size() > longest_piece) {
            overlong_ = true;
            return false;
        }
        if (end == std::string_view::npos) {
            pending_.append(part);
            return true;
        }
        data.remove_prefix(end + 1);
        std::string_view line = part;
        if (!pending_.empty()) {
            pending_.append(part);
            line = pending_;
        }
        const bool more = line.empty() || take_(line);
        pending_.clear();
        if (!more)
            return false;
    }
    return true;
}

bool ListSplitter::feed(std::string_view data) {
    for (const char c : data) {
        if (in_string_) {
            keep(c);
            if (escaped_) {
                escaped_ = false;
            } else if (c == '\\') {
                escaped_ = true;
            } else if (c == '"') {
                in_string_ = false;
            }
        } else if (!structural(c)) {
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
    if (c == '"') {
        in_string_ = true;
    } else if (c == ':' && depth_ == 1 && key_.empty()) {
        key_ = piece_.size() < 2 ? std::string() : piece_.substr(1, piece_.size() - 2);
        piece_.clear();
        return !key_.empty();
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
    if (depth_ == 0) {
        end_piece();
        state_ = State::after;
    } else if (depth_ == 1 && in_items_) {
        end_piece();
        in_items_ = false;
        key_.clear();
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
        overlong_();
    } else if (in_items_ && !piece_.empty()) {
        item_(piece_);
    } else if (!in_items_ && !key_.empty()) {
        member_(key_, piece_);
    }
    piece_.clear();
    too_long_ = false;
    if (!in_items_)
        key_.clear();
}

model::Result<nlohmann::json> parse_object(std::string_view text) {
    if (nests_too_deep(text))
        return model::failure(fmt::format("nests deeper than {} levels", deepest_nesting));
    nlohmann::json parsed = nlohmann::json::parse(text, nullptr, false);
    if (!parsed.is_object())
        return model::failure("isn't a JSON object");
    return parsed;
}

}  // namespace echelon::kube

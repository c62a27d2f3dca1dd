#pragma once

// Where does one piece of a stream end? Cuts watch lines and list items out of bytes that arrive cut anywhere.
//
// Pure, one stream per object. Memory is that of one piece, whatever the length of the stream: a list of 100,000 pods
// never stands in memory as text. Nothing is validated here beyond what the cut needs; the parser does that.

#include "base/json_strings.hpp"
#include "base/result.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace echelon::kube {

inline constexpr std::size_t longest_piece = std::size_t{4} << 20;
inline constexpr std::size_t longest_line = 16 * longest_piece;
inline constexpr std::size_t deepest_nesting = 64;

// Splits at line feeds. Empty lines are left out; of a line that is longer than longest_piece only the front is kept.
class LineSplitter {
public:
    using Take = std::function<bool(std::string_view line)>;  // False: no more.

    LineSplitter(Take take, Take take_front) : take_(std::move(take)), take_front_(std::move(take_front)) {}

    // False: a taker wants no more, or a line doesn't end within longest_line bytes.
    [[nodiscard]] bool feed(std::string_view data);
    // The stream ended inside a line, if it has ended now.
    [[nodiscard]] bool is_inside_line() const { return length_ > 0; }

private:
    Take take_;
    Take take_front_;  // Of a line that is too long.
    std::string pending_;
    std::size_t length_ = 0;  // Of the line so far, kept or not.
};

// Splits one JSON object with an array `items` into the items and its other members.
class ListSplitter {
public:
    using Item = std::function<void(std::string_view json)>;
    using Member = std::function<void(std::string_view key, std::string_view json)>;
    // An item was left out, since it is longer than longest_piece. This is its front.
    using Overlong = std::function<void(std::string_view front)>;

    ListSplitter(Item item, Member member, Overlong overlong)
        : item_(std::move(item)), member_(std::move(member)), overlong_(std::move(overlong)) {}

    // False: this isn't a JSON object, or its brackets don't fit, so that items may have been lost.
    [[nodiscard]] bool feed(std::string_view data);
    // The closing brace was seen, and nothing behind it.
    [[nodiscard]] bool complete() const { return state_ == State::after; }

private:
    enum class State : std::uint8_t { before, inside, after, broken };

    [[nodiscard]] bool structural(char c);
    [[nodiscard]] bool opening(char c);
    [[nodiscard]] bool closing(char c);
    void keep(char c);
    void end_piece();

    Item item_;
    Member member_;
    Overlong overlong_;
    State state_ = State::before;
    std::string key_;
    std::string piece_;
    bool in_items_ = false;
    base::JsonStrings strings_;
    bool too_long_ = false;
    int depth_ = 0;  // Open braces and brackets.
};

// Parses an object, unless it nests deeper than deepest_nesting or isn't one. Never throws.
[[nodiscard]] base::Result<nlohmann::json> parse_object(std::string_view text);

}  // namespace echelon::kube

#pragma once

// Where does one piece of a stream end? Cuts watch lines and list items out of bytes that arrive in arbitrary chunks.
//
// Pure, one stream per object. Memory is that of one piece: the text of a list of 100,000 pods is never in memory.
// Validates only what the cut needs; the parser does the rest.

#include "base/json_strings.hpp"
#include "base/result.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace echelon::kube {

inline constexpr std::size_t longest_piece = std::size_t{4} << 20;
inline constexpr std::size_t longest_line = 16 * longest_piece;
inline constexpr std::size_t deepest_nesting = 64;

// Splits at line feeds, and skips empty lines. A line longer than longest_piece is cut to that.
class LineSplitter {
public:
    using Take = std::function<bool(std::string_view line)>;  // False: no more.

    LineSplitter(Take take, Take take_front) : take_(std::move(take)), take_front_(std::move(take_front)) {}

    // False: a callback returned false, or a line exceeds longest_line bytes.
    [[nodiscard]] bool feed(std::string_view data);
    // True if the last line has begun and not ended.
    [[nodiscard]] bool is_inside_line() const { return length_ > 0; }

private:
    Take take_;
    Take take_front_;  // Gets the front of a line that is too long.
    std::string pending_;
    std::size_t length_ = 0;  // Bytes of the line so far, kept or not.
};

// Splits one JSON object with an array `items` into the items and its other members.
class ListSplitter {
public:
    using Item = std::function<void(std::string_view json)>;
    using Member = std::function<void(std::string_view key, std::string_view json)>;
    // Gets the front of an item that is longer than longest_piece. The item itself is skipped.
    using Overlong = std::function<void(std::string_view front)>;

    ListSplitter(Item item, Member member, Overlong overlong)
        : item_(std::move(item)), member_(std::move(member)), overlong_(std::move(overlong)) {}

    // False: this isn't a JSON object, or its brackets don't match, so items may be lost.
    [[nodiscard]] bool feed(std::string_view data);
    // The closing brace was the last character.
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
    std::optional<std::string> key_;  // Absent: before the colon, and between items.
    std::string piece_;
    bool in_items_ = false;
    base::JsonStrings strings_;
    bool too_long_ = false;
    int depth_ = 0;  // Open braces and brackets.
};

// Parses an object, unless it nests deeper than deepest_nesting or isn't one. Never throws.
[[nodiscard]] base::Result<nlohmann::json> parse_object(std::string_view text);

}  // namespace echelon::kube

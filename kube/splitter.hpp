#pragma once

// Where does one piece of a stream end? Cuts watch lines and list items out of bytes that arrive cut anywhere.
//
// Pure, one stream per object. Memory is that of one piece, whatever the length of the stream: a list of 100,000 pods
// never stands in memory as text. Nothing is validated here beyond what the cut needs; the parser does that.

#include "model/result.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace echelon::kube {

inline constexpr std::size_t longest_piece = std::size_t{4} << 20;
inline constexpr int deepest_nesting = 64;

// Splits at line feeds. Empty lines are left out.
class LineSplitter {
public:
    using Take = std::function<bool(std::string_view line)>;  // False: no more.

    explicit LineSplitter(Take take) : take_(std::move(take)) {}

    // False: the taker wants no more, or a line is too long.
    [[nodiscard]] bool feed(std::string_view data);
    [[nodiscard]] bool overlong() const { return overlong_; }

private:
    Take take_;
    std::string pending_;
    bool overlong_ = false;
};

// Splits one JSON object with an array `items` into the items and its other members.
class ListSplitter {
public:
    using Item = std::function<void(std::string_view json)>;
    using Member = std::function<void(std::string_view key, std::string_view json)>;
    using Overlong = std::function<void()>;  // An item was left out, since it is longer than longest_piece.

    ListSplitter(Item item, Member member, Overlong overlong)
        : item_(std::move(item)), member_(std::move(member)), overlong_(std::move(overlong)) {}

    // False: this isn't a JSON object.
    [[nodiscard]] bool feed(std::string_view data);
    // The closing brace was seen.
    [[nodiscard]] bool complete() const { return state_ == State::after; }

private:
    enum class State : std::uint8_t { before, inside, after };

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
    bool in_string_ = false;
    bool escaped_ = false;
    bool too_long_ = false;
    int depth_ = 0;  // Open braces and brackets.
};

// Parses an object, unless it nests deeper than deepest_nesting or isn't one. Never throws.
[[nodiscard]] model::Result<nlohmann::json> parse_object(std::string_view text);

}  // namespace echelon::kube

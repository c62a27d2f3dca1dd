#pragma once

// Where does one piece of a protobuf stream end? Cuts the frames of a watch and the items of a list out of bytes that
// arrive cut anywhere, with the bounds of kube/json/splitter.hpp.
//
// Pure, one stream per object. Memory is that of one piece and of what was fed last.

#include "kube/json/splitter.hpp"
#include "kube/protobuf/wire_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace echelon::kube {

// Frames of a watch: a length of four bytes, the highest first, then the frame. Of a frame that is longer than
// longest_piece only the front is kept.
class FrameSplitter {
public:
    using Take = std::function<bool(std::string_view frame)>;  // False: no more.

    FrameSplitter(Take take, Take take_front) : take_(std::move(take)), take_front_(std::move(take_front)) {}

    // False: a taker wants no more, or a frame is longer than longest_line.
    [[nodiscard]] bool feed(std::string_view data);
    [[nodiscard]] bool is_inside_frame() const { return !pending_.empty() || left_ > 0; }

private:
    static constexpr std::size_t length_size = 4;

    [[nodiscard]] bool has_length(std::string_view& data);
    [[nodiscard]] bool take_frame(std::string_view& data);

    Take take_;
    Take take_front_;
    bool in_frame_ = false;
    std::string pending_;     // Of the length, or of the frame.
    std::size_t length_ = 0;  // Of the frame.
    std::size_t left_ = 0;    // Of the frame, not yet fed.
};

// One list in its envelope: magic, a message that holds the list's message, which holds metadata and items.
class ListMessageSplitter {
public:
    using Take = std::function<void(std::string_view message)>;

    // `overlong`: an item was left out, since it is longer than longest_piece. It gets the front.
    ListMessageSplitter(Take item, Take metadata, Take overlong)
        : item_(std::move(item)), metadata_(std::move(metadata)), overlong_(std::move(overlong)) {}

    // False: this isn't such a list, or its lengths don't fit, so that items may have been lost.
    [[nodiscard]] bool feed(std::string_view data);
    // The list was read to its end, and nothing is begun behind it.
    [[nodiscard]] bool complete() const;

private:
    enum class State : std::uint8_t { magic, field, payload, broken };
    enum class Progress : std::uint8_t { made, more_needed, broken };

    [[nodiscard]] Progress step();
    [[nodiscard]] Progress begin_field();
    [[nodiscard]] Progress begin_payload(std::uint64_t length);
    [[nodiscard]] Progress end_payload();
    void consume(std::size_t bytes);

    Take item_;
    Take metadata_;
    Take overlong_;
    State state_ = State::magic;
    std::string pending_;
    std::size_t at_ = 0;  // What is before it in pending_ is done.
    bool in_list_ = false;
    bool had_list_ = false;
    std::uint64_t list_left_ = 0;  // Bytes of the list's message.
    std::uint64_t number_ = 0;     // Of the field that is read.
    std::uint64_t left_ = 0;       // Bytes of its payload that aren't consumed.
    bool too_long_ = false;        // The front of the payload was handed on; the rest is passed over.
};

}  // namespace echelon::kube

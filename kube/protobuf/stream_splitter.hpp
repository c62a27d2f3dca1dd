#pragma once

// Where does one piece of a protobuf stream end? Cuts the frames of a watch and the items of a list out of bytes that
// arrive in arbitrary chunks, with the bounds of kube/json/splitter.hpp.
//
// Pure, one stream per instance. Memory is that of one piece and one chunk.

#include "kube/json/splitter.hpp"
#include "kube/protobuf/wire_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace echelon::kube {

// Frames of a watch: a length of four bytes, big-endian, then the frame. A frame longer than longest_piece is cut to
// that.
class FrameSplitter {
public:
    using Take = std::function<bool(std::string_view frame)>;  // False: no more.

    FrameSplitter(Take take, Take take_front) : take_(std::move(take)), take_front_(std::move(take_front)) {}

    // False: a callback returned false, or a frame is longer than longest_line.
    [[nodiscard]] bool feed(std::string_view data);
    [[nodiscard]] bool is_inside_frame() const { return !pending_.empty() || left_ > 0; }

private:
    static constexpr std::size_t length_size = 4;

    [[nodiscard]] bool has_length(std::string_view& data);
    [[nodiscard]] bool take_frame(std::string_view& data);

    Take take_;
    Take take_front_;
    bool in_frame_ = false;
    std::string pending_;     // Bytes of the length, or of the frame.
    std::size_t length_ = 0;  // Bytes of the whole frame.
    std::size_t left_ = 0;    // Bytes of the frame that are still to come.
};

// One list in its envelope: magic, then a message that contains the list's message, which contains metadata and items.
class ListMessageSplitter {
public:
    using Take = std::function<void(std::string_view message)>;

    // `overlong` gets the front of an item that is longer than longest_piece. The item itself is skipped.
    ListMessageSplitter(Take item, Take metadata, Take overlong)
        : item_(std::move(item)), metadata_(std::move(metadata)), overlong_(std::move(overlong)) {}

    // False: this isn't such a list, or its lengths don't match, so items may be lost.
    [[nodiscard]] bool feed(std::string_view data);
    // The list was read to its end, and no further field has begun.
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
    std::size_t at_ = 0;  // Bytes of pending_ that are consumed.
    bool in_list_ = false;
    bool had_list_ = false;
    std::uint64_t list_left_ = 0;  // Bytes of the list's message that are not consumed.
    std::uint64_t number_ = 0;     // The current field's number.
    std::uint64_t left_ = 0;       // Bytes of the payload that are not consumed.
    bool too_long_ = false;        // The front of the payload was delivered; the rest is skipped.
};

}  // namespace echelon::kube

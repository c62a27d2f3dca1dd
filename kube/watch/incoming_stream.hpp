#pragma once

// How do the bytes of a list or a watch become calls of a ListWatchState? As JSON or as protobuf, by the answer's
// Content-Type.
//
// One instance per answer, used by one thread. An object that can't be read, or is longer than longest_piece, affects
// no other object (BD7).

#include "kube/json/splitter.hpp"
#include "kube/protobuf/message_shape.hpp"
#include "kube/protobuf/stream_splitter.hpp"
#include "kube/watch/list_watch_state.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace echelon::kube {

// The header Accept for objects of this shape; null: JSON alone.
[[nodiscard]] std::string_view accepted(const ObjectShape* shape);

class IncomingList {
public:
    // Requires: both outlive this. `shape` may be null.
    IncomingList(ListWatchState& state, const ObjectShape* shape);

    // To be called before `feed`.
    void opened(std::string_view content_type);
    // False: this isn't a list.
    [[nodiscard]] bool feed(std::string_view data);
    [[nodiscard]] bool complete() const;

private:
    void take_item(std::string_view message);

    ListWatchState& state_;
    const ObjectShape* const shape_;
    bool is_protobuf_ = false;
    ListSplitter json_;
    ListMessageSplitter protobuf_;
    std::string text_;  // One item as JSON.
};

class IncomingWatch {
public:
    using Clock = std::function<ListWatchState::Instant()>;

    // Requires: state and shape outlive this. `shape` may be null.
    IncomingWatch(ListWatchState& state, const ObjectShape* shape, Clock clock);

    // To be called before `feed`.
    void opened(std::string_view content_type);
    // False: the watch must end.
    [[nodiscard]] bool feed(std::string_view data);
    [[nodiscard]] bool is_inside_event() const;

private:
    [[nodiscard]] bool take_frame(std::string_view frame);
    [[nodiscard]] bool take_front(std::string_view frame);

    ListWatchState& state_;
    const ObjectShape* const shape_;
    const Clock clock_;
    bool is_protobuf_ = false;
    LineSplitter json_;
    FrameSplitter protobuf_;
    std::string text_;  // One frame as JSON.
};

}  // namespace echelon::kube

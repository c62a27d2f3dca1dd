#include "kube/watch/incoming_stream.hpp"

#include "kube/protobuf/envelope.hpp"
#include "kube/protobuf/transcoder.hpp"

#include <utility>

namespace echelon::kube {

std::string_view accepted(const ObjectShape* shape) {
    return shape == nullptr ? "application/json" : protobuf_or_json;
}

IncomingList::IncomingList(ListWatchState& state, const ObjectShape* shape)
    : state_(state),
      shape_(shape),
      json_([this](std::string_view item) { state_.list_item(item); },
            [this](std::string_view key, std::string_view member) { state_.list_member(key, member); },
            [this](std::string_view front) { state_.list_item_too_long(front); }),
      protobuf_([this](std::string_view item) { take_item(item); },
                [this](std::string_view metadata) {
                    text_.clear();
                    if (append_message(metadata, list_metadata_shape(), text_))
                        state_.list_member("metadata", text_);
                },
                [this](std::string_view front) {
                    text_.clear();
                    static_cast<void>(append_object(front, *shape_, text_));
                    state_.list_item_too_long(text_);
                }) {}

void IncomingList::opened(std::string_view content_type) {
    is_protobuf_ = shape_ != nullptr && is_protobuf(content_type);
}

bool IncomingList::feed(std::string_view data) {
    return is_protobuf_ ? protobuf_.feed(data) : json_.feed(data);
}

bool IncomingList::complete() const {
    return is_protobuf_ ? protobuf_.complete() : json_.complete();
}

void IncomingList::take_item(std::string_view message) {
    text_.clear();
    const base::Result<void> done = append_object(message, *shape_, text_);
    if (text_.size() > longest_piece)
        return state_.list_item_too_long(std::exchange(text_, {}));
    done ? state_.list_item(text_) : state_.list_item_unreadable(text_, done.error().sentence);
}

IncomingWatch::IncomingWatch(ListWatchState& state, const ObjectShape* shape, Clock clock)
    : state_(state),
      shape_(shape),
      clock_(std::move(clock)),
      json_([this](std::string_view line) { return state_.watch_line(line, clock_()); },
            [this](std::string_view front) { return state_.watch_line_too_long(front, clock_()); }),
      protobuf_([this](std::string_view frame) { return take_frame(frame); },
                [this](std::string_view front) { return take_front(front); }) {}

void IncomingWatch::opened(std::string_view content_type) {
    is_protobuf_ = shape_ != nullptr && is_protobuf(content_type);
}

bool IncomingWatch::feed(std::string_view data) {
    return is_protobuf_ ? protobuf_.feed(data) : json_.feed(data);
}

bool IncomingWatch::is_inside_event() const {
    return is_protobuf_ ? protobuf_.is_inside_frame() : json_.is_inside_line();
}

bool IncomingWatch::take_frame(std::string_view frame) {
    text_.clear();
    const base::Result<void> done = append_event(frame, *shape_, text_);
    if (text_.size() > longest_piece)
        return state_.watch_line_too_long(std::exchange(text_, {}), clock_());
    return done ? state_.watch_line(text_, clock_())
                : state_.watch_line_unreadable(text_, done.error().sentence, clock_());
}

bool IncomingWatch::take_front(std::string_view frame) {
    text_.clear();
    static_cast<void>(append_event(frame, *shape_, text_));
    return state_.watch_line_too_long(text_, clock_());
}

}  // namespace echelon::kube

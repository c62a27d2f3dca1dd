#include "kube/protobuf/stream_splitter.hpp"

#include "kube/protobuf/envelope.hpp"

#include <algorithm>

namespace echelon::kube {

bool FrameSplitter::feed(std::string_view data) {
    while (!data.empty()) {
        if (!in_frame_ && !has_length(data))
            return length_ <= longest_line;
        if (in_frame_ && !take_frame(data))
            return false;
    }
    return true;
}

// Moves bytes of the length from `data` to pending_. False: it is incomplete or too large.
bool FrameSplitter::has_length(std::string_view& data) {
    const std::size_t part = std::min(data.size(), length_size - pending_.size());
    pending_.append(data.substr(0, part));
    data.remove_prefix(part);
    if (pending_.size() < length_size)
        return false;
    length_ = 0;
    for (const char c : pending_)
        length_ = length_ << 8U | static_cast<unsigned char>(c);
    if (length_ > longest_line)
        return false;
    pending_.clear();
    left_ = length_;
    in_frame_ = left_ > 0;  // An empty frame is skipped.
    return true;
}

// False: the callback returned false.
bool FrameSplitter::take_frame(std::string_view& data) {
    const std::string_view part = data.substr(0, left_);
    const bool is_in_one_piece = pending_.empty() && part.size() == left_;
    const std::string_view kept = part.substr(0, longest_piece - pending_.size());
    data.remove_prefix(part.size());
    left_ -= part.size();
    if (!is_in_one_piece)
        pending_.append(kept);
    if (left_ > 0)
        return true;
    in_frame_ = false;
    const std::string_view frame = is_in_one_piece ? kept : std::string_view(pending_);
    const bool more = length_ <= longest_piece ? take_(frame) : take_front_(frame);
    pending_.clear();
    return more;
}

bool ListMessageSplitter::feed(std::string_view data) {
    pending_.append(data);
    Progress progress = Progress::made;
    while (progress == Progress::made)
        progress = step();
    if (progress == Progress::broken)
        state_ = State::broken;
    pending_.erase(0, at_);
    at_ = 0;
    return state_ != State::broken;
}

bool ListMessageSplitter::complete() const {
    return state_ == State::field && had_list_ && !in_list_ && pending_.empty();
}

ListMessageSplitter::Progress ListMessageSplitter::step() {
    const std::string_view rest = std::string_view(pending_).substr(at_);
    switch (state_) {
        case State::magic:
            if (!rest.starts_with(protobuf_magic.substr(0, rest.size())))
                return Progress::broken;
            if (rest.size() < protobuf_magic.size())
                return Progress::more_needed;
            at_ += protobuf_magic.size();
            state_ = State::field;
            return Progress::made;
        case State::field:
            if (in_list_ && list_left_ == 0) {
                in_list_ = false;
                had_list_ = true;
            }
            return rest.empty() ? Progress::more_needed : begin_field();
        case State::payload:
            return end_payload();
        case State::broken:
            break;
    }
    return Progress::broken;
}

// Reads a field's number and length.
ListMessageSplitter::Progress ListMessageSplitter::begin_field() {
    const std::string_view rest = std::string_view(pending_).substr(at_);
    std::uint64_t tag = 0;
    const std::size_t size = varint_size(rest, tag);
    std::uint64_t value = 0;
    const std::size_t more = size == 0 ? 0 : varint_size(rest.substr(size), value);
    const auto type = static_cast<WireReader::Type>(tag & 7U);
    const bool has_fixed = type == WireReader::Type::fixed64 || type == WireReader::Type::fixed32;
    if (size == 0)
        return rest.size() < longest_varint ? Progress::more_needed : Progress::broken;
    if (type != WireReader::Type::varint && type != WireReader::Type::bytes && !has_fixed)
        return Progress::broken;
    if (has_fixed) {
        if (in_list_ && size > list_left_)
            return Progress::broken;
        consume(size);
        number_ = 0;
        return begin_payload(type == WireReader::Type::fixed64 ? 8 : 4);
    }
    if (more == 0)
        return rest.size() - size < longest_varint ? Progress::more_needed : Progress::broken;
    if (in_list_ && size + more > list_left_)
        return Progress::broken;
    consume(size + more);
    if (type == WireReader::Type::varint)
        return Progress::made;
    number_ = tag >> 3U;
    return begin_payload(value);
}

ListMessageSplitter::Progress ListMessageSplitter::begin_payload(std::uint64_t length) {
    if (in_list_ && length > list_left_)
        return Progress::broken;
    if (!in_list_ && number_ == 2) {
        if (had_list_)
            return Progress::broken;
        in_list_ = true;
        list_left_ = length;
        return Progress::made;
    }
    left_ = length;
    state_ = State::payload;
    return Progress::made;
}

// Delivers a payload once it is complete, or the front of one that is too long.
ListMessageSplitter::Progress ListMessageSplitter::end_payload() {
    const std::string_view rest = std::string_view(pending_).substr(at_);
    const bool is_wanted = in_list_ && (number_ == 1 || number_ == 2);
    if (is_wanted && !too_long_ && left_ <= longest_piece) {
        if (rest.size() < left_)
            return Progress::more_needed;
        (number_ == 1 ? metadata_ : item_)(rest.substr(0, left_));
    } else if (is_wanted && !too_long_) {
        if (rest.size() < longest_piece)
            return Progress::more_needed;
        if (number_ == 2)
            overlong_(rest.substr(0, longest_piece));
        too_long_ = true;
    }
    const std::uint64_t part = std::min<std::uint64_t>(left_, rest.size());
    left_ -= part;
    consume(part);
    if (left_ > 0)
        return Progress::more_needed;
    too_long_ = false;
    state_ = State::field;
    return Progress::made;
}

void ListMessageSplitter::consume(std::size_t bytes) {
    at_ += bytes;
    if (in_list_)
        list_left_ -= std::min<std::uint64_t>(bytes, list_left_);
}

}  // namespace echelon::kube

#include "fuzz/stream.hpp"
#include "fuzz/targets.hpp"
#include "kube/json/splitter.hpp"
#include "kube/protobuf/stream_splitter.hpp"
#include "kube/protobuf/transcoder.hpp"
#include "kube/watch/incoming_stream.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace echelon::fuzz {
namespace {

constexpr const char* content_type = "application/vnd.kubernetes.protobuf";

std::vector<std::string> frames_of(std::string_view bytes, std::size_t piece) {
    std::vector<std::string> frames;
    const auto take = [&frames](std::string_view frame) {
        frames.emplace_back(frame);
        return true;
    };
    kube::FrameSplitter splitter(take, take);
    cut(bytes, piece, [&splitter](std::string_view data) { return splitter.feed(data); });
    return frames;
}

std::vector<std::string> items_of(std::string_view bytes, std::size_t piece) {
    std::vector<std::string> items;
    const auto take = [&items](std::string_view item) { items.emplace_back(item); };
    kube::ListMessageSplitter splitter(take, take, take);
    cut(bytes, piece, [&splitter](std::string_view data) { return splitter.feed(data); });
    items.emplace_back(splitter.complete() ? "complete" : "");
    return items;
}

// The first broken promise about the JSON text of an object.
std::string broken_text(std::string_view bytes, const kube::ObjectShape& shape) {
    std::string text;
    const bool is_done = kube::append_object(bytes, shape, text).has_value();
    if (is_done && !kube::parse_object(text))
        return "the text of an object isn't JSON";
    return text.size() <= 100 + 50 * bytes.size() ? "" : "the text of an object is much longer than its message";
}

}  // namespace

// The first byte selects the kind, the second the size of the chunks.
std::string protobuf(std::string_view bytes) {
    if (bytes.size() < 2)
        return {};
    const auto kind = static_cast<unsigned char>(bytes[0]);
    const auto piece = std::size_t{static_cast<unsigned char>(bytes[1])} + 1;
    bytes.remove_prefix(2);
    if (frames_of(bytes, bytes.size()) != frames_of(bytes, piece))
        return "the frames depend on how the stream was cut";
    if (items_of(bytes, bytes.size()) != items_of(bytes, piece))
        return "the items depend on how the stream was cut";
    const auto shapes = kube::object_shapes();
    if (auto broken = broken_text(bytes, shapes[kind % shapes.size()]); !broken.empty())
        return broken;

    Stream stream(kind);
    auto& state = stream.state();
    const kube::ObjectShape* shape = Stream::shape_of(kind);
    state.list_began(Stream::now());
    kube::IncomingList list(state, shape);
    list.opened(content_type);
    cut(bytes, piece, [&list](std::string_view data) { return list.feed(data); });
    state.list_ended({.ending = kube::HttpAnswer::Ending::complete, .status = 200}, list.complete(), Stream::now());
    stream.list_nothing();  // Perhaps the last page of the same list.
    state.watch_began(Stream::now());
    state.watch_opened(Stream::now());
    kube::IncomingWatch watch(state, shape, Stream::now);
    watch.opened(content_type);
    cut(bytes, piece, [&watch](std::string_view data) { return watch.feed(data); });
    state.watch_ended({.ending = kube::HttpAnswer::Ending::complete, .status = 200}, watch.is_inside_event(),
                      Stream::now());
    stream.list_nothing();
    stream.list_nothing();
    return stream.remains();
}

}  // namespace echelon::fuzz

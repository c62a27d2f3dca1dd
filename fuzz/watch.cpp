#include "fuzz/stream.hpp"
#include "fuzz/targets.hpp"
#include "kube/json/splitter.hpp"

#include <string>
#include <vector>

namespace echelon::fuzz {
namespace {

std::vector<std::string> lines_of(std::string_view bytes, std::size_t piece) {
    std::vector<std::string> lines;
    const auto take = [&lines](std::string_view line) {
        lines.emplace_back(line);
        return true;
    };
    kube::LineSplitter splitter(take, take);
    cut(bytes, piece, [&splitter](std::string_view data) { return splitter.feed(data); });
    return lines;
}

}  // namespace

// The first byte selects the kind, the second the size of the chunks.
std::string watch(std::string_view bytes) {
    if (bytes.size() < 2)
        return {};
    const auto kind = static_cast<unsigned char>(bytes[0]);
    const auto piece = std::size_t{static_cast<unsigned char>(bytes[1])} + 1;
    bytes.remove_prefix(2);
    const auto lines = lines_of(bytes, bytes.size());
    if (lines != lines_of(bytes, piece))
        return "the lines depend on how the stream was cut";

    Stream stream(kind);
    auto& state = stream.state();
    stream.list_nothing();
    state.watch_began(Stream::now());
    state.watch_opened(Stream::now());
    for (const std::string& line : lines) {
        if (!state.watch_line(line, Stream::now()))
            break;
    }
    state.watch_ended({.ending = kube::HttpAnswer::Ending::complete, .status = 200}, false, Stream::now());
    static_cast<void>(state.next(Stream::now()));
    stream.list_nothing();
    return stream.remains();
}

}  // namespace echelon::fuzz

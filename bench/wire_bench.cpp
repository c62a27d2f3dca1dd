// How long does one event of a watch of pods take, from bytes to events of the model? JSON and protobuf, each read into
// a tree and in place. The reference is JSON in a tree.

#include "kube/decode.hpp"
#include "kube/json/object_parser.hpp"
#include "kube/json/splitter.hpp"
#include "kube/protobuf/transcoder.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

namespace echelon {
namespace {

enum class Encoding : std::uint8_t { json, protobuf };
enum class Parser : std::uint8_t { tree, in_place };

std::string file(const std::string& name) {
    std::ifstream stream(std::string(ECHELON_SOURCE_DIR) + "/bench/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void must(bool holds) {
    if (!holds)
        throw std::runtime_error("the event of bench/ isn't readable");
}

void tell(const kube::Value& event) {
    auto events = kube::decode(event.find("object"), kube::Change::seen);
    must(events.has_value());
    benchmark::DoNotOptimize(events);
}

void transcode(const std::string& bytes, std::string& text) {
    text.clear();
    must(kube::append_event(bytes, *kube::shape_of("v1", "Pod"), text).has_value());
}

void event(benchmark::State& state, Encoding encoding, Parser how) {
    const std::string bytes = file(encoding == Encoding::json ? "pod_event.json" : "pod_event.protobuf");
    std::string text = bytes;
    kube::ObjectParser parser;
    for (auto _ : state) {
        if (encoding == Encoding::protobuf)
            transcode(bytes, text);
        if (how == Parser::tree) {
            const auto parsed = kube::parse_object(text);
            must(parsed.has_value());
            tell(*parsed);
        } else {
            const auto parsed = parser.parse(text);
            must(parsed.has_value());
            tell(*parsed);
        }
    }
    state.counters["bytes"] = static_cast<double>(bytes.size());
    state.counters["parsed"] = static_cast<double>(text.size());
}

// The steps of the same work.
void transcoding(benchmark::State& state) {
    const std::string bytes = file("pod_event.protobuf");
    std::string text;
    for (auto _ : state)
        transcode(bytes, text);
}

void parsing(benchmark::State& state, Encoding encoding) {
    std::string text = file("pod_event.json");
    if (encoding == Encoding::protobuf)
        transcode(file("pod_event.protobuf"), text);
    kube::ObjectParser parser;
    for (auto _ : state)
        must(parser.parse(text).has_value());
}

BENCHMARK_CAPTURE(event, json_tree, Encoding::json, Parser::tree);
BENCHMARK_CAPTURE(event, json_in_place, Encoding::json, Parser::in_place);
BENCHMARK_CAPTURE(event, protobuf_tree, Encoding::protobuf, Parser::tree);
BENCHMARK_CAPTURE(event, protobuf_in_place, Encoding::protobuf, Parser::in_place);
BENCHMARK(transcoding);
BENCHMARK_CAPTURE(parsing, json, Encoding::json);
BENCHMARK_CAPTURE(parsing, protobuf, Encoding::protobuf);

}  // namespace
}  // namespace echelon

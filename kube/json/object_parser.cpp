#include "kube/json/object_parser.hpp"

#include "kube/json/splitter.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>
#include <simdjson.h>

namespace echelon::kube {

namespace {

// Bytes of a text beyond which the parser is replaced afterwards: it keeps several times the memory of that text.
constexpr std::size_t most_kept = std::size_t{256} << 10;

}  // namespace

struct ObjectParser::State {
    simdjson::dom::parser parser;
    std::string text;     // With padding behind it, which the parser reads.
    nlohmann::json tree;  // For a text that can't be read in place.
};

ObjectParser::ObjectParser() : state_(std::make_unique<State>()) {}

ObjectParser::~ObjectParser() = default;

base::Result<Value> ObjectParser::parse(std::string_view text) {
    if (state_->text.capacity() > most_kept && text.size() <= most_kept)
        *state_ = State();
    State& state = *state_;
    state.text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    state.text.assign(text).append(simdjson::SIMDJSON_PADDING, '\0');
    simdjson::dom::element root;
    const auto error = state.parser.parse(state.text.data(), text.size(), false).get(root);
    if (error == simdjson::SUCCESS && root.is_object() && is_sound(root, 0))
        return Value(root);
    base::Result<nlohmann::json> parsed = parse_object(text);
    if (!parsed)
        return std::unexpected(std::move(parsed.error()));
    state.tree = std::move(*parsed);
    return Value(state.tree);
}

}  // namespace echelon::kube

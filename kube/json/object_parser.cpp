#include "kube/json/object_parser.hpp"

#include "kube/json/splitter.hpp"

#include <string>
#include <utility>

#include <nlohmann/json.hpp>
#include <simdjson.h>

namespace echelon::kube {

struct ObjectParser::State {
    simdjson::dom::parser parser;
    std::string text;     // With room behind its end that the parser may read.
    nlohmann::json tree;  // Of a text that can't be read in place.
};

ObjectParser::ObjectParser() : state_(std::make_unique<State>()) {}

ObjectParser::~ObjectParser() = default;

base::Result<Value> ObjectParser::parse(std::string_view text) {
    State& state = *state_;
    state.text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    state.text.assign(text);
    simdjson::dom::element root;
    const auto error = state.parser.parse(state.text.data(), state.text.size(), false).get(root);
    if (error == simdjson::SUCCESS && root.is_object() && is_sound(root, 0))
        return Value(root);
    base::Result<nlohmann::json> parsed = parse_object(text);
    if (!parsed)
        return std::unexpected(std::move(parsed.error()));
    state.tree = std::move(*parsed);
    return Value(state.tree);
}

}  // namespace echelon::kube

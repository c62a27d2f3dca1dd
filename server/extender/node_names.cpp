#include "server/extender/node_names.hpp"

#include "base/json_strings.hpp"
#include "server/extender/name_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace echelon::server {
namespace {

// The text of an array whose last token was just read. `behind`: the next token.
std::string_view array_text(const char* begin, const char* behind) {
    while (behind > begin && *(behind - 1) != ']')
        --behind;
    return {begin, static_cast<std::size_t>(behind - begin)};
}

// Escapes are legal but never needed in a node name; without them, names compare as bytes.
Problem rewrite_names(FilterArgs& args) {
    simdjson::padded_string copy(args.names_json);
    ondemand::parser parser;
    ondemand::document document;
    ondemand::array array;
    if (auto error = parser.iterate(copy).get(document))
        return malformed(error);
    if (auto error = document.get_array().get(array))
        return malformed(error);
    std::string text = "[";
    std::size_t first_bytes = 0;
    for (auto element : array) {
        std::string_view name;
        if (auto error = element.get_string().get(name))
            return malformed(error);
        if (text.size() > 1)
            text += ',';
        base::append_json_string(text, name);
        if (first_bytes == 0)
            first_bytes = text.size() - 1;
    }
    text += ']';
    const auto length = text.size();
    text.append(name_list_padding, ' ');
    args.rewritten = std::make_unique<const std::string>(std::move(text));
    args.names_json = std::string_view(*args.rewritten).substr(0, length);
    args.first = args.names_json.substr(1, first_bytes);
    return std::nullopt;
}

}  // namespace

Problem read_names(JsonBody& body, ondemand::value value, std::string_view text, FilterArgs& args) {
    args.names_json = "[]";
    args.is_planned_node_offered = false;
    args.count = 0;
    args.first = {};
    if (is_null(value))
        return std::nullopt;
    const char* begin = value.raw_json_token().data();
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS)
        return problem("NodeNames", "must be an array");
    const char* first = nullptr;
    const char* end = text.data() + text.size();
    auto is_sought = [&planned_node = args.planned_node, end](const char* name) {
        std::string_view rest(name, static_cast<std::size_t>(end - name));
        return rest.size() > planned_node.size() && rest[planned_node.size()] == '"' && rest.starts_with(planned_node);
    };
    for (auto element : array) {
        ondemand::raw_json_string name;
        if (element.get_raw_json_string().get(name) != simdjson::SUCCESS) {
            return problem("NodeNames", "must hold strings only");
        }
        if (first == nullptr)
            first = name.raw();
        ++args.count;
        args.is_planned_node_offered = args.is_planned_node_offered || is_sought(name.raw());
    }
    const char* behind = body.location();
    if (behind == nullptr || args.count == 0)
        return std::nullopt;
    args.names_json = array_text(begin, behind);
    if (args.names_json.contains('\\'))
        return rewrite_names(args);
    auto rest = args.names_json.substr(static_cast<std::size_t>(first - begin));
    args.first = {first - 1, std::min(rest.find('"'), rest.size() - 1) + 2};
    return std::nullopt;
}

bool FilterArgs::offers(std::string_view node) const {
    if (!node.empty() && planned_node == node && !rewritten)
        return is_planned_node_offered;
    std::string quoted;
    base::append_json_string(quoted, node);
    return ::memmem(names_json.data(), names_json.size(), quoted.data(), quoted.size()) != nullptr;
}

}  // namespace echelon::server

#include "server/extender/json_walk.hpp"

#include "server/http/json_syntax.hpp"
#include "server/http/json_text.hpp"
#include "server/http/request.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include <fmt/format.h>

namespace echelon::server {
namespace {

static_assert(simdjson::SIMDJSON_PADDING <= body_padding);

// A parser keeps memory for its largest body; above this size a new one replaces it.
constexpr std::size_t kept_capacity = 1024 * 1024;

ondemand::parser& parser() {
    thread_local ondemand::parser kept;
    if (kept.capacity() > kept_capacity)
        kept = ondemand::parser{};
    return kept;
}

Problem objection_to_syntax(Syntax syntax, std::string_view name) {
    if (syntax == Syntax::too_deep)
        return problem(name, fmt::format("is nested deeper than {} levels", deepest_json));
    if (syntax == Syntax::broken)
        return base::Error{fmt::format("the body isn't valid JSON ({} can't be read)", name)};
    return std::nullopt;
}

}  // namespace

Problem problem(std::string_view field, std::string_view what) {
    return base::Error{fmt::format("{} {}", field, what)};
}

Problem malformed(simdjson::error_code error) {
    return base::Error{fmt::format("the body isn't valid JSON ({})", simdjson::error_message(error))};
}

Problem objection_to(std::string_view text, std::string_view name) {
    auto [syntax, length] = judge_value(text);
    if (syntax == Syntax::sound && text.find_first_not_of(" \t\r\n", length) != std::string_view::npos)
        syntax = Syntax::broken;
    return objection_to_syntax(syntax, name);
}

Problem objection_to_first(std::string_view text, std::string_view name) {
    return objection_to_syntax(judge_value(text).syntax, name);
}

Problem skip(std::string_view key, ondemand::value value) {
    std::string_view json;
    if (auto error = simdjson::to_json_string(value).get(json))
        return malformed(error);
    return objection_to(json, printable(key));
}

bool is_named(std::string_view key, std::string_view name) {
    auto lower = [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
    return std::ranges::equal(key, name, {}, lower, lower);
}

simdjson::error_code JsonBody::open(std::string_view text) {
    simdjson::padded_string_view padded(text.data(), text.size(), text.size() + body_padding);
    if (auto error = parser().iterate(padded).get(document_))
        return error;
    return document_.get_object().get(root_);
}

}  // namespace echelon::server

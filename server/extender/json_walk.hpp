#pragma once

// How is the JSON of a request body walked through and read?
//
// Field by field and in place, without a document in memory. A problem is a sentence about the body. Only the readers
// of bodies include this. Thread-safe: each thread has its own parser.

#include "base/result.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace echelon::server {

namespace ondemand = simdjson::ondemand;

// What is wrong with a body; nullopt: nothing.
using Problem = std::optional<base::Error>;

// "FIELD WHAT"
[[nodiscard]] Problem problem(std::string_view field, std::string_view what);
// The body isn't JSON.
[[nodiscard]] Problem malformed(simdjson::error_code error);
// Checks the syntax and depth of a text that is one value; the parser only counts brackets in what it skips.
[[nodiscard]] Problem objection_to(std::string_view text, std::string_view name);
// The same for the value that `text` begins with.
[[nodiscard]] Problem objection_to_first(std::string_view text, std::string_view name);
// Checks the syntax and depth of a value that is not read.
[[nodiscard]] Problem skip(std::string_view key, ondemand::value value);
// True if both are equal in any case, as Go compares names of fields.
[[nodiscard]] bool is_named(std::string_view key, std::string_view name);

[[nodiscard]] inline bool is_null(ondemand::value& value) {
    ondemand::json_type type{};
    bool null = false;
    return value.type().get(type) == simdjson::SUCCESS && type == ondemand::json_type::null &&
           value.is_null().get(null) == simdjson::SUCCESS && null;
}

// Calls `take(key, value)` for each field until it returns a problem.
template <typename Take>
[[nodiscard]] Problem walk(ondemand::object& object, const Take& take) {
    for (auto field : object) {
        std::string_view key;
        ondemand::value value;
        if (auto error = field.unescaped_key().get(key))
            return malformed(error);
        if (auto error = field.value().get(value))
            return malformed(error);
        if (auto found = take(key, value))
            return found;
    }
    return std::nullopt;
}

// The same for a value that must be an object or null. Null has no fields.
template <typename Take>
[[nodiscard]] Problem for_each_field(ondemand::value value, std::string_view name, const Take& take) {
    if (is_null(value))
        return std::nullopt;
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS)
        return problem(name, "must be an object");
    return walk(object, take);
}

// Calls `take(value)` for each element until it returns a problem. Null has no elements.
template <typename Take>
[[nodiscard]] Problem for_each_element(ondemand::value value, std::string_view name, const Take& take) {
    if (is_null(value))
        return std::nullopt;
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS)
        return problem(name, "must be an array");
    for (auto element : array) {
        ondemand::value inner;
        if (auto error = element.get(inner))
            return malformed(error);
        if (auto found = take(inner))
            return found;
    }
    return std::nullopt;
}

// Null leaves `into` empty.
template <typename Into>
[[nodiscard]] Problem read_string(ondemand::value value, std::string_view name, Into& into) {
    into.clear();
    if (is_null(value))
        return std::nullopt;
    std::string_view text;
    if (value.get_string().get(text) != simdjson::SUCCESS)
        return problem(name, "must be a string");
    into = text;
    return std::nullopt;
}

// The document of a body, in this thread's parser: one at a time.
class JsonBody {
public:
    // Calls `take(key, value)` for each field of the root object until it returns a problem. Requires: `body_padding`
    // readable bytes behind the text.
    template <typename Take>
    [[nodiscard]] Problem for_each_field(std::string_view text, const Take& take) {
        if (auto error = open(text))
            return malformed(error);
        if (auto found = walk(root_, take))
            return found;
        return location() == nullptr ? std::nullopt : malformed(simdjson::TRAILING_CONTENT);
    }

    // The position of the parser: the end of the value just read. Nullptr after the last token.
    [[nodiscard]] const char* location() {
        const char* here = nullptr;
        return document_.current_location().get(here) == simdjson::SUCCESS ? here : nullptr;
    }

private:
    [[nodiscard]] simdjson::error_code open(std::string_view text);

    ondemand::document document_;
    ondemand::object root_;
};

}  // namespace echelon::server

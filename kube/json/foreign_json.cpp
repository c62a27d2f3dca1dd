#include "kube/json/foreign_json.hpp"

#include "base/json_strings.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

namespace echelon::kube {

using nlohmann::json;

std::size_t nesting_of(std::string_view text, std::size_t most) {
    std::size_t depth = 0;
    std::size_t deepest = 0;
    base::JsonStrings strings;
    for (const char c : text) {
        if (deepest > most)
            break;
        if (strings.take(c))
            continue;
        if (c == '[' || c == '{') {
            deepest = std::max(deepest, ++depth);
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
    return deepest;
}

base::Result<json> parse_foreign(std::string_view text, std::size_t most_bytes, std::size_t most_depth) {
    if (text.size() > most_bytes)
        return base::failure(fmt::format("is {} bytes long, more than {}", text.size(), most_bytes));
    if (nesting_of(text, most_depth) > most_depth)
        return base::failure(fmt::format("nests deeper than {} levels", most_depth));
    // The parser takes a NUL for the end of the text, and no JSON has one.
    json parsed = json::parse(text, nullptr, false);
    if (parsed.is_discarded() || text.contains('\0'))
        return base::failure("can't be read");
    return parsed;
}

namespace {

std::string in_lower_case(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

// True if some object has two keys that differ only in case. The recursion is bounded by the depth of the text.
bool has_rival_keys(const json& parsed) {
    std::set<std::string> keys;
    if (parsed.is_object()) {
        for (auto member = parsed.begin(); member != parsed.end(); ++member) {
            if (!keys.insert(in_lower_case(member.key())).second)
                return true;
        }
    }
    return parsed.is_structured() && std::ranges::any_of(parsed, has_rival_keys);
}

}  // namespace

base::Result<json> parse_foreign(std::string_view text, const model::Limits& limits) {
    if (text.size() > limits.annotation_bytes) {
        return base::failure(fmt::format("is {} bytes long, more than the {} that are parsed (limits.annotationBytes)",
                                         text.size(), limits.annotation_bytes));
    }
    if (nesting_of(text, limits.annotation_depth) > limits.annotation_depth) {
        return base::failure(
            fmt::format("nests deeper than {} levels (limits.annotationDepth)", limits.annotation_depth));
    }
    base::Result<json> parsed = parse_foreign(text, limits.annotation_bytes, limits.annotation_depth);
    if (parsed && has_rival_keys(*parsed))
        return base::failure("has keys that differ only in case");
    return parsed;
}

const json* part_of(const json& object, std::string_view key) {
    if (!object.is_object())
        return nullptr;
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

const json* part_in_any_case(const json& object, std::string_view key) {
    if (!object.is_object())
        return nullptr;
    const std::string wanted = in_lower_case(key);
    for (auto member = object.begin(); member != object.end(); ++member) {
        if (in_lower_case(member.key()) == wanted)
            return &*member;
    }
    return nullptr;
}

std::string text_in(const json& object, std::string_view key) {
    const json* found = part_of(object, key);
    return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

std::string metadata_of(const json& object, std::string_view key) {
    const json* metadata = part_of(object, "metadata");
    return metadata == nullptr ? std::string() : text_in(*metadata, key);
}

}  // namespace echelon::kube

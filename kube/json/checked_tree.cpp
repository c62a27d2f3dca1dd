// How does simdjson's tape become a tree of values? Slower than reading in place, but it can be kept, and faults have
// paths.

#include "kube/json/quoted_text.hpp"
#include "kube/json/value.hpp"
#include "kube/json/yaml_documents.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <simdjson.h>

namespace echelon::kube {

namespace {

namespace dom = simdjson::dom;
using nlohmann::json;

constexpr std::size_t longest_path = 300;

// Converts an element into a tree. Depth is capped, and so is the recursion.
class Converter {
public:
    // nullopt: see `fault`.
    [[nodiscard]] std::optional<json> convert(dom::element element, std::size_t depth);
    // "spec.containers[0]: the key is given twice".
    [[nodiscard]] std::string fault() const {
        const bool is_long = path_.size() > longest_path;
        return path_.empty() ? what_ : path_.substr(0, longest_path) + (is_long ? "...: " : ": ") + what_;
    }

private:
    std::optional<json> convert_list(dom::array list, std::size_t depth);
    std::optional<json> convert_object(dom::object object, std::size_t depth);
    std::optional<json> fail(std::string what) {
        what_ = std::move(what);
        return std::nullopt;
    }
    // Called while a failure unwinds, innermost part first.
    void within(std::string part) {
        if (!path_.empty() && path_[0] != '[')
            part += '.';
        path_ = std::move(part) + path_;
    }

    std::string path_;
    std::string what_;
};

std::optional<json> Converter::convert(dom::element element, std::size_t depth) {
    if (depth > deepest_document)
        return fail(fmt::format("nested deeper than {}", deepest_document));
    switch (element.type()) {
        case dom::element_type::OBJECT:
            return convert_object(element.get_object().value_unsafe(), depth);
        case dom::element_type::ARRAY:
            return convert_list(element.get_array().value_unsafe(), depth);
        case dom::element_type::STRING:
            return json(element.get_string().value_unsafe());
        case dom::element_type::INT64:
            return json(element.get_int64().value_unsafe());
        case dom::element_type::UINT64:
            return json(element.get_uint64().value_unsafe());
        case dom::element_type::DOUBLE:
            return json(element.get_double().value_unsafe());
        case dom::element_type::BOOL:
            return json(element.get_bool().value_unsafe());
        case dom::element_type::NULL_VALUE:
            return json(nullptr);
    }
    return fail("isn't valid JSON");
}

std::optional<json> Converter::convert_list(dom::array list, std::size_t depth) {
    json out = json::array();
    for (dom::element item : list) {
        std::optional<json> converted = convert(item, depth + 1);
        if (!converted) {
            within(fmt::format("[{}]", out.size()));
            return std::nullopt;
        }
        out.push_back(std::move(*converted));
    }
    return out;
}

std::optional<json> Converter::convert_object(dom::object object, std::size_t depth) {
    json out = json::object();
    for (const dom::key_value_pair& entry : object) {
        std::optional<json> converted = convert(entry.value, depth + 1);
        if (converted && !out.emplace(std::string(entry.key), std::move(*converted)).second) {
            converted = fail("the key is given twice");
        }
        if (!converted) {
            within(shown_bare(entry.key));
            return std::nullopt;
        }
    }
    return out;
}

bool has_duplicate_keys(dom::object object) {
    constexpr std::size_t few = 32;
    std::array<std::string_view, few> keys;
    std::size_t seen = 0;
    for (const dom::key_value_pair member : object) {
        const auto end = keys.begin() + static_cast<std::ptrdiff_t>(std::min(seen, few));
        if (std::find(keys.begin(), end, member.key) != end)
            return true;
        if (seen < few)
            keys[seen] = member.key;
        ++seen;
    }
    if (seen <= few)
        return false;
    std::vector<std::string_view> all;
    for (const dom::key_value_pair member : object)
        all.push_back(member.key);
    std::ranges::sort(all);
    return std::ranges::adjacent_find(all) != all.end();
}

}  // namespace

base::Result<json> checked_tree(const dom::element& parsed, std::size_t depth) {
    Converter converter;
    std::optional<json> tree = converter.convert(parsed, depth);
    if (!tree)
        return base::failure(converter.fault());
    return std::move(*tree);
}

// Depth is capped, and so is the recursion.
bool is_sound(const dom::element& parsed, std::size_t depth) {
    if (depth > deepest_document)
        return false;
    const dom::element_type type = parsed.type();
    if (type == dom::element_type::OBJECT) {
        const dom::object object = parsed.get_object().value_unsafe();
        bool is_sorted = true;  // Sorted keys, as most objects have, can't be duplicates.
        std::string_view last;
        bool is_first = true;
        for (const dom::key_value_pair member : object) {
            is_sorted = is_sorted && (std::exchange(is_first, false) || last < member.key);
            last = member.key;
            if (!is_sound(member.value, depth + 1))
                return false;
        }
        return is_sorted || !has_duplicate_keys(object);
    }
    if (type != dom::element_type::ARRAY)
        return true;
    const dom::array list = parsed.get_array().value_unsafe();
    for (const dom::element item : list) {
        if (!is_sound(item, depth + 1))
            return false;
    }
    return true;
}

}  // namespace echelon::kube

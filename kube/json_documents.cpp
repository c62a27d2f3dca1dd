#include "kube/json_documents.hpp"

#include "kube/shown.hpp"
#include "kube/yaml_documents.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <simdjson.h>

namespace echelon::kube {

namespace {

namespace dom = simdjson::dom;
using nlohmann::json;

constexpr std::string_view white_space = " \t\r\n";

// The end of the value that starts at the front: where its brackets close. The whole text if they don't.
std::size_t end_of_document(std::string_view text) {
    std::size_t depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        switch (text[at]) {
            case '"':
                // To the closing quotation mark; what is escaped closes nothing.
                for (++at; at < text.size() && text[at] != '"'; ++at) {
                    if (text[at] == '\\')
                        ++at;
                }
                break;
            case '{':
            case '[':
                ++depth;
                break;
            case '}':
            case ']':
                if (depth <= 1)
                    return at + 1;
                --depth;
                break;
            default:
                break;
        }
    }
    return text.size();
}

constexpr std::size_t longest_path = 300;

// Turns a parsed value into ours. Depth is capped, so the recursion is short.
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
    // Called on the way out of a failure, innermost part first.
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
            const std::string quoted = shown(entry.key);
            within(quoted.substr(1, quoted.size() - 2));
            return std::nullopt;
        }
    }
    return out;
}

// Explains what simdjson only refuses: finds the line and column. Keeps nothing of what it reads.
class Explainer : public nlohmann::json_sax<json> {
public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(std::int64_t) override { return true; }
    bool number_unsigned(std::uint64_t) override { return true; }
    bool number_float(double, const std::string&) override { return true; }
    bool string(std::string&) override { return true; }
    bool binary(json::binary_t&) override { return true; }
    bool start_object(std::size_t) override { return true; }
    bool key(std::string&) override { return true; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
        position_ = position;
        return false;
    }
    [[nodiscard]] std::size_t position() const { return position_; }

private:
    std::size_t position_ = 0;
};

std::string syntax_fault(std::string_view text, simdjson::error_code error) {
    if (error == simdjson::DEPTH_ERROR)
        return fmt::format("nested deeper than {}", deepest_document);
    Explainer explainer;
    if (json::sax_parse(text, &explainer)) {
        return fmt::format("isn't valid JSON: {}", simdjson::error_message(error));
    }
    const std::string_view before = text.substr(0, std::min(explainer.position(), text.size()));
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t newline = before.rfind('\n');
    const std::size_t column = newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
    return fmt::format("isn't valid JSON at line {}, column {} of the document", line, column);
}

// Takes the items of a list; nullopt: the document is no list.
std::optional<model::Result<void>> take_items(dom::object object, const std::string& place, const TakeObject& take) {
    std::string_view kind;
    std::string_view api_version;
    dom::array items;
    if (object["kind"].get(kind) != simdjson::SUCCESS || !is_list_kind(kind))
        return std::nullopt;
    if (object["items"].get(items) != simdjson::SUCCESS)
        return std::nullopt;
    if (object["apiVersion"].get(api_version) != simdjson::SUCCESS)
        return std::nullopt;
    std::size_t index = 0;
    for (dom::element item : items) {
        const std::string item_place = fmt::format("{}, items[{}]", place, index++);
        Converter converter;
        std::optional<json> converted = converter.convert(item, 1);
        if (!converted)
            return model::failure(fmt::format("{}: {}", item_place, converter.fault()));
        complete_item(*converted, api_version, kind);
        if (model::Result<void> taken = take(std::move(*converted), item_place); !taken)
            return taken;
    }
    return model::Result<void>();
}

}  // namespace

bool is_list_kind(std::string_view kind) {
    return kind.ends_with("List");
}

void complete_item(json& item, std::string_view list_api_version, std::string_view list_kind) {
    if (!item.is_object() || list_kind == "List")
        return;
    if (!item.contains("apiVersion"))
        item["apiVersion"] = list_api_version;
    if (!item.contains("kind"))
        item["kind"] = list_kind.substr(0, list_kind.size() - 4);
}

bool looks_like_json(std::string_view text) {
    const std::size_t start = text.find_first_not_of(white_space);
    if (start == std::string_view::npos || text[start] != '{')
        return false;
    const std::size_t next = text.find_first_not_of(white_space, start + 1);
    return next != std::string_view::npos && (text[next] == '"' || text[next] == '}');
}

model::Result<std::size_t> read_json_document(std::string_view text, std::size_t number, const TakeObject& take) {
    const std::string place = fmt::format("document {}", number);
    const std::size_t length = end_of_document(text);
    const std::string_view document = text.substr(0, length);
    dom::parser parser;
    dom::element root;
    const simdjson::error_code error = parser.parse(document.data(), document.size(), false).get(root);
    if (error != simdjson::SUCCESS) {
        return model::failure(fmt::format("{}: {}", place, syntax_fault(document, error)));
    }
    dom::object object;
    if (root.get(object) == simdjson::SUCCESS) {
        if (std::optional<model::Result<void>> taken = take_items(object, place, take)) {
            if (!*taken)
                return std::unexpected(std::move(taken->error()));
            return length;
        }
    }
    Converter converter;
    std::optional<json> converted = converter.convert(root, 0);
    if (!converted)
        return model::failure(fmt::format("{}: {}", place, converter.fault()));
    if (model::Result<void> taken = take(std::move(*converted), place); !taken) {
        return std::unexpected(std::move(taken.error()));
    }
    return length;
}

}  // namespace echelon::kube

#include "kube/json_documents.hpp"

#include "kube/list_outline.hpp"
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

// What is wrong with a text, which stands behind `line` line feeds and `column` more bytes of its document. What
// follows the text decides where an end came too early.
std::string syntax_fault(std::string_view text, std::string_view with_rest, const Outline::Item& place,
                         simdjson::error_code error) {
    if (error == simdjson::DEPTH_ERROR)
        return fmt::format("nested deeper than {}", deepest_document);
    Explainer explainer;
    if (json::sax_parse(text, &explainer))
        return fmt::format("isn't valid JSON: {}", simdjson::error_message(error));
    json::sax_parse(with_rest, &explainer);
    const std::string_view before = with_rest.substr(0, std::min(explainer.position(), with_rest.size()));
    const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
    const std::size_t newline = before.rfind('\n');
    const std::size_t column =
        newline == std::string_view::npos ? place.column + before.size() : before.size() - newline - 1;
    return fmt::format("isn't valid JSON at line {}, column {} of the document", 1 + place.line + lines, column);
}

bool says_its_kind(dom::element item) {
    return item.is_object() && item["kind"].error() == simdjson::SUCCESS &&
           item["apiVersion"].error() == simdjson::SUCCESS;
}

// Reads the items of a list one by one, so that no more than one is in memory as a tree.
class ListReader {
public:
    ListReader(std::string_view document, const Outline& outline, std::string place)
        : document_(document), outline_(outline), place_(std::move(place)) {}

    // False: the list isn't one; nothing was taken.
    [[nodiscard]] bool has_sound_frame() {
        const simdjson::padded_string frame(outline_.frame);
        return parser_.parse(frame).error() == simdjson::SUCCESS;
    }
    model::Result<void> read(const TakeObject& take, const Passed& passed);

private:
    [[nodiscard]] simdjson::error_code parse(const Outline::Item& item, dom::element& root) {
        return parser_.parse(document_.data() + item.start, item.length, false).get(root);
    }
    model::Result<void> read_item(dom::element root, std::size_t index, const TakeObject& take);
    // A fault of the text anywhere comes before the meaning of what stands in front of it.
    [[nodiscard]] std::optional<model::Error> fault_behind(std::size_t index);

    std::string_view document_;
    const Outline& outline_;
    std::string place_;
    dom::parser parser_;
};

model::Result<void> ListReader::read(const TakeObject& take, const Passed& passed) {
    for (std::size_t index = 0; index < outline_.items.size(); ++index) {
        dom::element root;
        if (parse(outline_.items[index], root) != simdjson::SUCCESS)
            return std::unexpected(*fault_behind(index));
        if (model::Result<void> taken = read_item(root, index, take); !taken) {
            std::optional<model::Error> fault = fault_behind(index + 1);
            return fault ? std::unexpected(std::move(*fault)) : taken;
        }
        if (passed)
            passed(outline_.items[index].start);
    }
    return {};
}

model::Result<void> ListReader::read_item(dom::element root, std::size_t index, const TakeObject& take) {
    const std::string place = fmt::format("{}, items[{}]", place_, index);
    // What is complete and sound is read in place.
    if (is_sound(root, 1) && (outline_.kind == "List" || says_its_kind(root)))
        return take(Value(root), place);
    model::Result<json> item = checked_tree(root, 1);
    if (!item)
        return model::failure(fmt::format("{}: {}", place, item.error().sentence));
    complete_item(*item, outline_.api_version, outline_.kind);
    return take(*item, place);
}

std::optional<model::Error> ListReader::fault_behind(std::size_t index) {
    for (; index < outline_.items.size(); ++index) {
        const Outline::Item& item = outline_.items[index];
        dom::element root;
        const simdjson::error_code error = parse(item, root);
        if (error == simdjson::SUCCESS)
            continue;
        const std::string what =
            syntax_fault(document_.substr(item.start, item.length), document_.substr(item.start), item, error);
        return model::Error{fmt::format("{}: {}", place_, what)};
    }
    return std::nullopt;
}

}  // namespace

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

model::Result<std::size_t> read_json_document(std::string_view text, std::size_t number, const TakeObject& take,
                                              const Passed& passed) {
    const std::string place = fmt::format("document {}", number);
    const Outline found = outline(text);
    const std::string_view document = text.substr(0, found.length);
    if (ListReader list(document, found, place); found.is_list && list.has_sound_frame()) {
        if (model::Result<void> read = list.read(take, passed); !read)
            return std::unexpected(std::move(read.error()));
        return found.length;
    }
    dom::parser parser;
    dom::element root;
    const simdjson::error_code error = parser.parse(document.data(), document.size(), false).get(root);
    if (error != simdjson::SUCCESS)
        return model::failure(fmt::format("{}: {}", place, syntax_fault(document, document, {}, error)));
    if (!is_sound(root, 0))
        return model::failure(fmt::format("{}: {}", place, checked_tree(root, 0).error().sentence));
    if (model::Result<void> taken = take(Value(root), place); !taken)
        return std::unexpected(std::move(taken.error()));
    return found.length;
}

}  // namespace echelon::kube

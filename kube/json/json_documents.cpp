#include "kube/json/json_documents.hpp"

#include "kube/json/list_outline.hpp"
#include "kube/json/ordered_parallel.hpp"
#include "kube/json/yaml_documents.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <simdjson.h>

namespace echelon::kube {

namespace {

namespace dom = simdjson::dom;
using nlohmann::json;

constexpr std::string_view white_space = " \t\r\n";

// Finds the position of a syntax error, which simdjson doesn't give. Keeps no values.
class SyntaxErrorFinder : public nlohmann::json_sax<json> {
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

// Describes a syntax error of `text`, which begins at `place` in its document. `with_rest`: the text with all that
// follows it, for an item that ends too early.
std::string syntax_fault(std::string_view text, std::string_view with_rest, const Outline::Item& place,
                         simdjson::error_code error) {
    if (error == simdjson::DEPTH_ERROR)
        return fmt::format("nested deeper than {}", deepest_document);
    SyntaxErrorFinder finder;
    if (json::sax_parse(text, &finder))
        return fmt::format("isn't valid JSON: {}", simdjson::error_message(error));
    json::sax_parse(with_rest, &finder);
    const std::string_view before = with_rest.substr(0, std::min(finder.position(), with_rest.size()));
    const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
    const std::size_t newline = before.rfind('\n');
    const std::size_t column =
        newline == std::string_view::npos ? place.column + before.size() : before.size() - newline - 1;
    return fmt::format("isn't valid JSON at line {}, column {} of the document", 1 + place.line + lines, column);
}

// Besides the thread that consumes; more than four only wait for it.
std::size_t reading_threads() {
    const std::size_t cores = std::thread::hardware_concurrency();
    return cores < 2 ? 0 : std::min<std::size_t>(cores, 4);
}

bool says_its_kind(dom::element item) {
    return item.is_object() && item["kind"].error() == simdjson::SUCCESS &&
           item["apiVersion"].error() == simdjson::SUCCESS;
}

// Reads the items of a list one by one, so that only a few are in memory as trees.
class ListReader {
public:
    ListReader(std::string_view document, const Outline& outline, std::string place)
        : document_(document), outline_(outline), place_(std::move(place)) {}

    // False: the text around the items isn't valid JSON.
    [[nodiscard]] bool has_sound_frame() {
        const simdjson::padded_string frame(outline_.frame);
        return parser_.parse(frame).error() == simdjson::SUCCESS;
    }
    base::Result<void> read(const ReadObject& read, const Passed& passed);

private:
    // Consecutive items.
    struct Piece {
        std::vector<KeepObject> keeps;  // For all items, or for the items before the fault.
        std::optional<base::Error> fault;
        bool is_fault_of_text = false;
    };

    [[nodiscard]] std::size_t piece_count() const { return (outline_.items.size() + piece_size - 1) / piece_size; }
    [[nodiscard]] simdjson::error_code parse(dom::parser& parser, const Outline::Item& item, dom::element& root) const {
        return parser.parse(document_.data() + item.start, item.length, false).get(root);
    }
    [[nodiscard]] Piece read_piece(std::size_t piece, dom::parser& parser, const ReadObject& read) const;
    [[nodiscard]] KeepObject read_item(dom::element root, std::size_t index, const ReadObject& read,
                                       std::optional<base::Error>& fault) const;
    // The first syntax error from the item on. It is reported rather than a fault in the meaning of an earlier item.
    [[nodiscard]] std::optional<base::Error> fault_behind(std::size_t index);

    static constexpr std::size_t piece_size = 64;

    std::string_view document_;
    const Outline& outline_;
    std::string place_;
    dom::parser parser_;
};

base::Result<void> ListReader::read(const ReadObject& read, const Passed& passed) {
    const std::size_t pieces = piece_count();
    const std::size_t threads = pieces < 4 ? 0 : reading_threads();
    std::vector<dom::parser> parsers(std::max<std::size_t>(threads, 1));
    OrderedParallelReader<Piece> pieces_in_order(pieces, threads, [&](std::size_t thread, std::size_t piece) {
        return read_piece(piece, parsers[thread], read);
    });
    std::size_t index = 0;
    for (std::size_t count = 0; count < pieces; ++count) {
        Piece piece = pieces_in_order.next();
        for (KeepObject& keep : piece.keeps) {
            ++index;
            if (base::Result<void> kept = keep(); !kept) {
                std::optional<base::Error> fault = fault_behind(index);
                return fault ? std::unexpected(std::move(*fault)) : kept;
            }
        }
        if (piece.fault) {
            std::optional<base::Error> fault = piece.is_fault_of_text ? fault_behind(index) : fault_behind(index + 1);
            return std::unexpected(fault ? std::move(*fault) : std::move(*piece.fault));
        }
        if (passed)
            passed(outline_.items[index - 1].start);
    }
    return {};
}

ListReader::Piece ListReader::read_piece(std::size_t piece, dom::parser& parser, const ReadObject& read) const {
    Piece out;
    const std::size_t last = std::min((piece + 1) * piece_size, outline_.items.size());
    for (std::size_t index = piece * piece_size; index < last; ++index) {
        dom::element root;
        if (const simdjson::error_code error = parse(parser, outline_.items[index], root); error != simdjson::SUCCESS) {
            out.fault = base::Error{simdjson::error_message(error)};
            out.is_fault_of_text = true;
            return out;
        }
        KeepObject keep = read_item(root, index, read, out.fault);
        if (out.fault)
            return out;
        out.keeps.push_back(std::move(keep));
    }
    return out;
}

KeepObject ListReader::read_item(dom::element root, std::size_t index, const ReadObject& read,
                                 std::optional<base::Error>& fault) const {
    const std::string place = fmt::format("{}, items[{}]", place_, index);
    // A complete and valid item is read in place.
    if (is_sound(root, 1) && (outline_.kind == "List" || says_its_kind(root)))
        return read(Value(root), place);
    base::Result<json> item = checked_tree(root, 1);
    if (!item) {
        fault = base::Error{fmt::format("{}: {}", place, item.error().sentence)};
        return {};
    }
    complete_item(*item, outline_.api_version, outline_.kind);
    return read(*item, place);
}

std::optional<base::Error> ListReader::fault_behind(std::size_t index) {
    for (; index < outline_.items.size(); ++index) {
        const Outline::Item& item = outline_.items[index];
        dom::element root;
        const simdjson::error_code error = parse(parser_, item, root);
        if (error == simdjson::SUCCESS)
            continue;
        const std::string what =
            syntax_fault(document_.substr(item.start, item.length), document_.substr(item.start), item, error);
        return base::Error{fmt::format("{}: {}", place_, what)};
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

base::Result<std::size_t> read_json_document(std::string_view text, std::size_t number, const ReadObject& read,
                                             const Passed& passed) {
    const std::string place = fmt::format("document {}", number);
    const Outline found = outline(text);
    const std::string_view document = text.substr(0, found.length);
    if (ListReader list(document, found, place); found.is_list && list.has_sound_frame()) {
        if (base::Result<void> kept = list.read(read, passed); !kept)
            return std::unexpected(std::move(kept.error()));
        return found.length;
    }
    dom::parser parser;
    dom::element root;
    const simdjson::error_code error = parser.parse(document.data(), document.size(), false).get(root);
    if (error != simdjson::SUCCESS)
        return base::failure(fmt::format("{}: {}", place, syntax_fault(document, document, {}, error)));
    if (!is_sound(root, 0))
        return base::failure(fmt::format("{}: {}", place, checked_tree(root, 0).error().sentence));
    if (base::Result<void> kept = read(Value(root), place)(); !kept)
        return std::unexpected(std::move(kept.error()));
    return found.length;
}

}  // namespace echelon::kube

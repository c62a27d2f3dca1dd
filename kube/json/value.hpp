#pragma once

// How is a JSON value read, whichever library parsed it? In place: from simdjson's tape for list items and watch
// events, from nlohmann's tree for YAML, answers and tests.
//
// A view: the parsed document must outlive it, and the parser must not parse again meanwhile. Thread-safe.

#include "base/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace simdjson::dom {
class element;  // NOLINT(readability-identifier-naming): simdjson's name.
}

namespace echelon::kube {

class Value {
public:
    enum class Type : std::uint8_t { null, flag, integer, natural, real, text, list, object };
    using Member = std::pair<std::string_view, Value>;

    Value() = default;                                     // Null.
    Value(const nlohmann::json& tree);                     // NOLINT(google-explicit-constructor): a view of it.
    explicit Value(const simdjson::dom::element& parsed);  // A view of the parser's document.

    [[nodiscard]] Type type() const;
    [[nodiscard]] bool is_null() const { return type() == Type::null; }
    [[nodiscard]] bool is_object() const { return type() == Type::object; }
    [[nodiscard]] bool is_list() const { return type() == Type::list; }
    [[nodiscard]] bool is_text() const { return type() == Type::text; }

    // Null when absent. Requires: an object.
    [[nodiscard]] Value find(std::string_view key) const;
    [[nodiscard]] bool has(std::string_view key) const;  // Also when it is null. Requires: an object.
    // A member that is a text; "" otherwise, also when this is no object.
    [[nodiscard]] std::string_view text_of(std::string_view key) const;
    // Sorted by key. If there are more than `most`, the first ones of the object. Requires: an object.
    [[nodiscard]] std::vector<Member> members(std::size_t most = SIZE_MAX) const;
    [[nodiscard]] std::vector<Value> items(std::size_t most = SIZE_MAX) const;  // The first. Requires: a list.
    [[nodiscard]] std::size_t size() const;  // Entries. Requires: an object or a list.

    // Each requires its own type.
    [[nodiscard]] std::string_view text() const;
    [[nodiscard]] bool flag() const;
    [[nodiscard]] std::int64_t integer() const;   // Type `integer`: fits int64, and is not `natural`.
    [[nodiscard]] std::uint64_t natural() const;  // Type `natural`: 0 or more.

    // A copy, to be kept or shown.
    [[nodiscard]] nlohmann::json tree() const;

private:
    [[nodiscard]] simdjson::dom::element parsed() const;

    const nlohmann::json* tree_ = nullptr;
    std::array<std::uint64_t, 2>
        parsed_{};  // The bits of a dom::element, so that simdjson.h isn't included here. Zero if there is a tree.
};

// A copy of the element, or its fault: "spec.containers[0].name: the key is given twice". Nesting is capped at
// deepest_document, counted from `depth` on.
[[nodiscard]] base::Result<nlohmann::json> checked_tree(const simdjson::dom::element& parsed, std::size_t depth);
// True if checked_tree would succeed; much faster.
[[nodiscard]] bool is_sound(const simdjson::dom::element& parsed, std::size_t depth);

}  // namespace echelon::kube

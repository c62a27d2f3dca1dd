#include "kube/json/value.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include <nlohmann/json.hpp>
#include <simdjson.h>

namespace echelon::kube {

namespace {

namespace dom = simdjson::dom;
using nlohmann::json;

static_assert(sizeof(dom::element) == sizeof(std::array<std::uint64_t, 2>));
static_assert(std::is_trivially_copyable_v<dom::element>);

Value::Type type_of(const json& tree) {
    switch (tree.type()) {
        case json::value_t::boolean:
            return Value::Type::flag;
        case json::value_t::number_integer:
            return Value::Type::integer;
        case json::value_t::number_unsigned:
            return Value::Type::natural;
        case json::value_t::number_float:
            return Value::Type::real;
        case json::value_t::string:
            return Value::Type::text;
        case json::value_t::array:
            return Value::Type::list;
        case json::value_t::object:
            return Value::Type::object;
        case json::value_t::null:
        case json::value_t::binary:
        case json::value_t::discarded:
            break;
    }
    return Value::Type::null;
}

Value::Type type_of(dom::element element) {
    switch (element.type()) {
        case dom::element_type::OBJECT:
            return Value::Type::object;
        case dom::element_type::ARRAY:
            return Value::Type::list;
        case dom::element_type::STRING:
            return Value::Type::text;
        case dom::element_type::INT64:
            return element.get_int64().value_unsafe() < 0 ? Value::Type::integer : Value::Type::natural;
        case dom::element_type::UINT64:
            return Value::Type::natural;
        case dom::element_type::DOUBLE:
            return Value::Type::real;
        case dom::element_type::BOOL:
            return Value::Type::flag;
        case dom::element_type::NULL_VALUE:
            break;
    }
    return Value::Type::null;
}

// simdjson's own size saturates at 2^24 - 1; from there on the entries are counted.
std::size_t counted(const auto& entries) {
    constexpr std::size_t saturated = 0xFFFFFF;
    const std::size_t size = entries.size();
    return size < saturated ? size : static_cast<std::size_t>(std::distance(entries.begin(), entries.end()));
}

}  // namespace

Value::Value(const json& tree) : tree_(&tree) {}

Value::Value(const dom::element& parsed) : parsed_(std::bit_cast<std::array<std::uint64_t, 2>>(parsed)) {}

dom::element Value::parsed() const {
    return std::bit_cast<dom::element>(parsed_);
}

Value::Type Value::type() const {
    if (tree_ != nullptr)
        return type_of(*tree_);
    return parsed_[0] == 0 ? Type::null : type_of(parsed());
}

Value Value::find(std::string_view key) const {
    if (tree_ != nullptr) {
        const auto at = tree_->find(key);
        return at == tree_->end() ? Value() : Value(*at);
    }
    const dom::object object = parsed().get_object().value_unsafe();
    for (auto at = object.begin(); at != object.end(); ++at) {
        if (at.key_equals(key))
            return Value(at.value());
    }
    return {};
}

bool Value::has(std::string_view key) const {
    if (tree_ != nullptr)
        return tree_->contains(key);
    const dom::object object = parsed().get_object().value_unsafe();
    return object[key].error() == simdjson::SUCCESS;
}

std::string_view Value::text_of(std::string_view key) const {
    const Value found = is_object() ? find(key) : Value();
    return found.is_text() ? found.text() : std::string_view();
}

std::vector<Value::Member> Value::members(std::size_t most) const {
    std::vector<Member> out;
    if (tree_ != nullptr) {
        for (auto at = tree_->begin(); at != tree_->end() && out.size() < most; ++at)
            out.emplace_back(at.key(), *at);
        return out;
    }
    const dom::object object = parsed().get_object().value_unsafe();
    for (auto at = object.begin(); at != object.end() && out.size() < most; ++at)
        out.emplace_back(at.key(), Value(at.value()));
    if (!std::ranges::is_sorted(out, {}, &Member::first))
        std::ranges::sort(out, {}, &Member::first);
    return out;
}

std::vector<Value> Value::items(std::size_t most) const {
    std::vector<Value> out;
    out.reserve(std::min(size(), most));
    if (tree_ != nullptr) {
        for (auto at = tree_->begin(); at != tree_->end() && out.size() < most; ++at)
            out.emplace_back(*at);
        return out;
    }
    const dom::array list = parsed().get_array().value_unsafe();
    for (auto at = list.begin(); at != list.end() && out.size() < most; ++at)
        out.emplace_back(*at);
    return out;
}

std::size_t Value::size() const {
    if (tree_ != nullptr)
        return tree_->size();
    if (is_list())
        return counted(parsed().get_array().value_unsafe());
    return counted(parsed().get_object().value_unsafe());
}

std::string_view Value::text() const {
    if (tree_ != nullptr)
        return tree_->get_ref<const std::string&>();
    return parsed().get_string().value_unsafe();
}

bool Value::flag() const {
    return tree_ != nullptr ? tree_->get<bool>() : parsed().get_bool().value_unsafe();
}

std::int64_t Value::integer() const {
    return tree_ != nullptr ? tree_->get<std::int64_t>() : parsed().get_int64().value_unsafe();
}

std::uint64_t Value::natural() const {
    return tree_ != nullptr ? tree_->get<std::uint64_t>() : parsed().get_uint64().value_unsafe();
}

json Value::tree() const {
    if (tree_ != nullptr)
        return *tree_;
    return parsed_[0] == 0 ? json() : checked_tree(parsed(), 0).value_or(json());
}

}  // namespace echelon::kube

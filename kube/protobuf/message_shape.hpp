#pragma once

// Which fields of a protobuf message are read, and what does each look like in JSON?
//
// Constant data. A row follows Go's JSON tags: a field without `omitempty`, or with a pointer type, is written even if
// it has its default value. At most 64 rows per message.

#include <cstdint>
#include <span>
#include <string_view>

namespace echelon::kube {

struct MessageShape;

struct FieldShape {
    enum class Type : std::uint8_t { text, number, flag, time, quantity, object };
    enum class Many : std::uint8_t { one, list, map };  // Keys of a map are texts.

    std::uint32_t number = 0;
    std::string_view name;  // In JSON.
    Type type = Type::text;
    Many many = Many::one;
    bool keeps_default = false;           // Written with its default value; only for Many::one.
    const MessageShape* shape = nullptr;  // If `type` is object; null: only its presence is read.
};

struct MessageShape {
    std::span<const FieldShape> fields;
};

// A kind that is served as protobuf.
struct ObjectShape {
    std::string_view api_version;
    std::string_view kind;
    const MessageShape* message = nullptr;
};

// Null: objects of that kind are read as JSON.
[[nodiscard]] const ObjectShape* shape_of(std::string_view api_version, std::string_view kind);
// All kinds that are read as protobuf.
[[nodiscard]] std::span<const ObjectShape> object_shapes();
// The body of an error, and the object of an ERROR event.
[[nodiscard]] const ObjectShape& status_shape();
// The metadata of a list.
[[nodiscard]] const MessageShape& list_metadata_shape();

// Helpers that make rows: text(1, "name").
namespace rows {

using Type = FieldShape::Type;
using Many = FieldShape::Many;

constexpr FieldShape text(std::uint32_t number, std::string_view name) {
    return {.number = number, .name = name};
}
constexpr FieldShape number(std::uint32_t number, std::string_view name) {
    return {.number = number, .name = name, .type = Type::number};
}
constexpr FieldShape flag(std::uint32_t number, std::string_view name) {
    return {.number = number, .name = name, .type = Type::flag};
}
constexpr FieldShape time(std::uint32_t number, std::string_view name) {
    return {.number = number, .name = name, .type = Type::time};
}
constexpr FieldShape quantity(std::uint32_t number, std::string_view name) {
    return {.number = number, .name = name, .type = Type::quantity};
}
constexpr FieldShape object(std::uint32_t number, std::string_view name, const MessageShape& shape) {
    return {.number = number, .name = name, .type = Type::object, .shape = &shape};
}
// Reads only whether the field exists.
constexpr FieldShape presence(std::uint32_t number, std::string_view name) {
    return {.number = number, .name = name, .type = Type::object};
}
constexpr FieldShape kept(FieldShape field) {
    field.keeps_default = true;
    return field;
}
constexpr FieldShape list(FieldShape field) {
    field.many = Many::list;
    return field;
}
constexpr FieldShape map(FieldShape field) {
    field.many = Many::map;
    return field;
}

}  // namespace rows

}  // namespace echelon::kube

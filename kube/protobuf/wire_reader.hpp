#pragma once

// Which fields does a protobuf message have, one after another?
//
// Pure, a view of the bytes. Whatever the bytes are, every length is checked before anything is read, and a fault is a
// value. Groups (wire types 3 and 4) are a fault: Kubernetes has none.

#include <cstdint>
#include <string_view>

namespace echelon::kube {

class WireReader {
public:
    enum class Type : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

    explicit WireReader(std::string_view message) : rest_(message) {}

    // Reads the next field. False: there is none, or it cannot be read, and `fault` says why.
    [[nodiscard]] bool next();

    // Of the field that was read last.
    [[nodiscard]] std::uint64_t number() const { return number_; }
    [[nodiscard]] Type type() const { return type_; }
    [[nodiscard]] std::uint64_t varint() const { return varint_; }   // Requires: that type.
    [[nodiscard]] std::string_view bytes() const { return bytes_; }  // Requires: that type.
    [[nodiscard]] bool is_cut() const { return !fault_.empty(); }    // `bytes` are only the front of the field.

    // The end of a sentence: "ends inside a field". Empty: none.
    [[nodiscard]] std::string_view fault() const { return fault_; }

private:
    [[nodiscard]] bool take_bytes();
    bool fail(std::string_view fault);

    std::string_view rest_;
    std::uint64_t number_ = 0;
    Type type_ = Type::varint;
    std::uint64_t varint_ = 0;
    std::string_view bytes_;
    std::string_view fault_;
};

// Takes a base-128 number off the front. 0: it isn't whole yet, or longer than ten bytes; else how many bytes it has.
[[nodiscard]] std::size_t varint_size(std::string_view bytes, std::uint64_t& value);
inline constexpr std::size_t longest_varint = 10;

}  // namespace echelon::kube

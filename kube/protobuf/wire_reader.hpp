#pragma once

// Which fields does a protobuf message have, one after another?
//
// Pure, a view of untrusted bytes: every length is checked, and faults are values. Groups (wire types 3 and 4) are a
// fault, since Kubernetes has none.

#include <cstdint>
#include <string_view>

namespace echelon::kube {

class WireReader {
public:
    enum class Type : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

    explicit WireReader(std::string_view message) : rest_(message) {}

    // Reads the next field. False: there is none, or it can't be read, and `fault` says why.
    [[nodiscard]] bool next();

    // Properties of the field that was read last.
    [[nodiscard]] std::uint64_t number() const { return number_; }
    [[nodiscard]] Type type() const { return type_; }
    [[nodiscard]] std::uint64_t varint() const { return varint_; }   // Requires: that type.
    [[nodiscard]] std::string_view bytes() const { return bytes_; }  // Requires: that type.
    [[nodiscard]] bool is_cut() const { return !fault_.empty(); }    // `bytes` has only the front of the field.

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

// Decodes the base-128 number at the front. Returns its size in bytes; 0: incomplete, or longer than ten bytes.
[[nodiscard]] std::size_t varint_size(std::string_view bytes, std::uint64_t& value);
inline constexpr std::size_t longest_varint = 10;

}  // namespace echelon::kube

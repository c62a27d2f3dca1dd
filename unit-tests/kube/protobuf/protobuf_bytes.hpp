#pragma once

// Protobuf as a test writes it: fields one after another.

#include "kube/protobuf/envelope.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace echelon::kube {

inline std::string varint(std::uint64_t value) {
    std::string out;
    for (; value >= 0x80; value >>= 7U)
        out += static_cast<char>(0x80U | (value & 0x7FU));
    return out + static_cast<char>(value);
}
inline std::string number_field(unsigned number, std::uint64_t value) {
    return varint(std::uint64_t{number} << 3U) + varint(value);
}
inline std::string field(unsigned number, std::string_view bytes) {
    return varint(std::uint64_t{number} << 3U | 2U) + varint(bytes.size()).append(bytes);
}
inline std::string entry(unsigned number, std::string_view key, std::string_view value) {
    return field(number, field(1, key) + field(2, value));
}
inline std::string metadata(std::string_view name, std::string_view uid, std::string_view version) {
    return field(1, name) + field(5, uid) + field(6, version);
}
inline std::string envelope(std::string_view api_version, std::string_view kind, std::string_view object) {
    return std::string(protobuf_magic) + field(1, field(1, api_version) + field(2, kind)) + field(2, object) +
           field(3, "") + field(4, "");
}
inline std::string watch_event(std::string_view type, std::string_view object) {
    return field(1, type) + field(2, field(1, object));
}
// As it goes over the wire: behind its length.
inline std::string framed(std::string_view bytes) {
    std::string out;
    for (unsigned shift = 32; shift > 0; shift -= 8)
        out += static_cast<char>(bytes.size() >> (shift - 8) & 0xFFU);
    return out.append(bytes);
}

}  // namespace echelon::kube

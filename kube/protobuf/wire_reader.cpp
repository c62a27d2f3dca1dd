#include "kube/protobuf/wire_reader.hpp"

#include <algorithm>
#include <cstddef>

namespace echelon::kube {

namespace {

constexpr unsigned type_bits = 3;
constexpr std::uint64_t most_number = (std::uint64_t{1} << 29U) - 1;

}  // namespace

std::size_t varint_size(std::string_view bytes, std::uint64_t& value) {
    value = 0;
    for (std::size_t at = 0; at < std::min(bytes.size(), longest_varint); ++at) {
        const auto byte = static_cast<unsigned char>(bytes[at]);
        // Only one bit of the tenth byte fits; the others are dropped, as in Go.
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << (7 * at);
        if (byte < 0x80U)
            return at + 1;
    }
    return 0;
}

bool WireReader::next() {
    if (rest_.empty() || !fault_.empty())
        return false;
    std::uint64_t tag = 0;
    const std::size_t size = varint_size(rest_, tag);
    number_ = tag >> type_bits;
    if (size == 0 || number_ == 0 || number_ > most_number)
        return fail("has a field without a number");
    rest_.remove_prefix(size);
    type_ = static_cast<Type>(tag & 7U);
    switch (type_) {
        case Type::varint: {
            const std::size_t length = varint_size(rest_, varint_);
            if (length == 0)
                return fail("ends inside a number");
            rest_.remove_prefix(length);
            return true;
        }
        case Type::fixed64:
        case Type::fixed32: {
            const std::size_t length = type_ == Type::fixed64 ? 8 : 4;
            if (rest_.size() < length)
                return fail("ends inside a number");
            rest_.remove_prefix(length);
            return true;
        }
        case Type::bytes:
            return take_bytes();
    }
    return fail("has a field of an unknown type");
}

// A field whose length exceeds the rest is given as far as it goes, since it may contain the name of the object.
bool WireReader::take_bytes() {
    std::uint64_t length = 0;
    const std::size_t size = varint_size(rest_, length);
    if (size == 0)
        return fail("ends inside a length");
    rest_.remove_prefix(size);
    if (length > rest_.size())
        fail("ends inside a field");
    bytes_ = rest_.substr(0, length);
    rest_.remove_prefix(bytes_.size());
    return true;
}

bool WireReader::fail(std::string_view fault) {
    fault_ = fault;
    return false;
}

}  // namespace echelon::kube

#include "kube/protobuf/wire_reader.hpp"

#include "unit-tests/kube/protobuf/protobuf_bytes.hpp"

#include <limits>

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace echelon::kube {
namespace {

using Type = WireReader::Type;

TEST_CASE("fields come in their order, of every type") {
    const std::string message = number_field(1, 300) + field(2, "text") + std::string("\x19") + std::string(8, '\1') +
                                std::string("\x25") + std::string(4, '\1') +
                                number_field(536'870'911, std::numeric_limits<std::uint64_t>::max());
    WireReader reader(message);
    REQUIRE(reader.next());
    CHECK(reader.number() == 1);
    CHECK(reader.varint() == 300);
    REQUIRE(reader.next());
    CHECK(reader.number() == 2);
    CHECK(reader.bytes() == "text");
    REQUIRE(reader.next());
    CHECK(reader.type() == Type::fixed64);
    REQUIRE(reader.next());
    CHECK(reader.type() == Type::fixed32);
    CHECK(reader.number() == 4);
    REQUIRE(reader.next());
    CHECK(reader.number() == 536'870'911);
    CHECK(reader.varint() == std::numeric_limits<std::uint64_t>::max());
    CHECK_FALSE(reader.next());
    CHECK(reader.fault().empty());
}

TEST_CASE("what can't be a message has a fault, and nothing behind it is read") {
    struct Row {
        std::string bytes;
        std::string_view fault;
    };
    const Row rows[] = {
        {std::string(1, '\0'), "has a field without a number"},
        {std::string(11, '\x80') + "\1", "has a field without a number"},
        {varint(std::uint64_t{1} << 40U), "has a field without a number"},
        {"\x08", "ends inside a number"},
        {"\x08" + std::string(10, '\xff'), "ends inside a number"},
        {"\x09" + std::string(7, '\1'), "ends inside a number"},
        {"\x0d" + std::string(3, '\1'), "ends inside a number"},
        {"\x12", "ends inside a length"},
        {"\x12\x80", "ends inside a length"},
        {"\x0b", "has a field of an unknown type"},
        {"\x0f", "has a field of an unknown type"},
    };
    for (const Row& row : rows) {
        WireReader reader(row.bytes);
        CHECK_FALSE(reader.next());
        CHECK(reader.fault() == row.fault);
        CHECK_FALSE(reader.next());
    }
}

TEST_CASE("a field that says to be longer than the message is given as far as it goes") {
    const std::string bytes = "\x12" + varint(std::numeric_limits<std::uint64_t>::max()) + "abc";
    WireReader reader(bytes);
    REQUIRE(reader.next());
    CHECK(reader.bytes() == "abc");
    CHECK(reader.is_cut());
    CHECK_FALSE(reader.next());
    CHECK(reader.fault() == "ends inside a field");
}

TEST_CASE("any bytes have fields or a fault, inside their bounds") {
    CHECK(rc::check([] {
        const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
        WireReader reader(bytes);
        std::size_t fields = 0;
        while (reader.next()) {
            ++fields;
            if (reader.type() == Type::bytes && !reader.bytes().empty())
                RC_ASSERT(reader.bytes().data() + reader.bytes().size() <= bytes.data() + bytes.size());
        }
        RC_ASSERT(fields <= bytes.size());
    }));
}

}  // namespace
}  // namespace echelon::kube

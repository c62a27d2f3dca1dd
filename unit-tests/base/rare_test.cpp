#include "base/rare.hpp"

#include <string>

#include <doctest/doctest.h>

namespace echelon::base {
namespace {

TEST_CASE("a value that is rare takes a pointer, and is copied and compared like any other") {
    const Rare<std::string> usual;
    static_assert(sizeof usual == sizeof(void*));
    CHECK(*usual == "");
    CHECK(usual == Rare<std::string>(std::string()));
    const Rare<std::string> one(std::string("one"));
    Rare<std::string> copy = one;
    CHECK(copy == one);
    copy.edit() += " more";
    CHECK(*copy == "one more");
    CHECK(*one == "one");
    CHECK(one < copy);
    CHECK(usual < one);
    copy = usual;
    CHECK(copy->empty());
    CHECK(copy.edit().empty());
    CHECK(copy == usual);
}

}  // namespace
}  // namespace echelon::base

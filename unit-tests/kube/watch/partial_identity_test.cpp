#include "kube/watch/partial_identity.hpp"

#include <string>

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace echelon::kube {
namespace {

std::string shown(const PartialIdentity& found) {
    return found.type + " " + found.ns + "/" + found.name + " " + found.uid + " " + found.version;
}

TEST_CASE("the name is found in front of whatever is wrong, however it is wrong") {
    const std::string head = R"({"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7"},"spec":)";
    const std::string deep(100'000, '[');
    for (const std::string& rest :
         {std::string(), std::string("}"), std::string("{\"x\":\xff\"}"), deep, std::string("tru")}) {
        CAPTURE(rest.substr(0, 10));
        CHECK(shown(identity_of_object(head + rest)) == " n/a u 7");
        CHECK(shown(identity_of_event(R"({"type":"ADDED","object":)" + head + rest)) == "ADDED n/a u 7");
        CHECK(shown(identity_of_event(R"({"object":)" + head + R"(1},"type":"DELETED"})")) == "DELETED n/a u 7");
    }
}

TEST_CASE("bytes that aren't UTF-8 before the name don't hide it") {
    CHECK(shown(identity_of_object(
              "{\"kind\":\"P\xc3\",\"metadata\":{\"labels\":{\"name\":\"\xff\"},\"name\":\"a\",\"uid\":\"u\"}}")) ==
          " /a u ");
}

TEST_CASE("only metadata of the object itself has its name, and only texts are names") {
    for (const char* text : {R"({"spec":{"metadata":{"name":"x","uid":"y"}}})", R"({"metadata":[{"name":"x"}]})",
                             R"({"metadata":{"labels":{"name":"x"},"name":["x"],"uid":{"uid":"y"}}})",
                             R"([{"metadata":{"name":"x"}}])", R"({"name":"x","uid":"y"})", "", "null"}) {
        CAPTURE(text);
        CHECK_FALSE(identity_of_object(text).is_named());
        CHECK(identity_of_object(text).name.empty());
    }
    CHECK(identity_of_event(R"({"type":"ADDED","metadata":{"name":"x"}})").name.empty());
}

TEST_CASE("any bytes give an identity, maybe an empty one") {
    CHECK(rc::check(
        [] { static_cast<void>(identity_of_event(*rc::gen::container<std::string>(rc::gen::arbitrary<char>()))); }));
}

}  // namespace
}  // namespace echelon::kube

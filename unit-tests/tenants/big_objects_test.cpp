// Are the objects of `unit-tests/big_objects` readable when they are small, and the same every time?

#include "kube/decode.hpp"
#include "kube/topology/topograph.hpp"
#include "unit-tests/big_objects/growth.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include <doctest/doctest.h>

namespace {

using echelon::big_objects::all;
using echelon::big_objects::Growth;

// The fault of an object that no decoder reads; empty: it is read.
std::string unreadable(const nlohmann::json& object) {
    namespace kube = echelon::kube;
    if (!object.is_object())
        return "it isn't an object";
    if (kube::is_topograph(object)) {
        const auto told = kube::read_topograph(object, {.name = "big", .file = {}});
        return told ? "" : told.error().sentence;
    }
    if (!kube::is_known_kind(object.value("apiVersion", ""), object.value("kind", "")))
        return "its kind isn't known";
    const auto events = kube::decode(object, kube::Change::seen);
    return events ? "" : events.error().sentence;
}

TEST_CASE("every way in which objects grow begins with objects that are read") {
    std::set<std::string_view> names;
    for (const Growth& growth : all()) {
        CAPTURE(growth.name);
        CHECK(names.insert(growth.name).second);
        CHECK(growth.most > 0);
        const auto objects = growth.make("tenant", std::min<std::int64_t>(growth.most, 2));
        CHECK(!objects.empty());
        for (const nlohmann::json& object : objects)
            CHECK(unreadable(object) == "");
    }
}

TEST_CASE("the objects of a growth are the same every time, and more with a larger count") {
    for (const Growth& growth : all()) {
        CAPTURE(growth.name);
        const nlohmann::json small = growth.make("tenant", 3);
        CHECK(small == nlohmann::json(growth.make("tenant", 3)));
        CHECK(small != nlohmann::json(growth.make("tenant", 12)));
        CHECK(small.dump() != nlohmann::json(growth.make("other", 3)).dump());
    }
}

}  // namespace

// What published states show of gangs: each keeps what it was given, and shares what has not changed.

#include "engine/publish/gang_views.hpp"

#include <string>

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

GangView with_members(std::size_t members) {
    return {.record = {}, .members = members};
}

TEST_CASE("a copy of the views stays as it was, and shares what has not changed") {
    GangViews views;
    for (int number = 0; number < 300; ++number)
        views.put("ns/g" + std::to_string(number), with_members(1));
    const auto before = views;
    views.put("ns/g7", with_members(2));
    views.erase("ns/g8");
    views.erase("ns/unknown");
    const auto after = views;
    CHECK(before.size() == 300);
    CHECK(before.find("ns/g7")->members == 1);
    CHECK(before.find("ns/g8") != nullptr);
    CHECK(after.size() == 299);
    CHECK(after.find("ns/g7")->members == 2);
    CHECK(after.find("ns/g8") == nullptr);
    CHECK(after.find("ns/g9") == before.find("ns/g9"));
}

TEST_CASE("views are listed by name") {
    GangViews views;
    CHECK(views.size() == 0);
    CHECK(views.sorted().empty());
    CHECK(views.find("ns/a") == nullptr);
    for (const auto* name : {"ns/c", "ns/a", "ns/b"})
        views.put(name, with_members(1));
    std::string names;
    for (const auto& [name, view] : views.sorted())
        names += name;
    CHECK(names == "ns/ans/bns/c");
}

}  // namespace
}  // namespace echelon::engine

// What does /readyz say of watches and of the lead?

#include "app/ready_checks.hpp"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

using namespace echelon;

namespace {

std::vector<kube::WatchStatus> one_kind() {
    std::vector<kube::WatchStatus> all(1);
    all[0].what = "nodes";
    all[0].listed = true;
    return all;
}

}  // namespace

TEST_CASE("an echelon that needs a lead and has none is unready, and claims nothing about others") {
    const engine::PublishedState published;
    CHECK(app::checks_of(one_kind(), published).size() == 1);
    const auto standby = app::checks_of(one_kind(), published, false);
    REQUIRE(standby.size() == 2);
    CHECK(standby[1].name == "leader");
    CHECK(standby[1].trouble == "this echelon doesn't lead");
    CHECK(app::checks_of(one_kind(), published, true).at(1).trouble.empty());
    CHECK(app::checks_of({}, published, false).size() == 1);  // It is only starting.
}

// Its plans are made on old facts, and the API server's preconditions still hold.
TEST_CASE("a kind that was listed keeps echelon ready while the server refuses its watch, and its line says why") {
    auto all = one_kind();
    all[0].trouble = "the list of nodes was answered with 401";
    const auto checks = app::checks_of(all, engine::PublishedState{});
    REQUIRE(checks.size() == 1);
    CHECK(checks[0].trouble.empty());
    CHECK(checks[0].note == all[0].trouble);
}

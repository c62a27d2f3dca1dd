// Which name does the queue give out next, and when?

#include "translate/due_times.hpp"

#include <doctest/doctest.h>

namespace echelon::translate {
namespace {

TEST_CASE("names are due by time, and each is due once, at the earliest time") {
    const DueTimes::Instant now{};
    const auto at = [now](int seconds) { return now + std::chrono::seconds(seconds); };
    DueTimes due;
    due.add("a", at(3));
    due.add("b", at(2));
    due.add("c", at(1));
    due.add("a", at(1));
    due.add("b", at(9));
    due.erase("c");
    due.erase("absent");
    CHECK(due.first_time() == at(1));
    CHECK(due.take_first() == "a");
    CHECK(due.first_time() == at(2));
    CHECK(due.take_first() == "b");
    CHECK(due.empty());
}

}  // namespace
}  // namespace echelon::translate

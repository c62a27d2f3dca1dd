#include "kube/watch/unreadable.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::kube {
namespace {

using Clock = std::chrono::steady_clock;

UnreadableObject object(const std::string& name, const std::string& version, int second) {
    return {.name = name,
            .version = version,
            .sentence = "Node " + name + ": odd",
            .since = Clock::time_point{std::chrono::seconds(second)}};
}

TEST_CASE("an unreadable object is listed once, reported once per version, and removed when it is readable") {
    UnreadableList book;
    CHECK(book.note(object("a", "1", 1)));
    CHECK_FALSE(book.note(object("a", "1", 2)));
    CHECK(book.note(object("a", "2", 3)));
    CHECK(book.note(object("b", "2", 3)));
    CHECK(book.entries().size() == 2);
    book.remove("a");
    CHECK(book.entries().size() == 1);
    CHECK(book.note(object("", "", 4)));
    CHECK(book.note(object("", "", 5)));
    CHECK(book.entries().size() == 2);
    book.remove("");
    book.remove("b");
    CHECK(book.is_empty());
}

TEST_CASE("a list keeps the newest 16, and of several lists the newest 16 are shown, newest first") {
    UnreadableList nodes;
    UnreadableList pods;
    for (int i = 0; i < 1000; ++i) {
        CHECK(nodes.note(object("n" + std::to_string(i), "1", 2 * i)));
        CHECK(pods.note(object("p" + std::to_string(i), "1", 2 * i + 1)));
    }
    CHECK(nodes.entries().size() == most_unreadable);
    CHECK(nodes.entries().front().name == "n984");
    const std::vector<std::vector<UnreadableObject>> books{nodes.entries(), pods.entries()};
    const auto shown = newest_unreadable(books);
    REQUIRE(shown.size() == most_unreadable);
    CHECK(shown[0] == "Node p999: odd");
    CHECK(shown[1] == "Node n999: odd");
    CHECK(shown.back() == "Node n992: odd");
}

}  // namespace
}  // namespace echelon::kube

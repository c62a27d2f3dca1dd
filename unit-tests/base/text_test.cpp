#include "base/text.hpp"

#include "base/hashed.hpp"
#include "base/recent.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::base {
namespace {

bool are_shared(const Text& one, const Text& other) {
    return &one.str() == &other.str();
}

TEST_CASE("a copy of a text is the same text, and outlives it") {
    Text copy;
    {
        const Text text = "3f9d6b1c-0000-4000-8000-100000000000";
        copy = text;
        CHECK(are_shared(copy, text));
    }
    CHECK(copy == "3f9d6b1c-0000-4000-8000-100000000000");
}

TEST_CASE("an assignment replaces the text of one owner alone") {
    Text one = "a";
    const Text other = one;
    one = "b";
    CHECK(one == "b");
    CHECK(other == "a");
    const Text& itself = one;
    one = itself;
    CHECK(one == "b");
    Text moved = std::move(one);
    CHECK(moved == "b");
    moved.clear();
    CHECK(moved.empty());
}

TEST_CASE("empty texts are equal, however they came to be") {
    CHECK(Text() == Text(""));
    CHECK(Text(std::string()).empty());
    CHECK(Text() == "");
    CHECK(Text().size() == 0);
    CHECK(Text().hash() == hash_of(std::string_view()));
}

TEST_CASE("texts are compared and ordered by their characters, also with other strings") {
    const Text text = "b";
    CHECK(text == Text(std::string("b")));
    CHECK_FALSE(are_shared(text, Text(std::string("b"))));
    CHECK(text == std::string("b"));
    CHECK(std::string_view("b") == text);
    CHECK(text != "c");
    CHECK(Text("a") < text);
    CHECK(text < "ba");
    CHECK(Text() < text);
    const std::map<Text, int, std::less<>> by_name{{"b", 2}, {"", 0}, {"a", 1}};
    CHECK(by_name.begin()->second == 0);
    CHECK(by_name.find(std::string_view("a"))->second == 1);
}

TEST_CASE("a hash table of texts is searched by views") {
    const std::unordered_set<Text, TextHash, std::equal_to<>> names{"a", "b"};
    CHECK(names.contains(std::string_view("a")));
    CHECK(names.contains(Text("b")));
    CHECK_FALSE(names.contains(std::string_view("c")));
}

TEST_CASE("a text is written like a string") {
    const Text text = "a";
    CHECK(fmt::format("{}/{:>3}", text, Text("b")) == "a/  b");
    CHECK(text + "/" + Text("b") == "a/b");
    CHECK("x" + text == "xa");
    CHECK(nlohmann::json{{"name", text}}.dump() == R"({"name":"a"})");
    const std::string& string = text;
    CHECK(string == "a");
}

// A view or reference of a temporary would outlive the text.
static_assert(std::is_convertible_v<const Text&, std::string_view> && !std::is_convertible_v<Text, std::string_view>);
static_assert(std::is_convertible_v<const Text&, const std::string&> &&
              !std::is_convertible_v<Text, const std::string&>);
static_assert(!std::is_constructible_v<Text, std::nullptr_t>);

TEST_CASE("a temporary text gives a copy away") {
    const auto made = [] { return Text("a") + "b"; };
    const std::string& copy = Text(made()).str();
    CHECK(copy == "ab");
    CHECK(Text().str().empty());
    CHECK(std::string("x") + Text(made()) == "xab");
}

TEST_CASE("a view that knows its hash finds what the text finds") {
    const std::unordered_set<Text, TextHash, std::equal_to<>> names{"a", "b"};
    const Text known = "b";
    CHECK(Hashed(known).hash() == Hashed(std::string_view("b")).hash());
    CHECK(names.contains(Hashed(known)));
    CHECK_FALSE(names.contains(Hashed("c")));
}

TEST_CASE("threads share a text") {
    const Text text = "shared by threads";
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; ++number) {
        threads.emplace_back([text] {
            for (int turn = 0; turn < 1000; ++turn) {
                const Text copy = text;  // NOLINT(performance-unnecessary-copy-initialization): it counts.
                const std::vector<Text> more(3, copy);
                CHECK(more.back() == "shared by threads");
            }
        });
    }
    for (auto& thread : threads)
        thread.join();
    CHECK(text == "shared by threads");
}

TEST_CASE("equal texts that were asked for lately are shared, and others stay as they are") {
    Recent<Text> recent;
    const Text one = recent.shared("default");
    CHECK(are_shared(recent.shared(Text("default")), one));
    for (int number = 0; number < 1000; ++number)
        CHECK(recent.shared(std::to_string(number)) == std::to_string(number));
    CHECK(recent.shared("default") == "default");
    CHECK(recent.shared("").empty());
}

}  // namespace
}  // namespace echelon::base

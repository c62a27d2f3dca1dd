#include "base/copy_on_write.hpp"

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::base {
namespace {

using Names = CopyOnWrite<std::vector<std::string>>;

TEST_CASE("a copy is the same object until one of the owners changes it") {
    Names one(std::vector<std::string>{"a", "b"});
    Names other = one;
    CHECK(other.is_shared_with(one));
    CHECK(&*other == &*one);

    other.edit().emplace_back("c");
    CHECK(*one == std::vector<std::string>{"a", "b"});
    CHECK(*other == std::vector<std::string>{"a", "b", "c"});

    const auto* before = &*other;
    other.edit().emplace_back("d");
    CHECK(&*other == before);  // Nobody shares it, so it isn't copied.
}

TEST_CASE("values are compared, and not objects") {
    const Names one(std::vector<std::string>{"a"});
    const Names same(std::vector<std::string>{"a"});
    CHECK_FALSE(one.is_shared_with(same));
    CHECK(one == same);
    CHECK(one != Names(std::vector<std::string>{"b"}));
}

TEST_CASE("the default value is there without an object") {
    Names none;
    CHECK(none->empty());
    CHECK(none == Names(std::vector<std::string>{}));
    none.edit().emplace_back("a");
    CHECK(none->size() == 1);
    CHECK(Names()->empty());
}

TEST_CASE("a value that was moved away is the default, and one that is assigned to itself stays") {
    Names one(std::vector<std::string>{"a"});
    Names moved = std::move(one);
    CHECK(one->empty());  // NOLINT(bugprone-use-after-move,clang-analyzer-cplusplus.Move): it is checked.
    const auto& alias = moved;
    moved = alias;
    CHECK(moved->front() == "a");
    one = moved;
    CHECK(one.is_shared_with(moved));
}

TEST_CASE("threads share a value, and each changes its copy alone") {
    const Names shared(std::vector<std::string>{"shared"});
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; ++number) {
        threads.emplace_back([shared, number] {
            for (int turn = 0; turn < 1000; ++turn) {
                auto own = shared;
                own.edit().push_back(std::to_string(number));
                CHECK(own->size() == 2);
            }
        });
    }
    for (auto& thread : threads)
        thread.join();
    CHECK(*shared == std::vector<std::string>{"shared"});
}

}  // namespace
}  // namespace echelon::base

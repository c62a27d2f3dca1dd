#include "base/shared_list.hpp"

#include <string>

#include <doctest/doctest.h>

namespace echelon::base {
namespace {

using Texts = SharedList<std::string>;

TEST_CASE("a copy of a list is the same list until one of them changes") {
    Texts one{"a", "b"};
    Texts other = one;
    CHECK(&one.front() == &other.front());

    other.push_back("c");
    CHECK(one == Texts{"a", "b"});
    CHECK(other == Texts{"a", "b", "c"});

    one.edit().front() = "z";
    CHECK(one == Texts{"z", "b"});
    CHECK(other.front() == "a");
}

TEST_CASE("a default list is empty") {
    Texts none;
    CHECK(none.empty());
    CHECK(none == Texts(std::vector<std::string>{}));
    none.emplace_back() = "a";
    CHECK(none.size() == 1);
    CHECK(none[0] == none.back());
}

TEST_CASE("a value of a list is shared without a copy and outlives the list") {
    Shared<std::string> kept;
    {
        const Texts list{"a", std::string(100, 'b')};
        kept = list.share(1);
        CHECK(&*kept == &list.back());
    }
    CHECK(*kept == std::string(100, 'b'));
}

}  // namespace
}  // namespace echelon::base

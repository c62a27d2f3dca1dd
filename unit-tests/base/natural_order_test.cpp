#include "base/natural_order.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using echelon::base::natural_order;
using echelon::base::NaturalLess;

TEST_CASE("numbers inside names compare by value") {
    std::vector<std::string> names = {"train-10", "train-2", "train-1", "a", "train", "train-2-b", "train-2-a"};
    std::ranges::sort(names, NaturalLess{});
    CHECK(names == std::vector<std::string>{"a", "train", "train-1", "train-2", "train-2-a", "train-2-b", "train-10"});
}

TEST_CASE("numbers of any length compare, and leading zeros only break ties") {
    CHECK(natural_order("n99999999999999999999998", "n99999999999999999999999") < 0);
    CHECK(natural_order("n9", "n99999999999999999999999") < 0);
    CHECK(natural_order("n007", "n8") < 0);
    CHECK(natural_order("n07", "n7") != 0);
    CHECK((natural_order("n07", "n7") < 0) == (natural_order("n7", "n07") > 0));
    CHECK(natural_order("n7", "n7") == 0);
    CHECK(natural_order("", "n") < 0);
    CHECK(natural_order("", "") == 0);
}

#include "base/natural_order.hpp"

#include <algorithm>
#include <cctype>
#include <compare>
#include <cstddef>
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

namespace {

// By definition: runs of digits and other characters, one after another.
std::vector<std::string> pieces(const std::string& text) {
    std::vector<std::string> out;
    bool was_digit = false;
    for (const char c : text) {
        const bool is_digit = c >= '0' && c <= '9';
        if (is_digit && was_digit) {
            out.back() += c;
        } else {
            out.emplace_back(1, c);
        }
        was_digit = is_digit;
    }
    return out;
}

std::strong_ordering by_definition(const std::string& a, const std::string& b) {
    const auto left = pieces(a);
    const auto right = pieces(b);
    for (std::size_t at = 0; at < std::min(left.size(), right.size()); ++at) {
        const bool are_numbers = std::isdigit(left[at][0]) != 0 && std::isdigit(right[at][0]) != 0;
        const auto order = are_numbers ? std::stoi(left[at]) <=> std::stoi(right[at]) : left[at] <=> right[at];
        if (order != 0)
            return order;
    }
    return left.size() != right.size() ? left.size() <=> right.size() : a <=> b;
}

}  // namespace

TEST_CASE("all short names are ordered as defined, behind every common beginning") {
    std::vector<std::string> names = {""};
    for (std::size_t at = 0; at < names.size() && names[at].size() < 4; ++at) {
        for (const char c : {'a', '-', '0', '1'})
            names.push_back(names[at] + c);
    }
    int wrong = 0;
    for (const auto& a : names) {
        for (const auto& b : names) {
            wrong += natural_order(a, b) == by_definition(a, b) ? 0 : 1;
            for (const std::string same : {"a", "1", "00", "a1", "1-"})
                wrong += natural_order(same + a, same + b) == by_definition(same + a, same + b) ? 0 : 1;
        }
    }
    CHECK(names.size() == 341);
    CHECK(wrong == 0);
}

#pragma once

// How does a table name all fields of a struct in one line?
//
// `struct Recorded<T> : Names<"ns", "name"> {}` names the two fields of T in their order. Another number of names than
// fields doesn't compile: the structured bindings below need as many as there are (decision 0011). Pure.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>

namespace echelon::replay {

// `names` and `fields` of a struct, in the same order.
template <typename T>
struct Recorded;

// A text as a template argument.
template <std::size_t size>
struct Name {
    consteval Name(const char (&literal)[size]) {  // NOLINT(google-explicit-constructor): a literal is a name.
        std::ranges::copy(literal, text.begin());
    }
    [[nodiscard]] constexpr std::string_view view() const { return {text.data(), size - 1}; }

    std::array<char, size> text{};
};

// References to the fields of a struct that has `count` of them.
template <std::size_t count>
[[nodiscard]] auto fields_of(auto& all) {
    static_assert(0 < count && count <= 12, "a larger struct has a table of its own");
    if constexpr (count == 1) {
        auto& [a] = all;
        return std::tie(a);
    } else if constexpr (count == 2) {
        auto& [a, b] = all;
        return std::tie(a, b);
    } else if constexpr (count == 3) {
        auto& [a, b, c] = all;
        return std::tie(a, b, c);
    } else if constexpr (count == 4) {
        auto& [a, b, c, d] = all;
        return std::tie(a, b, c, d);
    } else if constexpr (count == 5) {
        auto& [a, b, c, d, e] = all;
        return std::tie(a, b, c, d, e);
    } else if constexpr (count == 6) {
        auto& [a, b, c, d, e, f] = all;
        return std::tie(a, b, c, d, e, f);
    } else if constexpr (count == 7) {
        auto& [a, b, c, d, e, f, g] = all;
        return std::tie(a, b, c, d, e, f, g);
    } else if constexpr (count == 8) {
        auto& [a, b, c, d, e, f, g, h] = all;
        return std::tie(a, b, c, d, e, f, g, h);
    } else if constexpr (count == 9) {
        auto& [a, b, c, d, e, f, g, h, i] = all;
        return std::tie(a, b, c, d, e, f, g, h, i);
    } else if constexpr (count == 10) {
        auto& [a, b, c, d, e, f, g, h, i, j] = all;
        return std::tie(a, b, c, d, e, f, g, h, i, j);
    } else if constexpr (count == 11) {
        auto& [a, b, c, d, e, f, g, h, i, j, k] = all;
        return std::tie(a, b, c, d, e, f, g, h, i, j, k);
    } else if constexpr (count == 12) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l] = all;
        return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
    }
}

template <Name... all_names>
struct Names {
    static constexpr std::array<std::string_view, sizeof...(all_names)> names = {all_names.view()...};
    static auto fields(auto& all) { return fields_of<sizeof...(all_names)>(all); }
};

}  // namespace echelon::replay

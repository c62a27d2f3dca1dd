#pragma once

// How does a sentence state a number of things? "1 pod", "2 pods", "0 pods".
//
// Pure and thread-safe.

#include <concepts>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace echelon::base {

// `noun`: in the singular; its plural must end in "s".
template <std::integral Number>
[[nodiscard]] std::string counted(Number number, std::string_view noun) {
    return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace echelon::base

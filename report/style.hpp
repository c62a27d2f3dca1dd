#pragma once

// In which colour is a piece of a report printed? Plain text where there is no terminal. Pure.

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace echelon::report {

struct Style {
    bool has_colour = false;

    [[nodiscard]] std::string paint(std::string_view code, std::string_view text) const {
        return has_colour ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
    }
    [[nodiscard]] std::string good(std::string_view text) const { return paint("32", text); }
    [[nodiscard]] std::string bad(std::string_view text) const { return paint("31", text); }
    [[nodiscard]] std::string warm(std::string_view text) const { return paint("33", text); }
    [[nodiscard]] std::string strong(std::string_view text) const { return paint("1", text); }
    [[nodiscard]] std::string faint(std::string_view text) const { return paint("2", text); }
};

}  // namespace echelon::report

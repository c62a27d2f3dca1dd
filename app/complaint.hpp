#pragma once

// How does a command tell its user that something is wrong? One line on standard error.
//
// What can't be written there is lost: a closed or full standard error ends no command, and changes no exit status.
// Thread-safe.

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace echelon::app {

// `text`: a format string and its arguments, without the end of the line.
template <typename... Parts>
void complain(fmt::format_string<Parts...> text, Parts&&... parts) {
    const auto line = fmt::format(text, std::forward<Parts>(parts)...) + "\n";
    static_cast<void>(std::fputs(line.c_str(), stderr));
}

}  // namespace echelon::app

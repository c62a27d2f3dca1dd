#include "cli/terminal.hpp"

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace echelon::cli {

bool wants_colour() {
    const char* no_colour = std::getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

bool write_out(const std::string& text) {
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

}  // namespace echelon::cli

#pragma once

// What does a command write to standard error? It goes to a file meanwhile.

#include "unit-tests/cli/files.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace echelon::cli::testing {

// Requires: `act` throws nothing.
template <typename Act>
[[nodiscard]] std::string standard_error_of(const Act& act) {
    const Folder folder;
    std::fflush(stderr);
    const int before = ::dup(STDERR_FILENO);
    const int file = ::open(folder.path("stderr").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
    act();
    std::fflush(stderr);
    ::dup2(before, STDERR_FILENO);
    ::close(before);
    std::ifstream written(folder.path("stderr"));
    return {std::istreambuf_iterator<char>(written), {}};
}

}  // namespace echelon::cli::testing

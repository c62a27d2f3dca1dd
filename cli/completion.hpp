#pragma once

// What does a shell need to complete the commands, options and values of the program?

#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): of the library
class App;
}

namespace echelon::cli {

// Shells that `completion_script` knows: bash, fish and zsh, sorted.
[[nodiscard]] std::vector<std::string> completion_shells();

// The script that the shell reads. It is made from the declared commands, so that it knows exactly those. Commands of
// an empty group are hidden. The shell has to be one of `completion_shells`.
[[nodiscard]] std::string completion_script(const CLI::App& app, std::string_view shell);

}  // namespace echelon::cli

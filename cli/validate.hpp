#pragma once

// `echelon validate`: would the service start with this configuration file?

#include <string>
#include <vector>

namespace echelon::cli {

// "FILE:LINE: PATH: what is wrong", one per fault; empty: the file is good.
[[nodiscard]] std::vector<std::string> faults_in(const std::string& config_file);
// Exit status: 0, or 2 with the faults on standard error.
[[nodiscard]] int validate(const std::string& config_file);

}  // namespace echelon::cli

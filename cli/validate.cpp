#include "cli/validate.hpp"

#include "app/complaint.hpp"
#include "config/settings.hpp"

#include <cstdio>

namespace echelon::cli {

std::vector<std::string> faults_in(const std::string& config_file) {
    std::vector<std::string> lines;
    if (const auto settings = config::load(config_file); !settings) {
        for (const auto& fault : settings.error()) {
            lines.push_back(config::to_line(config_file, fault));
        }
    }
    return lines;
}

int validate(const std::string& config_file) {
    const auto lines = faults_in(config_file);
    for (const auto& line : lines) {
        app::complain("{}", line);
    }
    return lines.empty() ? 0 : 2;
}

}  // namespace echelon::cli

#pragma once

// Has the configuration file changed since it was looked at last, and what does it say now?
//
// Goes by content: mounted files are swapped by links, and their times say nothing. Not thread-safe.

#include "config/settings.hpp"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace echelon::app {

class SettingsWatch {
public:
    using Parsed = std::expected<config::Settings, std::vector<config::Fault>>;

    // `text`: what the file said when it was read first.
    SettingsWatch(std::string file, std::string text) : file_(std::move(file)), seen_(std::move(text)) {}

    [[nodiscard]] const std::string& file() const { return file_; }
    // Nothing: it says what it said before, good or bad, or can't be read as before.
    [[nodiscard]] std::optional<Parsed> look();

private:
    const std::string file_;
    std::optional<std::string> seen_;  // Absent: it couldn't be read.
};

}  // namespace echelon::app

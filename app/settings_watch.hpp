#pragma once

// Has the configuration file changed since the last look, and what does it say now?
//
// Compares content: links swap mounted files, so their times say nothing. Not thread-safe.

#include "config/settings.hpp"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace echelon::app {

class SettingsWatch {
public:
    using Parsed = std::expected<config::Settings, std::vector<config::Fault>>;

    // `text`: the content at the first read.
    SettingsWatch(std::string file, std::string text) : file_(std::move(file)), seen_(std::move(text)) {}

    [[nodiscard]] const std::string& file() const { return file_; }
    // Nullopt: the content, good or bad, is as before; or the file still can't be read.
    [[nodiscard]] std::optional<Parsed> poll();

private:
    const std::string file_;
    std::optional<std::string> seen_;  // Absent: the file could not be read.
};

}  // namespace echelon::app

#pragma once

// What does the source tree look like? Reads the C++ files of the house, for the tests that hold its rules.
//
// The rules themselves take a list of sources, so that a test can also hand them a bad one and see it found.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::house {

struct Source {
    std::string path;                // From the root of the repository, "solver/solve.hpp".
    std::vector<std::string> lines;  // Without line ends.
};

// A rule that a file breaks: "path:line: what is wrong".
using Breach = std::string;

// The layers, then the folders beside them that hold C++ too.
inline const std::vector<std::string> layers = {"base",   "model",  "solver", "engine", "kube", "translate", "server",
                                                "config", "replay", "report", "app",    "cli",  "simulate",  "yaml"};
inline const std::vector<std::string> folders = {"base",   "model",  "solver",     "engine",   "kube", "translate",
                                                 "server", "config", "replay",     "report",   "app",  "cli",
                                                 "bench",  "fuzz",   "unit-tests", "simulate", "yaml"};

[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// "solver" of "solver/solve.hpp"; empty when there is no folder.
[[nodiscard]] inline std::string first_folder(std::string_view path) {
    const auto slash = path.find('/');
    return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

[[nodiscard]] inline std::vector<std::string> lines_of(const std::filesystem::path& file) {
    std::vector<std::string> lines;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

// Names of doctest cases. A long name is on the line after `TEST_CASE(`.
[[nodiscard]] inline std::vector<std::string> test_names(const std::vector<std::string>& lines) {
    constexpr std::string_view opening = "TEST_CASE(\"";
    std::vector<std::string> names;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        auto line = lines[at];
        if (line == "TEST_CASE(" && at + 1 < lines.size()) {
            line += trimmed(lines[at + 1]);
        }
        if (!line.starts_with(opening)) {
            continue;
        }
        auto end = line.find('"', opening.size());
        while (end != std::string::npos && line[end - 1] == '\\') {
            end = line.find('"', end + 1);
        }
        if (end != std::string::npos) {
            names.push_back(line.substr(opening.size(), end - opening.size()));
        }
    }
    return names;
}

// Every .hpp and .cpp under the house's folders, by path.
[[nodiscard]] inline std::vector<Source> read_house(const std::filesystem::path& root) {
    std::vector<Source> sources;
    for (const auto& folder : folders) {
        if (!std::filesystem::is_directory(root / folder)) {
            continue;
        }
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
            const auto extension = entry.path().extension();
            if (entry.is_regular_file() && (extension == ".hpp" || extension == ".cpp")) {
                sources.push_back(
                    {std::filesystem::relative(entry.path(), root).generic_string(), lines_of(entry.path())});
            }
        }
    }
    std::ranges::sort(sources, {}, &Source::path);
    return sources;
}

// All breaches in one text, so that one run of a test shows every one.
[[nodiscard]] inline std::string joined(const std::vector<Breach>& breaches) {
    std::string text;
    for (const auto& breach : breaches) {
        text += breach + "\n";
    }
    return text;
}

}  // namespace echelon::house

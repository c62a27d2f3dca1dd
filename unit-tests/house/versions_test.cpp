// The program, the chart and the changelog have one version: that of CMakeLists.txt.

#include "unit-tests/house/source_tree.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <yaml-cpp/yaml.h>

namespace echelon::house {
namespace {

const std::filesystem::path root = ECHELON_SOURCE_DIR;

// The word after `before` in the first line that has it.
std::string word_after(const std::string& file, std::string_view before) {
    for (const auto& line : lines_of(root / file)) {
        const auto at = line.find(before);
        if (at == std::string::npos)
            continue;
        const auto begin = at + before.size();
        return line.substr(begin, line.find_first_of(" )", begin) - begin);
    }
    return "nothing";
}

TEST_CASE("program, chart and changelog have one version") {
    const auto version = word_after("CMakeLists.txt", "project(echelon VERSION ");
    const YAML::Node chart = YAML::LoadFile((root / "charts/echelon/Chart.yaml").string());
    CHECK(chart["version"].as<std::string>() == version);
    CHECK(chart["appVersion"].as<std::string>() == version);
    CHECK(word_after("CHANGELOG.md", "## ") == version);
}

TEST_CASE("the chart names each resource that it defines to a catalogue") {
    const YAML::Node chart = YAML::LoadFile((root / "charts/echelon/Chart.yaml").string());
    const YAML::Node named = YAML::Load(chart["annotations"]["artifacthub.io/crds"].as<std::string>());
    std::vector<std::string> names;
    for (const auto& one : named)
        names.push_back(one["name"].as<std::string>());
    std::vector<std::string> defined;
    for (const auto& file : std::filesystem::directory_iterator(root / "charts/echelon/crds"))
        defined.push_back(YAML::LoadFile(file.path().string())["metadata"]["name"].as<std::string>());
    std::ranges::sort(names);
    std::ranges::sort(defined);
    CHECK(names == defined);
}

}  // namespace
}  // namespace echelon::house

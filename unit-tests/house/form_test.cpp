// The form of the files: sizes, names, how a header opens (CONTRIBUTING.md).

#include "unit-tests/house/source_tree.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace {

using echelon::house::Breach;
using echelon::house::first_folder;
using echelon::house::folders;
using echelon::house::joined;
using echelon::house::layers;
using echelon::house::read_house;
using echelon::house::Source;
using echelon::house::trimmed;

constexpr std::size_t longest_file = 400;  // Lines.

// Files that may be longer, each with the reason why splitting it would make it worse.
const std::map<std::string, std::string> longer_on_purpose = {};

// Folder and file names that say nothing about what is inside.
const std::set<std::string> empty_names = {"utils", "util", "common", "helpers", "helper", "misc", "types"};

std::vector<Breach> too_long(const std::vector<Source>& sources, const std::map<std::string, std::string>& exempt) {
    std::vector<Breach> breaches;
    auto unused = exempt;
    for (const auto& source : sources) {
        if (source.lines.size() <= longest_file) {
            continue;
        }
        if (unused.erase(source.path) == 0) {
            breaches.push_back(source.path + ": " + std::to_string(source.lines.size()) + " lines, at most " +
                               std::to_string(longest_file) + " (or a reason in longer_on_purpose)");
        }
    }
    for (const auto& [path, reason] : unused) {
        breaches.push_back(path + ": needs no exemption any more");
    }
    return breaches;
}

std::vector<Breach> empty_named(const std::vector<std::string>& paths) {
    std::vector<Breach> breaches;
    for (const auto& path : paths) {
        for (const auto& part : std::filesystem::path(path)) {
            if (empty_names.contains(part.stem().string())) {
                breaches.push_back(path + ": \"" + part.string() + "\" says nothing about what is inside");
            }
        }
    }
    return breaches;
}

// A header of a layer opens with `#pragma once`, then says what it answers, and lives in the namespace of its folder.
std::vector<Breach> badly_opened(const std::vector<Source>& sources) {
    const std::set<std::string> layer_names(layers.begin(), layers.end());
    std::vector<Breach> breaches;
    for (const auto& source : sources) {
        const auto layer = first_folder(source.path);
        if (!layer_names.contains(layer) || !source.path.ends_with(".hpp")) {
            continue;
        }
        if (source.lines.empty() || trimmed(source.lines[0]) != "#pragma once") {
            breaches.push_back(source.path + ": does not open with #pragma once");
        }
        std::size_t next = 1;
        while (next < source.lines.size() && trimmed(source.lines[next]).empty()) {
            ++next;
        }
        if (next >= source.lines.size() || !source.lines[next].starts_with("//")) {
            breaches.push_back(source.path + ": does not say first what question it answers");
        }
        const auto is_own = [&](const std::string& line) { return line.starts_with("namespace echelon::" + layer); };
        if (std::ranges::none_of(source.lines, is_own)) {
            breaches.push_back(source.path + ": is not in namespace echelon::" + layer);
        }
    }
    return breaches;
}

std::vector<std::string> all_paths(const std::filesystem::path& root) {
    std::vector<std::string> paths;
    for (const auto& folder : folders) {
        if (!std::filesystem::is_directory(root / folder)) {
            continue;
        }
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
            paths.push_back(std::filesystem::relative(entry.path(), root).generic_string());
        }
    }
    return paths;
}

TEST_CASE("no file is longer than can be read in one sitting, unless it says why") {
    CHECK(joined(too_long(read_house(ECHELON_SOURCE_DIR), longer_on_purpose)) == "");
}

TEST_CASE("every folder and file is named for what is inside") {
    CHECK(joined(empty_named(all_paths(ECHELON_SOURCE_DIR))) == "");
}

TEST_CASE("every header of a layer opens with its question, in the namespace of its folder") {
    CHECK(joined(badly_opened(read_house(ECHELON_SOURCE_DIR))) == "");
}

TEST_CASE("a file that is too long is found, and so is an exemption that nobody needs") {
    const Source brief{"model/brief.cpp", std::vector<std::string>(longest_file)};
    const Source lengthy{"model/lengthy.cpp", std::vector<std::string>(longest_file + 1)};
    CHECK(too_long({brief}, {}).empty());
    CHECK(too_long({brief, lengthy}, {}).size() == 1);
    CHECK(too_long({brief, lengthy}, {{"model/lengthy.cpp", "a table"}}).empty());
    CHECK(too_long({brief}, {{"model/brief.cpp", "a table"}}).size() == 1);
}

TEST_CASE("a name that says nothing is found in a folder and in a file") {
    CHECK(empty_named({"model/utils/text.hpp"}).size() == 1);
    CHECK(empty_named({"solver/types.hpp"}).size() == 1);
    CHECK(empty_named({"solver/plan.hpp", "unit-tests/support/worlds.hpp"}).empty());
}

TEST_CASE("a header that opens wrongly is found") {
    const std::vector<std::string> good = {"#pragma once", "", "// What is a pod?", "namespace echelon::model {", "}"};
    CHECK(badly_opened({{"model/facts/pod.hpp", good}}).empty());
    CHECK(badly_opened({{"solver/pod.hpp", good}}).size() == 1);
    CHECK(badly_opened({{"model/facts/pod.hpp", {good.begin() + 1, good.end()}}}).size() == 1);
    CHECK(badly_opened({{"model/facts/pod.hpp", {good[0], good[1], good[3], good[4]}}}).size() == 1);
    CHECK(badly_opened({{"model/facts/pod.cpp", {}}}).empty());
}

}  // namespace

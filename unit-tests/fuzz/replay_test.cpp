// Runs every input in fuzz/corpus, including past findings, through its target. So fixed bugs stay fixed even where
// clang is missing.

#include "fuzz/targets.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using std::filesystem::path;

std::vector<path> files_in(const path& folder) {
    std::vector<path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.is_regular_file())
            files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

std::string bytes_of(const path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// Each file of the folder, whole and cut at some places: most faults of a reader are at the end of what it reads.
void replay(const echelon::fuzz::Target& target, const path& folder) {
    const auto files = files_in(folder);
    REQUIRE(!files.empty());
    for (const path& file : files) {
        CAPTURE(file);
        const std::string bytes = bytes_of(file);
        CHECK(target.feed(bytes) == "");
        for (std::size_t cuts = 1; cuts < 8; ++cuts) {
            CAPTURE(cuts);
            CHECK(target.feed(std::string_view(bytes).substr(0, bytes.size() * cuts / 8)) == "");
        }
    }
}

const path root = ECHELON_SOURCE_DIR;

}  // namespace

TEST_CASE("every committed input is survived by its target, whole and cut") {
    for (const auto& target : echelon::fuzz::targets) {
        SUBCASE(std::string(target.name).c_str()) {
            replay(target, root / "fuzz/corpus" / target.name);
        }
    }
}

TEST_CASE("no folder of inputs lacks its target") {
    for (const auto& entry : std::filesystem::directory_iterator(root / "fuzz/corpus")) {
        const auto name = entry.path().filename().string();
        CAPTURE(name);
        CHECK(std::ranges::find(echelon::fuzz::targets, name, &echelon::fuzz::Target::name) !=
              echelon::fuzz::targets.end());
    }
}

TEST_CASE("the examples and the scenarios of placement keep what manifests promise") {
    for (const auto* folder : {"examples", "unit-tests/scenarios"}) {
        for (const path& file : files_in(root / folder)) {
            CAPTURE(file);
            if (file.extension() == ".yaml")
                CHECK(echelon::fuzz::manifest(bytes_of(file)) == "");
        }
    }
}

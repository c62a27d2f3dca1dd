// docs/faults.md names the test of every fault: each of them must exist.

#include "unit-tests/house/source_tree.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace {

using echelon::house::Breach;
using echelon::house::joined;
using echelon::house::lines_of;
using echelon::house::test_names;

const std::filesystem::path root = ECHELON_SOURCE_DIR;

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Quoted texts, and words that begin with "Test".
std::vector<std::string> names_in(const std::string& line) {
    std::vector<std::string> names;
    for (auto begin = line.find('"'); begin != std::string::npos;) {
        const auto end = line.find('"', begin + 1);
        if (end == std::string::npos)
            break;
        names.push_back(line.substr(begin + 1, end - begin - 1));
        begin = line.find('"', end + 1);
    }
    for (auto at = line.find("Test"); at != std::string::npos; at = line.find("Test", at + 1)) {
        const auto end = std::find_if_not(line.begin() + static_cast<std::ptrdiff_t>(at), line.end(), is_word);
        names.emplace_back(line.begin() + static_cast<std::ptrdiff_t>(at), end);
    }
    return names;
}

// The lines of each file with this extension.
std::vector<std::vector<std::string>> files_in(const std::filesystem::path& folder, std::string_view extension) {
    std::vector<std::vector<std::string>> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file() && entry.path().extension() == extension)
            files.push_back(lines_of(entry.path()));
    }
    return files;
}

// Names of doctest cases and of Go tests.
std::set<std::string> tests() {
    constexpr std::string_view opening = "func ";
    std::set<std::string> found;
    for (const auto& lines : files_in(root / "unit-tests", ".cpp")) {
        for (auto& name : test_names(lines))
            found.insert(std::move(name));
    }
    for (const auto& lines : files_in(root / "e2e", ".go")) {
        for (const auto& line : lines) {
            if (line.starts_with(opening))
                found.insert(line.substr(opening.size(), line.find('(') - opening.size()));
        }
    }
    return found;
}

// "the first words ..." means a test that begins with them.
std::vector<Breach> unknown_tests(const std::vector<std::string>& lines, const std::set<std::string>& known) {
    std::vector<Breach> breaches;
    for (const auto& line : lines) {
        if (!line.starts_with('|'))
            continue;
        for (const auto& name : names_in(line)) {
            const bool is_start = name.ends_with(" ...");
            const auto start = is_start ? name.substr(0, name.size() - 4) : name;
            const bool is_known =
                is_start ? std::ranges::any_of(known, [&](const auto& test) { return test.starts_with(start); })
                         : known.contains(name);
            if (!is_known)
                breaches.push_back("docs/faults.md: there is no test \"" + name + "\"");
        }
    }
    return breaches;
}

TEST_CASE("every test that the table of faults names is there") {
    const auto lines = lines_of(root / "docs/faults.md");
    REQUIRE(lines.size() > 20);
    CHECK(joined(unknown_tests(lines, tests())) == "");
}

TEST_CASE("a test that isn't there is found") {
    const std::set<std::string> known = {"binds wait at once", "TestRubbish"};
    CHECK(unknown_tests({"| a | `x`: \"binds wait ...\"; e2e: TestRubbish, \"binds wait at once\" |"}, known).empty());
    CHECK(unknown_tests({"| a | \"binds wait\" |"}, known).size() == 1);
    CHECK(unknown_tests({"| a | \"waits ...\", TestRubbishes |"}, known).size() == 2);
}

}  // namespace

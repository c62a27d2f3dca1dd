// Plain English: documents, comments and names of tests avoid words that make a native reader read twice
// (CONTRIBUTING.md). Documents have none. Comments still have a few, with a limit per folder that only shrinks.

#include "unit-tests/house/prose.hpp"

#include <algorithm>
#include <array>
#include <cctype>
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
using echelon::house::joined;
using echelon::house::lines_of;
using echelon::house::place_of;
using echelon::house::Prose;
using echelon::house::read_prose;
using echelon::house::without;

const std::filesystem::path root = ECHELON_SOURCE_DIR;

// As whole words, in any case.
constexpr std::array<std::string_view, 17> patterns = {
    "whoever",   "whomever", "whom",   "who",     "is told",    "are told",       "was told", "were told", "be told",
    "been told", "stands",   "of its", "so many", "are others", "is another one", "ghost",    "ghosts"};

// Documents that a program generates from text elsewhere.
const std::set<std::string> generated = {"docs/metrics.md", "docs/placement-quality.md", "docs/values.md"};

// Folder -> how many lines of comments and names of tests may have such a word. Lower it when you remove some.
const std::map<std::string, std::size_t> allowed_lines = {{"unit-tests", 3}};

// If a folder is this far below the number, the number must be lowered.
constexpr std::size_t slack = 60;

// How many words a glossary may have.
constexpr std::size_t most_words = 50;

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '\'';
}

// The first pattern in a text; empty: none.
std::string_view pattern_in(const std::string& text) {
    std::string lower = text;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const auto pattern : patterns) {
        for (auto at = lower.find(pattern); at != std::string::npos; at = lower.find(pattern, at + 1)) {
            const auto end = at + pattern.size();
            if ((at == 0 || !is_word(lower[at - 1])) && (end == lower.size() || !is_word(lower[end])))
                return pattern;
        }
    }
    return {};
}

std::vector<Breach> unclear_documents(const std::vector<Prose>& all, const std::set<std::string>& exempt) {
    std::vector<Breach> breaches;
    for (const auto& prose : all) {
        const auto pattern = pattern_in(without('"', prose.text));  // Names of tests are quoted.
        if (prose.path.ends_with(".md") && !exempt.contains(prose.path) && !pattern.empty())
            breaches.push_back(place_of(prose) + ": \"" + std::string(pattern) + "\"");
    }
    return breaches;
}

std::map<std::string, std::size_t> unclear_lines(const std::vector<Prose>& all) {
    std::map<std::string, std::size_t> lines;
    for (const auto& prose : all) {
        if (!prose.path.ends_with(".md") && !pattern_in(prose.text).empty())
            ++lines[first_folder(prose.path)];
    }
    return lines;
}

std::vector<Breach> unclear_folders(const std::vector<Prose>& all, const std::map<std::string, std::size_t>& allowed) {
    std::vector<Breach> breaches;
    const auto lines = unclear_lines(all);
    for (const auto& [folder, count] : lines) {
        const auto known = allowed.find(folder);
        const auto most = known == allowed.end() ? std::size_t{0} : known->second;
        if (count > most)
            breaches.push_back(folder + ": " + std::to_string(count) + " unclear lines, at most " +
                               std::to_string(most));
    }
    for (const auto& [folder, most] : allowed) {
        const auto known = lines.find(folder);
        const auto count = known == lines.end() ? std::size_t{0} : known->second;
        if (count + slack < most || count == 0)
            breaches.push_back(folder + ": only " + std::to_string(count) +
                               " unclear lines are left; lower the number");
    }
    return breaches;
}

TEST_CASE("documents avoid the words that make a native reader read twice") {
    CHECK(joined(unclear_documents(read_prose(root), generated)) == "");
}

TEST_CASE("comments and names of tests have fewer and fewer of them") {
    CHECK(joined(unclear_folders(read_prose(root), allowed_lines)) == "");
}

TEST_CASE("the glossary can be learned: fifty words at most, each in one sentence") {
    std::size_t words = 0;
    for (const auto& line : lines_of(root / "docs/concepts.md")) {
        if (!line.starts_with("| **"))
            continue;
        ++words;
        CAPTURE(line);
        const auto begin = line.find(" | ") + 3;
        const auto meaning = line.substr(begin, line.find(" |", begin) - begin);
        CHECK(meaning.ends_with('.'));
        CHECK(meaning.find(". ") == std::string::npos);
    }
    CHECK(words > 30);
    CHECK(words <= most_words);
}

TEST_CASE("an unclear word is found in a document and in a comment, and a clear sentence is none") {
    CHECK(pattern_in("Whoever asks is told") == "whoever");
    CHECK(pattern_in("a level of its.") == "of its");
    CHECK(pattern_in("The whole group withstands it; whose pods are there?").empty());
    const std::vector<Prose> all = {{"docs/a.md", 1, "it stands there"},
                                    {"docs/a.md", 2, "a test: \"whoever asks is told\""},
                                    {"model/a.hpp", 1, "who waits"},
                                    {"model/a.hpp", 2, "the pod waits"},
                                    {"model/b.hpp", 1, "so many as"}};
    CHECK(unclear_documents(all, {}).size() == 1);
    CHECK(unclear_documents(all, {"docs/a.md"}).empty());
    CHECK(unclear_folders(all, {}).size() == 1);
    CHECK(unclear_folders(all, {{"model", 1}}).size() == 1);
    CHECK(unclear_folders(all, {{"model", 2}}).empty());
    CHECK(unclear_folders(all, {{"model", 2 + slack}}).empty());
    CHECK(unclear_folders(all, {{"model", 3 + slack}}).size() == 1);
    CHECK(unclear_folders(all, {{"model", 2}, {"kube", 1}}).size() == 1);
}

}  // namespace

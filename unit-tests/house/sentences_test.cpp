// Plain English: documents, comments and names of tests avoid words that make a native reader read twice
// (CONTRIBUTING.md).

#include "unit-tests/house/prose.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace {

using echelon::house::Breach;
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

std::vector<Breach> unclear_lines(const std::vector<Prose>& all, const std::set<std::string>& exempt) {
    std::vector<Breach> breaches;
    for (const auto& prose : all) {
        // Documents quote names of tests.
        const auto pattern = pattern_in(prose.path.ends_with(".md") ? without('"', prose.text) : prose.text);
        if (!exempt.contains(prose.path) && !pattern.empty())
            breaches.push_back(place_of(prose) + ": \"" + std::string(pattern) + "\"");
    }
    return breaches;
}

TEST_CASE("documents, comments and names of tests avoid the words that make a native reader read twice") {
    CHECK(joined(unclear_lines(read_prose(root), generated)) == "");
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
    CHECK(unclear_lines(all, {}).size() == 3);
    CHECK(unclear_lines(all, {"docs/a.md"}).size() == 2);
}

}  // namespace

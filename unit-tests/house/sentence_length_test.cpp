// Documents have short sentences: at most 25 words (CONTRIBUTING.md). Code, tables and headings are exempt.

#include "unit-tests/house/source_tree.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
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
using echelon::house::Source;
using echelon::house::trimmed;

const std::filesystem::path root = ECHELON_SOURCE_DIR;

constexpr std::ptrdiff_t most_words = 25;

// A program writes them.
const std::set<std::string> generated = {"docs/placement-quality.md"};

// A paragraph, or an item of a list.
struct Paragraph {
    std::size_t line = 0;  // The first one.
    std::string text;
};

bool is_one_of(char c, std::string_view set) {
    return set.find(c) != std::string_view::npos;
}

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// How long the mark of a list's item is, "- " or "10. "; 0: none.
std::size_t item_mark(std::string_view line) {
    if (line.starts_with("- ") || line.starts_with("* "))
        return 2;
    const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(line, is_digit) - line.begin());
    return digits > 0 && line.substr(digits).starts_with(". ") ? digits + 2 : 0;
}

std::vector<Paragraph> paragraphs_of(const std::vector<std::string>& lines) {
    std::vector<Paragraph> all;
    bool is_fenced = false;
    bool is_open = false;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        auto line = trimmed(lines[at]);
        const bool is_fence = line.starts_with("```");
        const bool is_code = is_fenced || is_fence || (!is_open && lines[at].starts_with("    "));
        is_fenced = is_fenced != is_fence;
        if (is_code || line.empty() || line.starts_with('#') || line.starts_with('|')) {
            is_open = false;
            continue;
        }
        const auto mark = item_mark(line);
        if (!is_open || mark > 0) {
            all.push_back({.line = at + 1, .text = {}});
        } else {
            all.back().text += ' ';
        }
        all.back().text += line.substr(mark);
        is_open = true;
    }
    return all;
}

// Code between backticks is one word.
std::string with_plain_code(std::string_view text) {
    std::string plain;
    bool is_code = false;
    for (const char c : text) {
        if (c == '`') {
            plain += is_code ? "code`" : "`";
            is_code = !is_code;
        } else if (!is_code) {
            plain += c;
        }
    }
    return plain;
}

// True if a sentence ends in front of the blank at `at`. A colon ends one if what follows could begin another one.
bool ends_before(std::string_view text, std::size_t at) {
    const auto last = at == 0 ? std::string_view::npos : text.find_last_not_of("*)\"", at - 1);
    if (last == std::string_view::npos || at + 1 >= text.size())
        return false;
    const char next = text[at + 1];
    return is_one_of(text[last], ".!?") || (text[last] == ':' && (std::isupper(static_cast<unsigned char>(next)) != 0 ||
                                                                  is_digit(next) || is_one_of(next, "`\"([*")));
}

std::vector<std::string_view> sentences_in(std::string_view text) {
    std::vector<std::string_view> all;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == ' ' && ends_before(text, at)) {
            all.push_back(text.substr(begin, at - begin));
            begin = at + 1;
        }
    }
    all.push_back(text.substr(begin));
    return all;
}

// Between blanks, with a letter or a digit.
std::ptrdiff_t words_in(std::string_view sentence) {
    std::ptrdiff_t words = 0;
    bool is_counted = false;
    for (const char c : sentence) {
        const bool is_letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
        if (is_letter && !is_counted)
            ++words;
        is_counted = c != ' ' && (is_counted || is_letter);
    }
    return words;
}

std::vector<Breach> long_sentences(const std::vector<Source>& documents, const std::set<std::string>& exempt) {
    std::vector<Breach> breaches;
    for (const auto& document : documents) {
        if (exempt.contains(document.path))
            continue;
        for (const auto& paragraph : paragraphs_of(document.lines)) {
            const auto text = with_plain_code(paragraph.text);
            for (const auto sentence : sentences_in(text)) {
                if (const auto words = words_in(sentence); words > most_words) {
                    breaches.push_back(document.path + ":" + std::to_string(paragraph.line) + ": " +
                                       std::to_string(words) + " words: " + std::string(sentence));
                }
            }
        }
    }
    return breaches;
}

std::vector<Source> read_documents() {
    std::vector<Source> documents;
    const auto collect = [&](const std::filesystem::directory_entry& entry) {
        if (entry.is_regular_file() && entry.path().extension() == ".md") {
            documents.push_back(
                {std::filesystem::relative(entry.path(), root).generic_string(), lines_of(entry.path())});
        }
    };
    std::ranges::for_each(std::filesystem::directory_iterator(root), collect);
    for (const auto* folder : {".github", "charts", "docs"}) {
        if (std::filesystem::is_directory(root / folder))
            std::ranges::for_each(std::filesystem::recursive_directory_iterator(root / folder), collect);
    }
    std::ranges::sort(documents, {}, &Source::path);
    return documents;
}

// "word word ... word": `count` of them.
std::string words(int count) {
    std::string text = "word";
    for (int at = 1; at < count; ++at)
        text += " word";
    return text;
}

TEST_CASE("sentences of documents have at most 25 words") {
    const auto documents = read_documents();
    REQUIRE(documents.size() > 40);
    CHECK(joined(long_sentences(documents, generated)) == "");
}

TEST_CASE("a long sentence is found with its line and its count, in a paragraph and in an item of a list") {
    const std::vector<Source> documents = {{"docs/a.md", {"Short.", "", words(20), words(6) + "."}},
                                           {"docs/b.md", {"- " + words(25) + ".", "- " + words(26) + "."}},
                                           {"docs/c.md", {words(27)}}};
    const auto breaches = long_sentences(documents, {"docs/c.md"});
    REQUIRE(breaches.size() == 2);
    CHECK(breaches[0].starts_with("docs/a.md:3: 26 words: word"));
    CHECK(breaches[1].starts_with("docs/b.md:2: 26 words: word"));
}

TEST_CASE("code, tables and headings may be long, and what is in backticks is one word") {
    const auto many = words(30);
    CHECK(
        long_sentences({{"docs/a.md", {"# " + many, "| " + many + " |", "```sh", many, "```", "", "    " + many}}}, {})
            .empty());
    CHECK(words_in(with_plain_code("see `one two three`, twice")) == 3);
}

TEST_CASE("a sentence ends with its mark, with a bracket or bold behind it, and with a colon before a capital") {
    CHECK(sentences_in("One. two? Three!").size() == 3);
    CHECK(sentences_in("**One.** Two (three.) Four.").size() == 3);
    CHECK(sentences_in("One: Two. One: two. 1.5 of it.").size() == 4);
}

}  // namespace

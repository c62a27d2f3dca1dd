#pragma once

// What do people read in this repository? Comments, names of tests, and documents, line by line, without code.

#include "unit-tests/house/source_tree.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::house {

struct Prose {
    std::string path;  // From the root of the repository.
    std::size_t line = 0;
    std::string text;
};

[[nodiscard]] inline std::string place_of(const Prose& prose) {
    return prose.path + ":" + std::to_string(prose.line);
}

// The text behind `mark`, where that begins the line or follows a blank; empty if there is none.
[[nodiscard]] inline std::string comment_in(const std::string& line, std::string_view mark) {
    for (auto at = line.find(mark); at != std::string::npos; at = line.find(mark, at + 1)) {
        if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t')
            return line.substr(at + mark.size());
    }
    return {};
}

// The first text in quotation marks; empty if there is none.
[[nodiscard]] inline std::string quoted_in(const std::string& line) {
    const auto begin = line.find('"');
    const auto end = begin == std::string::npos ? begin : line.find('"', begin + 1);
    return end == std::string::npos ? std::string() : line.substr(begin + 1, end - begin - 1);
}

// A text without the parts between two of these marks: code between backticks, quotations.
[[nodiscard]] inline std::string without(char mark, const std::string& line) {
    std::string text;
    bool is_left_out = false;
    for (const char c : line) {
        if (c == mark)
            is_left_out = !is_left_out;
        else if (!is_left_out)
            text += c;
    }
    return text;
}

[[nodiscard]] inline std::vector<Prose> prose_of_document(const Source& source) {
    std::vector<Prose> all;
    bool is_fenced = false;
    for (std::size_t at = 0; at < source.lines.size(); ++at) {
        const auto& line = source.lines[at];
        if (line.starts_with("```"))
            is_fenced = !is_fenced;
        else if (!is_fenced && !line.starts_with("    "))
            all.push_back({source.path, at + 1, without('`', line)});
    }
    return all;
}

[[nodiscard]] inline std::vector<Prose> prose_of_code(const Source& source) {
    const bool is_cpp = source.path.ends_with(".cpp") || source.path.ends_with(".hpp");
    const std::string_view mark = is_cpp || source.path.ends_with(".go") ? "//" : "#";
    std::vector<Prose> all;
    for (std::size_t at = 0; at < source.lines.size(); ++at) {
        const auto& line = source.lines[at];
        if (auto comment = comment_in(line, mark); !comment.empty())
            all.push_back({source.path, at + 1, std::move(comment)});
        const bool is_continued = at > 0 && source.lines[at - 1] == "TEST_CASE(";  // A long name is on its own line.
        if (is_cpp && (line.starts_with("TEST_CASE(\"") || is_continued || trimmed(line).starts_with("SUBCASE(\"")))
            all.push_back({source.path, at + 1, quoted_in(line)});
    }
    return all;
}

[[nodiscard]] inline std::vector<Prose> prose_of(const Source& source) {
    return source.path.ends_with(".md") ? prose_of_document(source) : prose_of_code(source);
}

// Every document, and every comment of the code and the manifests. Left out: the house tests, which quote bad examples,
// and what is generated.
[[nodiscard]] inline std::vector<Prose> read_prose(const std::filesystem::path& root) {
    const std::set<std::string> extensions = {".cpp", ".hpp", ".go", ".md",  ".yaml", ".yml",
                                              ".tpl", ".sh",  ".py", ".txt", ".cmake"};
    auto places = folders;
    for (const auto* folder : {"charts", "cmake", "dev.d", "docs", "e2e", "examples", "image", "."})
        places.emplace_back(folder);
    std::vector<Source> sources;
    const auto collect = [&](const std::filesystem::directory_entry& entry) {
        const auto path = std::filesystem::relative(entry.path(), root).generic_string();
        if (entry.is_regular_file() && extensions.contains(entry.path().extension().string()) &&
            !path.starts_with("unit-tests/house/") && path.find("/golden/") == std::string::npos)
            sources.push_back({path, lines_of(entry.path())});
    };
    for (const auto& place : places) {
        if (place == ".")
            std::ranges::for_each(std::filesystem::directory_iterator(root), collect);
        else if (std::filesystem::is_directory(root / place))
            std::ranges::for_each(std::filesystem::recursive_directory_iterator(root / place), collect);
    }
    std::ranges::sort(sources, {}, &Source::path);
    std::vector<Prose> all;
    for (const auto& source : sources)
        std::ranges::move(prose_of(source), std::back_inserter(all));
    return all;
}

}  // namespace echelon::house

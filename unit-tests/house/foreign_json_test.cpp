// BD10: JSON that others have written is parsed in one place, which bounds its size and nesting first; what it says is
// read without exceptions; and no regular expression backtracks.

#include "unit-tests/house/source_tree.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace {

using echelon::house::Breach;
using echelon::house::first_folder;
using echelon::house::joined;
using echelon::house::layers;
using echelon::house::read_house;
using echelon::house::Source;

const std::filesystem::path root = ECHELON_SOURCE_DIR;

constexpr std::string_view audited = "kube/json/foreign_json.cpp";

// What throws, recurses or takes memory by the word of a stranger, and what to use instead.
struct Forbidden {
    std::string_view text;
    std::string_view instead;
};

constexpr Forbidden forbidden[] = {
    {"json::parse(", "kube::parse_foreign"},
    {"json::accept(", "kube::parse_foreign"},
    {"std::regex", "RE2"},
};

// `.value(KEY, DEFAULT)` of nlohmann throws where the value isn't an object; an optional's `.value()` has no argument.
bool reads_with_default(std::string_view line) {
    constexpr std::string_view call = ".value(";
    const auto at = line.find(call);
    return at != std::string_view::npos && at + call.size() < line.size() && line[at + call.size()] != ')';
}

std::vector<Breach> unaudited(const std::vector<Source>& sources) {
    std::vector<Breach> breaches;
    for (const Source& source : sources) {
        const bool is_product = std::ranges::find(layers, first_folder(source.path)) != layers.end();
        if (!is_product || source.path == audited)
            continue;
        for (std::size_t at = 0; at < source.lines.size(); ++at) {
            const std::string_view line = source.lines[at];
            const auto place = source.path + ":" + std::to_string(at + 1) + ": ";
            for (const auto& [text, instead] : forbidden) {
                if (line.find(text) != std::string_view::npos)
                    breaches.push_back(place + std::string(text) + " (use " + std::string(instead) + ")");
            }
            if (reads_with_default(line))
                breaches.push_back(place + ".value(KEY, ...) (use kube::part_of or kube::text_in)");
        }
    }
    return breaches;
}

TEST_CASE("foreign JSON is parsed by one audited function, and no expression backtracks") {
    CHECK(joined(unaudited(read_house(root))) == "");
}

TEST_CASE("a second parser, a read with a default and a backtracking expression are found") {
    const Source bad{"kube/a.cpp",
                     {"auto a = nlohmann::json::parse(text);", "auto b = a.value(\"x\", 1);", "std::regex c(text);",
                      "auto d = maybe.value();"}};
    CHECK(unaudited({bad}).size() == 3);
    CHECK(unaudited({{std::string(audited), bad.lines}, {"unit-tests/kube/a.cpp", bad.lines}}).empty());
}

}  // namespace

// docs/configuration.md has a row for every key that the parser knows (config/settings.cpp, config/*_section.cpp)
// and that the file with all defaults shows (config/echelon.yaml), with the same defaults.

#include "unit-tests/house/source_tree.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <yaml-cpp/yaml.h>

namespace {

using echelon::house::Breach;
using echelon::house::joined;
using echelon::house::lines_of;

const std::filesystem::path root = ECHELON_SOURCE_DIR;

// `a.b` in the first column, and what is in the second: "" when there is no default.
std::map<std::string, std::string> rows_of(const std::vector<std::string>& lines) {
    std::map<std::string, std::string> rows;
    for (const auto& line : lines) {
        if (!line.starts_with("| `"))
            continue;
        const auto end = line.find('`', 3);
        const auto second = line.find("| ", end) + 2;
        const auto last = line.find(" |", second - 1);
        auto value = last < second ? std::string() : line.substr(second, last - second);
        std::erase(value, '`');
        rows[line.substr(3, end - 3)] = value;
    }
    return rows;
}

// The last parts of the paths, without brackets.
std::set<std::string> names_of(const std::map<std::string, std::string>& rows) {
    std::set<std::string> names;
    for (const auto& [path, _] : rows) {
        for (std::size_t begin = 0; begin <= path.size();) {
            const auto end = std::min(path.find('.', begin), path.size());
            auto name = path.substr(begin, end - begin);
            names.insert(name.substr(0, name.find('[')));
            begin = end + 1;
        }
    }
    return names;
}

// Words in quotation marks inside braces, as the parser lists the keys that a section may have.
std::set<std::string> known_keys(const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& line : lines)
        text += line;
    std::set<std::string> keys;
    for (auto at = text.find("Section "); at != std::string::npos; at = text.find("Section ", at + 1)) {
        const auto end = text.find(';', at);
        const auto open = text.find("{\"", at);
        if (open >= end)
            continue;
        const auto list = text.substr(open, text.find('}', open) - open);
        for (auto begin = list.find('"'); begin != std::string::npos;) {
            const auto close = list.find('"', begin + 1);
            keys.insert(list.substr(begin + 1, close - begin - 1));
            begin = list.find('"', close + 1);
        }
    }
    return keys;
}

// Paths of all values of a document; of lists the first item.
void collect(const YAML::Node& node, const std::string& path, std::map<std::string, std::string>& values) {
    if (node.IsMap()) {
        for (const auto& entry : node)
            collect(entry.second, (path.empty() ? "" : path + ".") + entry.first.as<std::string>(), values);
    } else if (node.IsSequence() && node.size() == 0) {
        values[path] = "";
    } else if (node.IsSequence()) {
        collect(node[0], path + "[]", values);
    } else {
        values[path] = node.as<std::string>();
    }
}

TEST_CASE("every key of the configuration is in docs/configuration.md") {
    const auto rows = rows_of(lines_of(root / "docs/configuration.md"));
    const auto documented = names_of(rows);
    auto known = known_keys(lines_of(root / "config/settings.cpp"));
    known.merge(known_keys(lines_of(root / "config/export_section.cpp")));
    known.merge(known_keys(lines_of(root / "config/health_section.cpp")));
    known.merge(known_keys(lines_of(root / "config/limits_section.cpp")));
    known.merge(known_keys(lines_of(root / "config/preemption_section.cpp")));
    known.merge(known_keys(lines_of(root / "config/profiles_section.cpp")));
    REQUIRE(known.size() > 20);
    std::vector<Breach> breaches;
    for (const auto& key : known) {
        if (!documented.contains(key))
            breaches.push_back("docs/configuration.md lacks the key " + key);
    }
    for (const auto& name : documented) {
        if (!known.contains(name))
            breaches.push_back("docs/configuration.md has a key that nobody reads: " + name);
    }
    CHECK(joined(breaches) == "");
}

TEST_CASE("docs/configuration.md has the defaults of config/echelon.yaml") {
    const auto rows = rows_of(lines_of(root / "docs/configuration.md"));
    std::map<std::string, std::string> defaults;
    collect(YAML::LoadFile((root / "config/echelon.yaml").string()), "", defaults);
    REQUIRE(defaults.size() > 10);
    std::vector<Breach> breaches;
    for (const auto& [path, value] : defaults) {
        const auto row = rows.find(path);
        if (row == rows.end()) {
            breaches.push_back("docs/configuration.md lacks " + path);
        } else if (!row->second.empty() && row->second != value) {
            breaches.push_back("docs/configuration.md says " + row->second + " for " + path + ", not " + value);
        }
    }
    CHECK(joined(breaches) == "");
}

TEST_CASE("a key without a row and a row without a key are found") {
    const std::vector<std::string> page = {"| key | default |", "| `a.b` | `1s` | x |", "| `c[].d` | | y |"};
    CHECK(rows_of(page) == std::map<std::string, std::string>{{"a.b", "1s"}, {"c[].d", ""}});
    CHECK(names_of(rows_of(page)) == std::set<std::string>{"a", "b", "c", "d"});
    const std::vector<std::string> parser = {"Section s(value, \"a\", {\"b\",", "  \"c\"}, faults);",
                                             "Section t(x); f({\"no\"});"};
    CHECK(known_keys(parser) == std::set<std::string>{"b", "c"});
}

}  // namespace

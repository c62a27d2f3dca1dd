// Is each class small enough to be read at once? One with more than 25 member functions has a reason here.

#include "unit-tests/house/source_tree.hpp"

#include <cctype>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::house {
namespace {

constexpr std::size_t most_functions = 25;

const std::map<std::string, std::string> large_on_purpose = {
    {"Cluster::State", "one event changes it as a whole; each file of model/cluster has the functions of one subject"},
    {"Cluster", "the model's face: one function for each event and question"},
    {"NodeIndex", "arrays by node that every change of a node or tree keeps in step, in one file for each of the two"},
    {"DeviceIndex", "two functions for each kind of object of resource.k8s.io"},
    {"GroupForest", "questions about one tree: parent, children, what an object adds, roots"},
    {"Distribution", "one walk down the levels, whose steps call each other"},
    {"DomainCounts", "bounds for each kind of limit and pair, kept by one take and one give back"},
    {"Search", "one search, whose steps call each other: choices, fillings, repair"},
    {"PartialPlan", "what a search may ask of, add to and remove from its partial plan"},
    {"Engine::State", "one function for each input; it passes them to the parts and decides nothing"},
    {"GangState", "one accessor for each part of a gang, with the key of the class that may write it"},
    {"Clearings", "one clearing from its record to its end, a function for each moment"},
    {"PlanRecords", "one GangPlan from the first write to its deletion, a function for each outcome"},
    {"Roster", "counts of members by leaf, one question for each transition"},
    {"PlanQueue", "reasons to plan a gang, and orders of gangs that are due"},
    {"ListWatchState", "the protocol of lists and watches: a function for each answer and each fault"},
    {"Machines", "what is free on nodes, one question or change each; plain pods, gangs and figures ask"},
    {"Field", "one reader for each type that a field may have"},
};

struct Class {
    std::string name;
    std::string path;
    std::size_t functions = 0;
};

// Without comments, literals and preprocessor lines.
std::string code_of(const Source& source) {
    std::string code;
    for (const auto& line : source.lines) {
        if (trimmed(line).starts_with('#'))
            continue;
        char quote = 0;
        for (std::size_t at = 0; at < line.size(); ++at) {
            const char c = line[at];
            if (quote == 0 && line.compare(at, 2, "//") == 0)
                break;
            const bool is_separator =
                c == '\'' && at > 0 && std::isalnum(static_cast<unsigned char>(line[at - 1])) != 0;
            if (quote == 0 && (c == '"' || c == '\'') && !is_separator) {
                quote = c;
            } else if (quote != 0 && c == '\\') {
                ++at;
            } else if (quote == c) {
                quote = 0;
            } else if (quote == 0) {
                code += c;
            }
        }
        code += '\n';
    }
    return code;
}

bool is_function(std::string_view statement) {
    for (const std::string_view other : {"using ", "friend ", "static_assert", "class ", "struct ", "enum "}) {
        if (statement.starts_with(other))
            return false;
    }
    const auto bracket = statement.find('(');
    return bracket != std::string_view::npos && statement.substr(0, bracket).find('=') == std::string_view::npos;
}

// Member functions that the text of a class has, those of classes inside it left out.
std::size_t functions_in(std::string_view body) {
    std::size_t functions = 0;
    std::string statement;
    int depth = 0;
    const auto end = [&] {
        auto text = trimmed(statement);
        for (const std::string_view access : {"public:", "private:", "protected:"}) {
            while (text.starts_with(access))
                text = trimmed(text.substr(access.size()));
        }
        functions += is_function(text) ? 1U : 0U;
        statement.clear();
    };
    for (const char c : body) {
        if (c == '}' && --depth == 0)
            end();
        if (depth == 0 && c == ';')
            end();
        if (c == '{')
            ++depth;
        if (depth == 0 && c != ';' && c != '}')
            statement += c == '\n' ? ' ' : c;
    }
    return functions;
}

std::vector<Class> classes_in(const Source& source) {
    std::vector<Class> classes;
    const std::string code = code_of(source);
    for (std::size_t at = 0; at < code.size(); ++at) {
        const bool begins = at == 0 || code[at - 1] == '\n' || code[at - 1] == ' ';
        const auto word = begins && code.compare(at, 6, "class ") == 0    ? std::size_t{6}
                          : begins && code.compare(at, 7, "struct ") == 0 ? std::size_t{7}
                                                                          : std::size_t{0};
        const auto open = code.find_first_of("{;()>", at);
        if (word == 0 || open == std::string::npos || code[open] != '{')
            continue;
        const auto name_end = code.find_first_of(" {", at + word);
        std::size_t close = open + 1;
        for (int depth = 1; close < code.size() && depth > 0; ++close)
            depth += code[close] == '{' ? 1 : code[close] == '}' ? -1 : 0;
        classes.push_back({code.substr(at + word, name_end - at - word), source.path,
                           functions_in(std::string_view(code).substr(open + 1, close - open - 2))});
    }
    return classes;
}

std::vector<Breach> too_large(const std::vector<Source>& sources, const std::map<std::string, std::string>& allowed) {
    std::vector<Breach> breaches;
    auto unused = allowed;
    for (const auto& source : sources) {
        if (!source.path.ends_with(".hpp") || source.path.starts_with("unit-tests/"))
            continue;
        for (const auto& each : classes_in(source)) {
            if (each.functions <= most_functions)
                continue;
            if (unused.erase(each.name) == 0 && !allowed.contains(each.name))
                breaches.push_back(each.path + ": " + each.name + " has " + std::to_string(each.functions) +
                                   " member functions, more than " + std::to_string(most_functions) +
                                   " (or a reason in large_on_purpose)");
        }
    }
    for (const auto& [name, reason] : unused)
        breaches.push_back(name + ": needs no exemption any more");
    return breaches;
}

TEST_CASE("no class has more than 25 member functions without a reason") {
    CHECK(joined(too_large(read_house(ECHELON_SOURCE_DIR), large_on_purpose)) == "");
}

TEST_CASE("member functions are counted as they are declared, and an exemption without a use is found") {
    Source source{"model/one.hpp",
                  {"class One : public Base {", "public:", "    One(int a, int b) : a_(a), b_(b) {}  // int f();",
                   "    [[nodiscard]] int f() const;", "    struct Inner { int g(); };", "    int a_ = f(1);",
                   "    static int h() { return 1; }", "};", "class Declared;"}};
    const auto classes = classes_in(source);
    REQUIRE(classes.size() == 2);
    CHECK(classes[0].name == "One");
    CHECK(classes[0].functions == 3);
    CHECK(classes[1].functions == 1);
    CHECK(joined(too_large({source}, {{"One", "why"}})) != "");
    source.lines.insert(source.lines.begin() + 1, most_functions, "    int more();");
    CHECK(joined(too_large({source}, {{"One", "why"}})) == "");
    CHECK(joined(too_large({source}, {})) != "");
}

}  // namespace
}  // namespace echelon::house

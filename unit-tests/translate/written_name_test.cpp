// Names of written objects are valid for every kind, and no two are equal.

#include "translate/written_name.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>

namespace echelon::translate {
namespace {

bool is_name(const std::string& text) {
    const auto is_end = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    if (text.empty() || text.size() > longest_written_name || !is_end(text.front()) || !is_end(text.back()))
        return false;
    return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string::npos &&
           text.find("..") == std::string::npos && text.find("-.") == std::string::npos &&
           text.find(".-") == std::string::npos;
}

TEST_CASE("a valid name is written unchanged") {
    for (const std::string& name : {std::string("a"), std::string("demo-0-demo-0-prefill"), std::string("a.b-c"),
                                    std::string("0"), std::string(63, 'x')}) {
        CHECK(written_name(name) == name);
    }
}

TEST_CASE("every other name is cut and told apart by a hash of the whole") {
    std::set<std::string> seen;
    const std::string start(60, 'g');
    for (const std::string& wanted :
         {start + "-one", start + "-two", std::string(64, 'x'), std::string(200, 'x'), std::string("Upper"),
          std::string("upper_"), std::string("-a"), std::string("a-"), std::string("a..b"), std::string("a-.b"),
          std::string("a.-b"), std::string(""), std::string("---"), std::string("ä"), std::string("a/b")}) {
        CAPTURE(wanted);
        const auto name = written_name(wanted);
        CHECK(is_name(name));
        CHECK(name == written_name(wanted));
        CHECK(seen.insert(name).second);
    }
    CHECK(written_name(start + "-one").starts_with(std::string(52, 'g') + "-"));
}

TEST_CASE("dots are part of a name only where they may be") {
    CHECK(written_name("a.b") == "a.b");
    CHECK(written_name("a.b", false).starts_with("a-b-"));
}

TEST_CASE("names are the same for ever, since pods bear them") {
    CHECK(written_name(std::string(64, 'x')) == std::string(52, 'x') + "-b96a5acbb5");
}

}  // namespace
}  // namespace echelon::translate

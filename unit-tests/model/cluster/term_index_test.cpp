// Which terms may select pods with certain labels?

#include "model/cluster/term_index.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using enum Requirement::Operator;

PodTerm term(std::string key, std::vector<Requirement> labels, std::vector<std::string> namespaces = {"a"}) {
    const bool is_everywhere = namespaces.empty();
    return {.key = std::move(key),
            .labels = std::move(labels),
            .namespaces = std::move(namespaces),
            .is_everywhere = is_everywhere};
}

// The topologyKeys of the terms that were found.
std::set<std::string> found(const TermIndex& index, std::string_view ns, const LabelViews& labels) {
    std::set<std::string> keys;
    index.for_each(ns, labels, [&keys](const PodTerm& term) { keys.insert(term.key); });
    return keys;
}

using Keys = std::set<std::string>;

TEST_CASE("a term is found by its namespace and by a label that it needs") {
    const std::vector<PodTerm> terms = {
        term("values", {{"app", in, {"api", "web"}}, {"tier", exists, {}}}),
        term("key", {{"app", not_in, {"db"}}, {"tier", exists, {}}}),
        term("rest", {{"app", not_in, {"db"}}}),
        term("everywhere", {{"app", in, {"web"}}}, {}),
        term("two", {{"app", in, {"web"}}}, {"a", "b"}),
        term("none", {{"app", in, {}}}),
    };
    TermIndex index;
    for (const auto& each : terms)
        index.add(each);
    CHECK(found(index, "a", {{"app", "web"}}) == Keys{"everywhere", "rest", "two", "values"});
    CHECK(found(index, "a", {{"app", "db"}}) == Keys{"rest"});
    CHECK(found(index, "a", {{"app", "db"}, {"tier", "x"}}) == Keys{"key", "rest"});
    CHECK(found(index, "a", {{"app", "db"}, {"tier", ""}}) == Keys{"key", "rest"});
    CHECK(found(index, "b", {{"app", "web"}}) == Keys{"everywhere", "two"});
    CHECK(found(index, "c", {{"app", "web"}}) == Keys{"everywhere"});
    CHECK(found(index, "c", {}).empty());
    CHECK(index.reaches("c"));
    index.remove(terms[3]);
    CHECK_FALSE(index.reaches("c"));
    CHECK(index.reaches("b"));
    for (const auto at : {0U, 1U, 2U, 4U, 5U})
        index.remove(terms[at]);
    CHECK_FALSE(index.reaches("a"));
}

TEST_CASE("a term of many namespaces and values is found by the key of a label (BD2)") {
    std::vector<std::string> many;
    for (int i = 1000; i < 1100; ++i)
        many.push_back(std::to_string(i));
    const auto large = term("large", {{"app", in, many}}, many);
    TermIndex index;
    index.add(large);
    CHECK(found(index, "1001", {{"app", "web"}}) == Keys{"large"});
    CHECK(found(index, "1001", {{"tier", "web"}}).empty());
    CHECK(found(index, "1", {{"app", "web"}}).empty());
    index.remove(large);
    CHECK_FALSE(index.reaches("1001"));
}

}  // namespace
}  // namespace echelon::model

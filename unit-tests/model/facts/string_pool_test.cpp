#include "model/facts/string_pool.hpp"

#include "model/facts/node_view.hpp"
#include "unit-tests/model/support/facts.hpp"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using namespace echelon::model;

TEST_CASE("amounts are read back as they were entered, and share texts with labels") {
    StringPool book;
    const Amounts said = {{"cpu", 192'000}, {"nvidia.com/gpu", 8}, {"pods", 0}};
    const auto entry = book.enter(said);
    const auto label = book.enter(Labels{{"cpu", "fast"}});
    CHECK(book.text_count() == 4);
    CHECK(book.read(entry) == said);
    CHECK(book.says(entry, said));
    CHECK_FALSE(book.says(entry, {{"cpu", 192'000}, {"nvidia.com/gpu", 7}, {"pods", 0}}));
    CHECK_FALSE(book.says(entry, {{"cpu", 192'000}, {"nvidia.com/gpu", 8}}));
    CHECK(book.amount_of(entry, "nvidia.com/gpu") == 8);
    CHECK(book.amount_of(entry, "memory") == 0);
    book.drop(entry);
    CHECK(book.text_count() == 2);
    book.drop(label);
    CHECK(book.text_count() == 0);
}

TEST_CASE("a value is found by its key, in a pool as in plain labels") {
    StringPool book;
    const Labels labels{{"a", "1"}, {"aa", ""}, {"b", "2"}};
    const auto entry = book.enter(labels);
    for (const LabelLookup lookup : {LabelLookup(labels), LabelLookup(book, entry)}) {
        CHECK(lookup.value_of("a") == "1");
        CHECK(lookup.value_of("aa") == "");
        CHECK(lookup.value_of("b") == "2");
        for (const char* absent : {"", "0", "ab", "c"})
            CHECK_FALSE(lookup.value_of(absent));
    }
    CHECK_FALSE(LabelLookup(book, {}).value_of("a"));
}

TEST_CASE("labels that change repeatedly are read back as they are, and no text stays behind") {
    StringPool book;
    std::mt19937 dice(3);
    std::vector<std::pair<Labels, StringPool::LabelEntry>> kept(5);
    for (int round = 0; round < 2'000; ++round) {
        CAPTURE(round);
        auto& [labels, entry] = kept[dice() % kept.size()];
        for (int change = 0; change < 3; ++change) {
            const std::string key = "k" + std::to_string(dice() % 6);
            if (dice() % 3 == 0) {
                labels.erase(key);
            } else {
                labels[key] = "k" + std::to_string(dice() % 4);
            }
        }
        auto now = book.enter(labels, entry);
        book.drop(std::exchange(entry, std::move(now)));
        for (const auto& [said, there] : kept) {
            REQUIRE(book.says(there, said));
            REQUIRE(book.read(there) == LabelViews(said.begin(), said.end()));
        }
    }
    for (const auto& [labels, entry] : kept)
        book.drop(entry);
    CHECK(book.text_count() == 0);
}

TEST_CASE("a node comes back as it was seen, but for its UID") {
    Node seen = facts::racked("n0", "b0", "r0");
    seen.uid = "u";
    seen.annotations = {{"topograph.run/instance", "i-7"}};
    seen.taints = {{"maintenance", "", TaintEffect::no_schedule}};
    seen.unschedulable = true;
    auto world = facts::cluster({NodeSeen{facts::racked("n0", "b7", "r7", 1)}, NodeSeen{seen}});
    seen.uid.clear();
    CHECK(world.node("n0") == seen);
    CHECK(world.has_node("n0"));
    world.apply(NodeGone{"n0"});
    CHECK_FALSE(world.has_node("n0"));
    CHECK_FALSE(world.node("n0"));
}

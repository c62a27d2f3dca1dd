#include "model/gang/tree_walk.hpp"

#include "unit-tests/model/support/facts.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

// Composites 0 to 19, each below another one or itself, or below none; deeper than the forest allows, some of them.
GroupForest random_forest(std::mt19937& random, std::int64_t depth) {
    GroupForest forest(depth);
    for (int index = 0; index < 20; ++index) {
        const auto above = random() % 22;
        const auto parent = above < 20 ? std::to_string(above) : std::string();
        if (random() % 10 != 0)
            forest.see(composite(std::to_string(index), 1, parent));
    }
    return forest;
}

// The same, by definition: a group, and then what each child gives.
void descend(const GroupForest& forest, const GroupKey& root, const GroupKey& key, std::uint32_t depth,
             std::vector<std::string>& found) {
    const auto* group = forest.find(key);
    found.push_back(key.name + " at " + std::to_string(depth));
    if (group == nullptr || forest.is_too_deep(root) || depth == forest.depth())
        return;
    for (const auto& child : forest.children(key)) {
        if (child != root)
            descend(forest, root, child, depth + 1, found);
    }
}

}  // namespace

TEST_CASE("a walk visits the same groups as a recursive descent, in every forest") {
    for (std::uint32_t seed = 0; seed < 500; ++seed) {
        std::mt19937 random(seed);
        const auto forest = random_forest(random, 2 + seed % 6);
        for (int index = 0; index < 20; ++index) {
            const auto root = composite_key(std::to_string(index));
            if (forest.root_of(root) != root)
                continue;
            CAPTURE(seed);
            CAPTURE(root.name);
            std::vector<std::string> expected;
            descend(forest, root, root, 1, expected);
            std::vector<std::string> found;
            std::vector<GroupKey> keys;
            for (TreeWalk walk(forest, root); walk.goes_on();) {
                const auto step = walk.take();
                found.push_back(step.key->name + " at " + std::to_string(step.depth));
                keys.push_back(*step.key);
                if (keys.size() > 1 && step.group != nullptr)
                    CHECK(keys[step.parent] == step.group->parent);
            }
            CHECK(found == expected);
            CHECK(forest.tree(root).size() == expected.size());
        }
    }
}

TEST_CASE("a walk marks where a tree is deeper than allowed") {
    GroupForest forest(2);
    forest.see(composite("root", 1));
    forest.see(composite("inner", 1, "root"));
    forest.see(composite("last", 1, "root"));
    forest.see(leaf("a", 1, "inner"));
    const auto tree = forest.tree(composite_key("root"));
    REQUIRE(tree.size() == 3);
    CHECK(tree[0].end == Branch::End::none);
    CHECK(tree[1].end == Branch::End::depth);
    CHECK(tree[2].end == Branch::End::none);
}

TEST_CASE("a tree of more groups than asked for says so, and one of as many doesn't") {
    GroupForest forest;
    forest.see(composite("root", 1));
    forest.see(leaf("a", 1, "root"));
    forest.see(leaf("b", 1, "root"));
    CHECK(forest.tree(composite_key("root"), 3)[0].end == Branch::End::none);
    const auto cut = forest.tree(composite_key("root"), 2);
    CHECK(cut.size() == 2);
    CHECK(cut[0].end == Branch::End::number);
}

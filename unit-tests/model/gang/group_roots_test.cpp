// What are the roots of many groups of one forest? (BD2)

#include "model/gang/group_roots.hpp"

#include "unit-tests/model/support/facts.hpp"

#include <cstdint>
#include <random>
#include <set>
#include <string>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace facts;

GroupKey numbered(std::uint32_t number) {
    return {"group", "default/" + std::to_string(number)};
}

Group hung(std::uint32_t number, std::uint32_t below) {
    Group group;
    group.key = numbered(number);
    group.kind = GroupKind::composite;
    if (below != number)
        group.parent = numbered(below);
    return group;
}

// The roots, looked up child by child.
std::set<GroupKey> roots_below(const GroupForest& forest, const GroupKey& key) {
    std::set<GroupKey> roots;
    for (const auto& child : forest.children(key))
        roots.insert(forest.root_of(child));
    return roots;
}

TEST_CASE("roots found together are those found one by one, with cycles, gaps and chains that are too deep (BD2)") {
    std::mt19937 random(7);
    for (int round = 0; round < 500; ++round) {
        constexpr std::uint32_t groups = 12;
        GroupForest forest(round % 3 == 0 ? 3 : 64);
        const auto any = [&random] { return static_cast<std::uint32_t>(random() % groups); };
        for (std::uint32_t number = 0; number < groups; ++number) {
            auto group = hung(number, any() < 3 ? number : any());
            if (round % 2 == 0 && any() < 6)
                group.listed = {numbered(any())};
            if (any() != 0)
                static_cast<void>(forest.see(group));
        }
        GroupRoots roots(forest);
        for (int look = 0; look < 40; ++look) {
            const auto key = numbered(any());
            CAPTURE(round);
            CHECK(roots.of(key) == forest.root_of(key));
            std::set<GroupKey> below;
            roots.add_below(key, below);
            CHECK(below == roots_below(forest, key));
            std::set<GroupKey> of_listers;
            roots.add_listers(key, of_listers);
            std::set<GroupKey> expected;
            for (const auto* lister : forest.groups_listing(key))
                expected.insert(forest.root_of(*lister));
            CHECK(of_listers == expected);
        }
    }
}

}  // namespace
}  // namespace echelon::model

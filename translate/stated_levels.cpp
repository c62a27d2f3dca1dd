#include "translate/stated_levels.hpp"

#include "model/facts/topology.hpp"
#include "translate/gang_parts.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::translate {

namespace {

using Levels = std::vector<std::string> model::Group::*;
using Resolved = std::vector<model::LevelRef> model::GangGroup::*;

// True if every child asks for a level, and none for the whole cluster.
bool shares_level(const model::GangFacts& facts, const model::GroupFacts& group, Levels levels) {
    return !group.children.empty() && std::ranges::all_of(group.children, [&](std::uint32_t child) {
        const auto* declared = facts.groups[child].group();
        return declared != nullptr && !(declared->*levels).empty() &&
               std::ranges::find(declared->*levels, model::whole_cluster_level) == (declared->*levels).end();
    });
}

// Without nodes the level is known only if all children ask for the same one.
std::string shared_level(const model::GangFacts& facts, const model::GroupFacts& group, Levels levels,
                         const model::Snapshot& snapshot, const std::vector<model::LevelRef>& resolved) {
    if (!resolved.empty())
        return snapshot.trees[resolved.back().tree].keys[resolved.back().depth];
    const auto& first = facts.groups[group.children.front()].group()->*levels;
    const bool are_equal = std::ranges::all_of(
        group.children, [&](std::uint32_t child) { return facts.groups[child].group()->*levels == first; });
    return are_equal && first.size() == 1 ? first.front() : std::string();
}

}  // namespace

base::Result<model::GangFacts> with_stated_levels(model::GangFacts facts, const model::Snapshot& snapshot,
                                                  const model::Gang& gang) {
    for (std::size_t index = 0; index < facts.groups.size(); ++index) {
        auto& group = facts.groups[index];
        if (group.group() == nullptr || !group.group()->policy.inherits_widest_child_level)
            continue;
        auto stated = std::make_shared<model::Group>(*group.group());
        const auto state = [&](Levels levels, Resolved resolved) {
            if (!shares_level(facts, group, levels))
                return true;
            const auto known =
                index < gang.groups.size() ? gang.groups[index].*resolved : std::vector<model::LevelRef>();
            auto level = shared_level(facts, group, levels, snapshot, known);
            if (level.empty())
                return false;
            (*stated.*levels).push_back(std::move(level));
            return true;
        };
        if (!state(&model::Group::required, &model::GangGroup::required))
            return base::failure(titled(group) + ": the level that its gangs share isn't known without their nodes");
        static_cast<void>(state(&model::Group::preferred, &model::GangGroup::preferred));
        stated->policy.inherits_widest_child_level = false;
        group.branch.group = stated.get();
        facts.made.push_back(std::move(stated));
    }
    return facts;
}

}  // namespace echelon::translate

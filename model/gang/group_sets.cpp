#include "model/gang/group_sets.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace echelon::model {

namespace {

void retract_shared(const GroupSet& set, GroupForest& forest) {
    for (const auto& group : set.shared) {
        forest.retract(group, set.created, true);
    }
}

}  // namespace

std::vector<GroupKey> keys_of(const GroupSet& set) {
    std::vector<GroupKey> keys;
    for (const auto* groups : {&set.groups, &set.shared}) {
        std::ranges::transform(*groups, std::back_inserter(keys), &Group::key);
    }
    return keys;
}

std::vector<GroupKey> GroupSets::see(const GroupSet& set, GroupForest& forest) {
    auto& known = sets_[set.owner];
    if (known == set)
        return {};
    auto touched = model::keys_of(known);
    std::ranges::move(model::keys_of(set), std::back_inserter(touched));
    std::set<GroupKey> kept;
    for (const auto& group : set.groups) {
        kept.insert(group.key);
    }
    for (const auto& group : known.groups) {
        if (!kept.contains(group.key))
            forest.forget(group.key, {});
    }
    for (const auto& group : set.groups) {
        forest.see(group);
    }
    // New ones first: a group that stays declared never goes in between.
    for (const auto& group : set.shared) {
        forest.declare(group, set.created, true);
    }
    retract_shared(known, forest);
    known = set;
    return touched;
}

std::vector<GroupKey> GroupSets::forget(const GroupKey& owner, std::string_view uid, GroupForest& forest) {
    const auto found = sets_.find(owner);
    if (found == sets_.end())
        return {};
    const auto& set = found->second;
    if (!uid.empty() && !set.uid.empty() && set.uid != uid)
        return {};
    auto touched = model::keys_of(set);
    for (const auto& group : set.groups) {
        forest.forget(group.key, {});
    }
    retract_shared(set, forest);
    sets_.erase(found);
    return touched;
}

std::vector<GroupKey> GroupSets::keys_of(const GroupKey& owner) const {
    const auto found = sets_.find(owner);
    return found == sets_.end() ? std::vector<GroupKey>{} : model::keys_of(found->second);
}

}  // namespace echelon::model

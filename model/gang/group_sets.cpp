#include "model/gang/group_sets.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace echelon::model {

namespace {

void retract(const std::vector<Group>& shared, std::int64_t created, GroupForest& forest) {
    for (const auto& group : shared) {
        forest.retract(group, created, true);
    }
}

// True if one more declaration would change nothing: the group is declared alike and is as old.
bool is_redundant(const Group& group, std::int64_t created, const GroupForest& forest) {
    if (!group.listed.empty() && !GroupForest::lists_neighbours(group))
        return false;  // A list of groups may become complete by it.
    const auto* known = forest.find(group.key);
    return known != nullptr && known->created <= created && !BySaying{}(*known, group) && !BySaying{}(group, *known);
}

}  // namespace

std::vector<GroupKey> GroupSets::keys_of(const Kept& kept) {
    auto keys = kept.keys;
    std::ranges::transform(kept.shared, std::back_inserter(keys), &Group::key);
    return keys;
}

std::vector<GroupKey> GroupSets::touched_by(const GroupSet& set, const GroupForest& forest) const {
    std::vector<GroupKey> touched;
    std::set<GroupKey> own;
    for (const auto& group : set.groups) {
        own.insert(group.key);
        if (!forest.has(group))
            touched.push_back(group.key);
    }
    for (const auto& group : set.shared) {
        if (!is_redundant(group, set.created, forest))
            touched.push_back(group.key);
    }
    const auto found = sets_.find(set.owner);
    if (found == sets_.end())
        return touched;
    const auto& known = found->second;
    for (const auto& key : known.keys) {
        if (!own.contains(key))
            touched.push_back(key);
    }
    if (known.created != set.created || known.shared != set.shared)
        std::ranges::transform(known.shared, std::back_inserter(touched), &Group::key);
    return touched;
}

void GroupSets::see(const GroupSet& set, GroupForest& forest) {
    auto& known = sets_[set.owner];
    std::set<GroupKey> own;
    for (const auto& group : set.groups) {
        own.insert(group.key);
    }
    for (const auto& key : known.keys) {
        if (!own.contains(key))
            forest.forget(key, {});
    }
    for (const auto& group : set.groups) {
        forest.see(group);
    }
    if (known.created != set.created || known.shared != set.shared) {
        // Declares before it retracts, so that a group in both sets never disappears in between.
        for (const auto& group : set.shared) {
            forest.declare(group, set.created, true);
        }
        retract(known.shared, known.created, forest);
    }
    known = {.uid = set.uid, .created = set.created, .keys = {}, .shared = set.shared};
    known.keys.reserve(set.groups.size());
    std::ranges::transform(set.groups, std::back_inserter(known.keys), &Group::key);
}

std::vector<GroupKey> GroupSets::forget(const GroupKey& owner, std::string_view uid, GroupForest& forest) {
    const auto found = sets_.find(owner);
    if (found == sets_.end())
        return {};
    const auto& kept = found->second;
    if (!uid.empty() && !kept.uid.empty() && kept.uid != uid)
        return {};
    auto touched = keys_of(kept);
    for (const auto& key : kept.keys) {
        forest.forget(key, {});
    }
    retract(kept.shared, kept.created, forest);
    sets_.erase(found);
    return touched;
}

std::vector<GroupKey> GroupSets::keys_of(const GroupKey& owner) const {
    const auto found = sets_.find(owner);
    return found == sets_.end() ? std::vector<GroupKey>{} : keys_of(found->second);
}

std::vector<GroupSet> GroupSets::all(const GroupForest& forest) const {
    std::vector<GroupSet> sets;
    sets.reserve(sets_.size());
    for (const auto& [owner, kept] : sets_) {
        auto& set = sets.emplace_back(
            GroupSet{.owner = owner, .uid = kept.uid, .created = kept.created, .groups = {}, .shared = kept.shared});
        for (const auto& key : kept.keys) {
            if (const auto* group = forest.object(key))
                set.groups.push_back(*group);
        }
    }
    return sets;
}

}  // namespace echelon::model

#include "model/forest.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace echelon::model {

namespace {

// An order among declarations that differ, so that the choice doesn't depend on which pod came first.
auto rank(const Group& group) {
    return std::tie(group.kind, group.parent, group.minimum, group.required, group.preferred, group.problem,
                    group.topology, group.topology_group, group.multiples, group.expected, group.warnings);
}

}  // namespace

bool Forest::see(const Group& group) {
    auto entry = entries_.try_emplace(group.key).first;
    if (entry->second.object == group)
        return false;
    entry->second.object = group;
    settle(entry);
    return true;
}

bool Forest::forget(const GroupKey& key, std::string_view uid) {
    auto entry = entries_.find(key);
    if (entry == entries_.end() || !entry->second.object)
        return false;
    const auto& known = entry->second.object->uid;
    if (!uid.empty() && !known.empty() && known != uid)
        return false;  // A younger object bears the name now.
    entry->second.object.reset();
    settle(entry);
    return true;
}

void Forest::declare(const Group& group, std::int64_t created, bool is_alive) {
    auto entry = entries_.try_emplace(group.key).first;
    add(is_alive ? entry->second.alive : entry->second.dead, group, created);
    settle(entry);
}

void Forest::retract(const Group& group, std::int64_t created, bool is_alive) {
    auto entry = entries_.find(group.key);
    if (entry == entries_.end())
        return;
    remove(is_alive ? entry->second.alive : entry->second.dead, group, created);
    settle(entry);
}

void Forest::add(Variants& variants, Group group, std::int64_t created) {
    group.created = 0;
    auto variant = std::ranges::find(variants, group, &Variant::group);
    if (variant == variants.end())
        variant = variants.insert(variants.end(), Variant{std::move(group), {}, 0});
    ++variant->created[created];
    ++variant->count;
}

void Forest::remove(Variants& variants, Group group, std::int64_t created) {
    group.created = 0;
    const auto variant = std::ranges::find(variants, group, &Variant::group);
    if (variant == variants.end())
        return;
    if (auto at = variant->created.find(created); at != variant->created.end() && --at->second == 0)
        variant->created.erase(at);
    if (--variant->count == 0)
        variants.erase(variant);
}

// The declaration that most pods make, created when the oldest of them all was (Z13).
std::optional<Group> Forest::representative(const Variants& variants) {
    if (variants.empty())
        return std::nullopt;
    const auto chosen = std::ranges::max_element(variants, [](const Variant& a, const Variant& b) {
        return a.count != b.count ? a.count < b.count : rank(b.group) < rank(a.group);
    });
    auto group = chosen->group;
    const auto oldest = [](const Variant& variant) { return variant.created.begin()->first; };
    group.created = oldest(*std::ranges::min_element(variants, {}, oldest));
    return group;
}

// Brings what the entry stands for up to date, and the indexes with it. True: it changed.
bool Forest::settle(std::map<GroupKey, Entry>::iterator entry) {
    auto& [object, alive, dead, effective] = entry->second;
    auto now = object ? object : representative(alive.empty() ? dead : alive);
    if (now == effective)
        return false;
    if (effective)
        link(*effective, false);
    if (now)
        link(*now, true);
    effective = std::move(now);
    if (!effective)
        entries_.erase(entry);
    return true;
}

void Forest::link(const Group& group, bool adds) {
    if (group.parent && adds) {
        children_[*group.parent].insert(group.key);
    } else if (group.parent) {
        auto siblings = children_.find(*group.parent);
        siblings->second.erase(group.key);
        if (siblings->second.empty())
            children_.erase(siblings);
    }
    const auto count = [&](const std::string& key) {
        auto& groups = asked_[key];
        groups += adds ? 1U : static_cast<std::size_t>(-1);
        if (groups == (adds ? 1U : 0U))
            ++asked_version_;
        if (groups == 0)
            asked_.erase(key);
    };
    std::ranges::for_each(group.required, count);
    std::ranges::for_each(group.preferred, count);
    for (const auto& [key, multiple] : group.multiples) {
        count(key);
    }
}

const Group* Forest::find(const GroupKey& key) const {
    const auto entry = entries_.find(key);
    return entry == entries_.end() ? nullptr : &*entry->second.effective;
}

bool Forest::is_disputed(const GroupKey& key) const {
    const auto entry = entries_.find(key);
    if (entry == entries_.end() || entry->second.object)
        return false;
    const auto& [object, alive, dead, effective] = entry->second;
    return (alive.empty() ? dead : alive).size() > 1;
}

GroupKey Forest::root_of(const GroupKey& key) const {
    std::vector<const GroupKey*> way;
    const auto* here = &key;
    while (true) {
        way.push_back(here);
        const auto* group = find(*here);
        if (group == nullptr || !group->parent || find(*group->parent) == nullptr)
            return *here;
        here = &*group->parent;
        const auto seen = std::ranges::find_if(way, [here](const GroupKey* passed) { return *passed == *here; });
        if (seen != way.end())
            return **std::min_element(seen, way.end(), [](const auto* a, const auto* b) { return ByName{}(*a, *b); });
    }
}

const std::set<GroupKey, ByName>& Forest::children(const GroupKey& key) const {
    static const std::set<GroupKey, ByName> none;
    const auto found = children_.find(key);
    return found == children_.end() ? none : found->second;
}

std::vector<Branch> Forest::tree(const GroupKey& root) const {
    std::vector<Branch> branches;
    std::set<GroupKey> seen;
    struct Step {
        GroupKey key;
        std::uint32_t parent;
        std::uint32_t depth;
    };
    std::vector<Step> ahead = {{root, 0, 1}};
    while (!ahead.empty()) {
        auto [key, parent, depth] = std::move(ahead.back());
        ahead.pop_back();
        if (!seen.insert(key).second)
            continue;
        const auto index = static_cast<std::uint32_t>(branches.size());
        const auto* group = find(key);
        const auto& below = children(key);
        for (auto child = below.rbegin(); group != nullptr && child != below.rend(); ++child) {
            ahead.push_back({*child, index, depth + 1});
        }
        branches.push_back({std::move(key), group, parent, depth});
    }
    return branches;
}

bool Forest::is_cycle(const GroupKey& root) const {
    const auto* group = find(root);
    return group != nullptr && group->parent && find(*group->parent) != nullptr;
}

std::vector<GroupKey> Forest::keys() const {
    std::vector<GroupKey> keys;
    keys.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) {
        keys.push_back(key);
    }
    return keys;
}

}  // namespace echelon::model

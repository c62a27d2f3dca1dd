#include "model/gang/forest.hpp"

#include "model/gang/pods_to_come.hpp"
#include "model/gang/supplements.hpp"
#include "model/gang/tree_walk.hpp"

#include <algorithm>
#include <utility>

namespace echelon::model {

namespace {

template <typename Key, typename Less>
using Index = std::map<GroupKey, std::set<Key, Less>>;

template <typename Key, typename Less>
void mark(Index<Key, Less>& index, const GroupKey& under, const Key& key, bool adds) {
    if (adds) {
        auto& keys = index[under];
        keys.insert(keys.end(), key);  // Groups mostly come in the order of their names.
        return;
    }
    const auto entry = index.find(under);
    if (entry == index.end())
        return;
    entry->second.erase(key);
    if (entry->second.empty())
        index.erase(entry);
}

template <typename Key, typename Less>
const std::set<Key, Less>& under(const Index<Key, Less>& index, const GroupKey& key) {
    static const std::set<Key, Less> none;
    const auto found = index.find(key);
    return found == index.end() ? none : found->second;
}

std::string_view namespace_of(const GroupKey& key) {
    return std::string_view(key.name).substr(0, key.name.str().find('/'));
}

// `listed` is sorted by name, so comparing the namespaces of the first and the last is enough.
bool spans_namespaces(const Group& group) {
    return !group.listed.empty() && namespace_of(group.listed.front()) != namespace_of(group.listed.back());
}

// True if at most the condition in the status changed, which echelon itself writes and no plan depends on.
bool asks_alike(const Group& before, const Group& after) {
    if (before.placed == after.placed)
        return before == after;
    Group expected = before;
    expected.placed = after.placed;
    return expected == after;
}

// True if some pods here are counted by the group `owner`.
bool count_for(const GroupKey& owner, const std::unique_ptr<Declarations>& said) {
    return said && std::ranges::any_of(said->additions(), [&owner](const Group* addition) {
               return counts_parts(*addition) && addition->described_by == owner;
           });
}

// Those that say what the group is. A succeeded pod, whose declaration is with the dead, may add to the group (M1).
const Declarations* deciding(const std::unique_ptr<Declarations>& alive, const std::unique_ptr<Declarations>& dead) {
    return alive && (alive->ways() > 0 || !dead) ? alive.get() : dead.get();
}

}  // namespace

bool GroupForest::see(const Group& group) {
    auto entry = entries_.try_emplace(group.key).first;
    auto& object = entry->second.object;
    if (object && *object == group)
        return false;
    const bool asks_as_before = object && asks_alike(*object, group);
    object = Group(group);  // A new copy has strings of exactly their size.
    update(entry);
    return !asks_as_before;
}

bool GroupForest::forget(const GroupKey& key, std::string_view uid) {
    auto entry = entries_.find(key);
    if (entry == entries_.end() || !entry->second.object)
        return false;
    const auto& known = entry->second.object->uid;
    if (!uid.empty() && !known.empty() && known != uid)
        return false;  // A newer object has the name now.
    entry->second.object.reset();
    update(entry);
    return true;
}

void GroupForest::declare(const base::Shared<Group>& group, std::int64_t created, bool is_alive, std::string_view pod) {
    auto entry = entries_.try_emplace(group->key).first;
    auto& said = is_alive ? entry->second.alive : entry->second.dead;
    if (!said)
        said = std::make_unique<Declarations>();
    said->add(group, declarer_of(*group, created, pod));
    if (counts_parts(*group) && !described(*group->described_by).contains(group->key))
        mark(described_, *group->described_by, group->key, true);
    update(entry);
}

void GroupForest::retract(const Group& group, std::int64_t created, bool is_alive, std::string_view pod) {
    auto entry = entries_.find(group.key);
    if (entry == entries_.end())
        return;
    auto& said = is_alive ? entry->second.alive : entry->second.dead;
    if (said)
        said->remove(group, declarer_of(group, created, pod));
    if (said && said->empty())
        said.reset();
    const auto& alive = entry->second.alive;
    const auto& dead = entry->second.dead;
    if (counts_parts(group) && described(*group.described_by).contains(group.key) &&
        !count_for(*group.described_by, alive) && !count_for(*group.described_by, dead))
        mark(described_, *group.described_by, group.key, false);
    update(entry);
}

Declarations::DeclaringPods GroupForest::declarer_of(const Group& group, std::int64_t created, std::string_view pod) {
    if (counts_parts(group))
        return {0, group.about->value};  // Pods of one part are one entry.
    return {created, group.policy.oldest_pod_decides ? std::string(pod) : std::string()};
}

namespace {

// Applies what the object says about all groups that it describes. Children that it lists below its own name are below
// the group's name there. Its problem gets its name, since the sentence would otherwise name the group.
void describe(Group& group, const Group& from) {
    if (from.fewest > 0)
        group.fewest = from.fewest;
    for (const auto& child : from.listed)
        group.listed.push_back({child.kind, group.key.name + child.name.str().substr(from.key.name.size())});
    group.start_set = group.start_set ? group.start_set : from.start_set;
    if (group.start_set)
        group.take_late_template(from);
    if (group.problem.empty() && !from.problem.empty())
        group.problem = from.api_kind + " " + from.key.name + ": " + from.problem;
}

}  // namespace

// The group as its object and pods declare it, before `describe`.
base::Shared<Group> GroupForest::said(const Entry& entry) {
    const auto* declared = entry.said();
    if (declared == nullptr)
        return entry.object;
    auto group = entry.object ? entry.object : deciding(entry.alive, entry.dead)->effective_variant();
    const auto additions = declared->additions();
    if (!group || additions.empty())
        return group;
    return supplemented(*group, additions, declared->dividing_labels());
}

Group GroupForest::described(Group group) const {
    const auto* from = group.described_by ? find(*group.described_by) : nullptr;
    if (from != nullptr && !from->described_by)
        describe(group, *from);
    return group;
}

namespace {

// Supplies the pods that are still to come, as the objects of their owners count them.
base::Shared<Group> with_pods_to_come(base::Shared<Group> group, const Declarations& said, const GroupForest& forest) {
    std::map<GroupKey, std::int64_t> counts;
    const Group* before = nullptr;
    std::int64_t* count = nullptr;
    for (const auto* addition : said.additions()) {  // Equal ones follow each other.
        if (addition != before)
            count = counts_parts(*addition) ? &counts[*addition->described_by] : nullptr;
        before = addition;
        if (count != nullptr)
            ++*count;
    }
    std::vector<CountedParts> parts;
    for (const auto& [owner, number] : counts) {
        if (const auto* found = forest.find(owner))
            parts.push_back({*found, number});
    }
    if (std::optional<Group> counted = count_pods_to_come(*group, parts))
        return std::move(*counted);
    return group;
}

}  // namespace

base::Shared<Group> GroupForest::effective_group(const Entry& entry) const {
    auto group = said(entry);
    const auto* from = group && group->described_by ? find(*group->described_by) : nullptr;
    if (from != nullptr && !from->described_by)
        group = described(*group);
    const auto* declared = entry.said();
    return group && declared != nullptr ? with_pods_to_come(std::move(group), *declared, *this) : group;
}

// Updates the effective group of the entry and the indexes. True: it changed.
bool GroupForest::update(std::map<GroupKey, Entry>::iterator entry) {
    auto& [object, alive, dead, effective] = entry->second;
    auto now = effective_group(entry->second);
    const bool is_changed = now != effective;
    if (is_changed)
        note_move(entry->first, effective ? &*effective : nullptr, now ? &*now : nullptr);
    if (is_changed && effective)
        link(entry->first, *effective, false);
    if (is_changed && now)
        link(entry->first, *now, true);
    effective = std::move(now);
    // A copy, since `update` changes `described_`. A described group describes no other, so the recursion ends.
    const auto others = is_changed ? described(entry->first) : std::set<GroupKey, ByName>{};
    if (!object && !alive && !dead)
        entries_.erase(entry);
    for (const auto& key : others) {
        update(entries_.find(key));
    }
    return is_changed;
}

// If the group or its parent has children only once all agree, it may connect or cut siblings, too.
void GroupForest::note_move(const GroupKey& key, const Group* before, const Group* after) {
    if (before != nullptr && after != nullptr && before->parent == after->parent && before->listed == after->listed)
        return;
    moved_.note(key);
    const auto needs_agreement = [this](const Group* group) {
        const auto* parent = group != nullptr && group->parent ? find(*group->parent) : nullptr;
        return group != nullptr && (spans_namespaces(*group) || (parent != nullptr && spans_namespaces(*parent)));
    };
    if (needs_agreement(before) || needs_agreement(after))
        moved_.note_unknown();
}

// Requires: `key` is a reference into `entries_`; an entry is unlinked before it is erased.
void GroupForest::link(const GroupKey& key, const Group& group, bool adds) {
    if (group.parent)
        mark(children_, *group.parent, key, adds);
    if (!spans_namespaces(group)) {
        for (const auto& listed : group.listed) {
            mark(listers_, listed, &key, adds);
        }
    }
    if (group.described_by)
        mark(described_, *group.described_by, key, adds);
    const auto count = [&](const std::string& level) {
        auto& groups = asked_[level];
        groups += adds ? 1U : static_cast<std::size_t>(-1);
        if (groups == (adds ? 1U : 0U))
            ++asked_version_;
        if (groups == 0)
            asked_.erase(level);
    };
    std::ranges::for_each(group.required, count);
    std::ranges::for_each(group.preferred, count);
    for (const auto& [level, multiple] : group.multiples) {
        count(level);
    }
    for (const auto& [level, most] : group.most_per_domain) {
        count(level);
    }
    if (!group.paired.empty())
        count(group.paired);
}

const Group* GroupForest::object(const GroupKey& key) const {
    const auto entry = entries_.find(key);
    return entry == entries_.end() || !entry->second.object ? nullptr : &*entry->second.object;
}

const Group* GroupForest::find(const GroupKey& key) const {
    const auto entry = entries_.find(key);
    return entry == entries_.end() || !entry->second.effective ? nullptr : &*entry->second.effective;
}

bool GroupForest::has(const Group& group) const {
    const auto entry = entries_.find(group.key);
    return entry != entries_.end() && entry->second.object && *entry->second.object == group;
}

bool GroupForest::is_disputed(const GroupKey& key) const {
    const auto entry = entries_.find(key);
    if (entry == entries_.end() || entry->second.object)
        return false;
    const auto& alive = entry->second.alive;  // Those of pods that have ended dispute nothing.
    return alive && alive->ways() > 1;
}

bool GroupForest::is_agreed(const Group& group) const {
    return group.listed.empty() || children(group.key).size() >= group.listed.size() || !spans_namespaces(group);
}

bool GroupForest::lists_neighbours(const Group& group) {
    return !group.listed.empty() && !spans_namespaces(group);
}

const Group* GroupForest::parent_of(const Group& group) const {
    const auto* parent = group.parent ? find(*group.parent) : nullptr;
    return parent != nullptr && is_agreed(*parent) ? parent : nullptr;
}

// Where the way up ends: at the root, in a cycle (at its first group by name), or beyond the depth of a tree. Valid
// until `key` or the forest changes.
std::pair<GroupForest::Way, const GroupKey*> GroupForest::way_up(const GroupKey& key) const {
    const auto* here = find(key);
    if (here == nullptr)
        return {Way::to_root, &key};
    const auto* above = parent_of(*here);
    if (above == nullptr)
        return {Way::to_root, &here->key};  // As most groups: without a list of those on the way.
    std::vector<const Group*> way = {here};
    for (;;) {
        const auto seen = std::ranges::find(way, above);
        if (seen != way.end()) {
            const auto by_name = [](const Group* a, const Group* b) { return ByName{}(a->key, b->key); };
            return {Way::into_cycle, &(*std::min_element(seen, way.end(), by_name))->key};
        }
        if (way.size() >= depth_)
            return {Way::too_deep, &key};
        way.push_back(above);
        above = parent_of(*above);
        if (above == nullptr)
            return {Way::to_root, &way.back()->key};
    }
}

GroupKey GroupForest::root_of(const GroupKey& key) const {
    return *way_up(key).second;
}

bool GroupForest::is_too_deep(const GroupKey& key) const {
    return way_up(key).first == Way::too_deep;
}

const std::set<GroupKey, ByName>& GroupForest::children(const GroupKey& key) const {
    return under(children_, key);
}

const std::set<const GroupKey*, ByNameOf>& GroupForest::groups_listing(const GroupKey& key) const {
    return under(listers_, key);
}

const std::set<GroupKey, ByName>& GroupForest::described(const GroupKey& key) const {
    return under(described_, key);
}

std::vector<Branch> GroupForest::tree(const GroupKey& root, std::size_t most) const {
    std::vector<Branch> branches;
    TreeWalk walk(*this, root);
    while (walk.goes_on() && branches.size() < most) {
        const auto step = walk.take();
        branches.push_back({*step.key, step.group, step.parent, step.depth, step.end});
    }
    if (walk.goes_on())
        branches.front().end = Branch::End::number;
    return branches;
}

bool GroupForest::is_cycle(const GroupKey& root) const {
    return way_up(root).first == Way::into_cycle;
}

std::vector<GroupKey> GroupForest::keys() const {
    std::vector<GroupKey> keys;
    keys.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) {
        if (entry.effective)
            keys.push_back(key);
    }
    return keys;
}

}  // namespace echelon::model

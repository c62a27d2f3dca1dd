#include "model/gang/group_roots.hpp"

namespace echelon::model {

GroupKey GroupRoots::of(const GroupKey& key) {
    const auto place = place_of(key);
    return place.root != nullptr ? *place.root : forest_.root_of(key);
}

void GroupRoots::add(const GroupKey& key, std::set<GroupKey>& roots) {
    insert(place_of(key).root, key, roots);
}

void GroupRoots::add(const Group& group, std::set<GroupKey>& roots) {
    insert(place_of(&group).root, group.key, roots);
}

void GroupRoots::insert(const GroupKey* root, const GroupKey& key, std::set<GroupKey>& roots) const {
    if (root != nullptr) {
        roots.insert(*root);
    } else {
        roots.insert(forest_.root_of(key));
    }
}

void GroupRoots::add_below(const GroupKey& key, std::set<GroupKey>& roots) {
    for (const auto& child : forest_.children(key)) {
        const auto* root = place_of(child).root;
        insert(root, child, roots);
        if (root != nullptr && *root != child)
            return;
    }
}

void GroupRoots::add_listers(const GroupKey& key, std::set<GroupKey>& roots) {
    const GroupKey* last = nullptr;  // Listers of one group often have one root.
    for (const auto* lister : forest_.groups_listing(key)) {
        const auto [known, is_new] = roots_of_listers_.try_emplace(lister, nullptr);
        if (is_new)
            known->second = place_of(*lister).root;
        if (known->second == nullptr || known->second != last)
            insert(known->second, *lister, roots);
        last = known->second;
    }
}

GroupRoots::Place GroupRoots::place_of(const Group* here) {
    auto& way = way_;
    way.clear();
    auto known = known_.end();
    for (; here != nullptr && way.size() < forest_.depth(); here = forest_.parent_of(*here)) {
        known = known_.find(here);
        if (known != known_.end())
            break;
        way.push_back(here);
    }
    Place place;
    if (known != known_.end()) {
        place = known->second;
    } else if (here == nullptr && !way.empty()) {
        place = {.root = &way.back()->key, .levels = 1};
        known_.emplace(way.back(), place);
        way.pop_back();
    }
    if (place.root == nullptr || place.levels + way.size() > forest_.depth())
        return {};
    for (; !way.empty(); way.pop_back()) {
        ++place.levels;
        if (way.back()->kind == GroupKind::composite)  // Nothing is below a leaf.
            known_.emplace(way.back(), place);
    }
    return place;
}

}  // namespace echelon::model

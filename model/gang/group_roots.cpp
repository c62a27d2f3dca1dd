#include "model/gang/group_roots.hpp"

#include <vector>

namespace echelon::model {

GroupKey GroupRoots::of(const GroupKey& key) {
    const auto place = place_of(key);
    return place.root != nullptr ? *place.root : forest_.root_of(key);
}

void GroupRoots::add_below(const GroupKey& key, std::set<GroupKey>& roots) {
    for (const auto& child : forest_.children(key)) {
        const auto place = place_of(child);
        roots.insert(place.root != nullptr ? *place.root : forest_.root_of(child));
        if (place.root != nullptr && *place.root != child)
            return;
    }
}

void GroupRoots::add_listers(const GroupKey& key, std::set<GroupKey>& roots) {
    const GroupKey* last = nullptr;  // Listers of one group often have one root.
    for (const auto* lister : forest_.groups_listing(key)) {
        const auto [known, is_new] = roots_of_listers_.try_emplace(lister, nullptr);
        if (is_new)
            known->second = place_of(*lister).root;
        const auto* root = known->second;
        if (root == nullptr) {
            roots.insert(forest_.root_of(*lister));
        } else if (root != last) {
            roots.insert(*root);
            last = root;
        }
    }
}

GroupRoots::Place GroupRoots::place_of(const GroupKey& key) {
    std::vector<const Group*> way;
    const auto* here = forest_.find(key);
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
        known_.emplace(way.back(), place);
    }
    return place;
}

}  // namespace echelon::model

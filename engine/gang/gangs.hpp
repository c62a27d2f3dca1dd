#pragma once

// Which gangs exist?
//
// Not thread-safe.

#include "base/flat_table.hpp"
#include "base/text.hpp"
#include "engine/gang/gang_state.hpp"

#include <map>
#include <utility>

namespace echelon::engine {

class Gangs {
public:
    using Map = std::map<model::GroupKey, GangState>;

    // Null: there is no such gang.
    [[nodiscard]] GangState* find(const model::GroupKey& root) { return found(root); }
    [[nodiscard]] const GangState* find(const model::GroupKey& root) const { return found(root); }
    // The gang, and whether it is new.
    std::pair<GangState&, bool> add(const model::GroupKey& root, Time first_seen) {
        const auto [at, is_new] = gangs_.try_emplace(root, root, first_seen);
        if (is_new)
            by_hash_.insert(base::hash_of(root.name), &*at);
        return {at->second, is_new};
    }
    void erase(const model::GroupKey& root) {
        by_hash_.take(base::hash_of(root.name), [&](const auto* gang) { return gang->first == root; });
        gangs_.erase(root);
    }

    [[nodiscard]] Map& all() { return gangs_; }
    [[nodiscard]] const Map& all() const { return gangs_; }

private:
    [[nodiscard]] GangState* found(const model::GroupKey& root) const {
        const auto* known =
            by_hash_.find(base::hash_of(root.name), [&](const auto* gang) { return gang->first == root; });
        return known == nullptr ? nullptr : &(*known)->second;
    }

    Map gangs_;
    base::FlatTable<Map::value_type*> by_hash_;  // `gangs_`, by the hash of the name.
};

}  // namespace echelon::engine

#pragma once

// Which gangs exist?
//
// Not thread-safe.

#include "engine/gang/gang_state.hpp"

#include <map>

namespace echelon::engine {

class Gangs {
public:
    using Map = std::map<model::GroupKey, GangState>;

    // Null: there is no such gang.
    [[nodiscard]] GangState* find(const model::GroupKey& root) {
        const auto found = gangs_.find(root);
        return found == gangs_.end() ? nullptr : &found->second;
    }
    [[nodiscard]] const GangState* find(const model::GroupKey& root) const {
        const auto found = gangs_.find(root);
        return found == gangs_.end() ? nullptr : &found->second;
    }
    // The gang, and whether it is new.
    std::pair<GangState&, bool> add(const model::GroupKey& root, Time first_seen) {
        const auto [at, is_new] = gangs_.try_emplace(root, root, first_seen);
        return {at->second, is_new};
    }
    void erase(const model::GroupKey& root) { gangs_.erase(root); }

    [[nodiscard]] Map& all() { return gangs_; }
    [[nodiscard]] const Map& all() const { return gangs_; }

private:
    Map gangs_;
};

}  // namespace echelon::engine

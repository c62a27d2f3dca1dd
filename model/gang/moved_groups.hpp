#pragma once

// Which groups may have got another root since the last call?
//
// The root of a group changes only with a group on its way up. So a change is noted for the group alone, and the groups
// below it are collected at the end. The cost is bounded, however large the trees are (BD2).

#include "model/facts/group.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace echelon::model {

class GroupForest;

class MovedGroups {
public:
    // The group came, left, or has another parent.
    void note(const GroupKey& key);
    // Groups that are not noted may have moved, too.
    void note_unknown() { is_unknown_ = true; }

    [[nodiscard]] bool has_any() const { return is_unknown_ || !noted_.empty(); }
    // The noted groups and all below them, each once; nullopt: they are unknown, or more than `most`. Nothing is noted
    // afterwards.
    [[nodiscard]] std::optional<std::vector<GroupKey>> take(const GroupForest& forest);

    static constexpr std::size_t most = 64;

private:
    std::vector<GroupKey> noted_;
    bool is_unknown_ = false;
};

}  // namespace echelon::model

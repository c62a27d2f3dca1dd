#pragma once

// Which gangs does a change affect? Call it before and after the change, since a change may connect trees or cut them.

#include "model/cluster/cluster.hpp"
#include "model/cluster/co_location_index.hpp"
#include "model/gang/forest.hpp"
#include "model/gang/group_roots.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace echelon::model {

// Refers to its arguments.
class AffectedGangs {
public:
    using Roots = std::set<GroupKey>;

    AffectedGangs(const GroupForest& forest, const CoLocationIndex& co_location, const Profiles& profiles,
                  const Limits& limits)
        : forest_(forest), co_location_(co_location), profiles_(profiles), limits_(limits) {}

    // Ours, with gangs or levels, and has a group.
    [[nodiscard]] bool is_tracked(const Pod& pod) const;
    // The pod's gang, and those that its declarations connect.
    void add_gang_of(const Pod& pod, Roots& roots) const;
    // The anchor of the gangs that are co-located with the pod's gang; nullopt: there are none.
    [[nodiscard]] std::optional<GroupKey> anchor_near(const Pod& pod) const;
    // The trees that the pod's declarations may connect.
    void add_declared_by(const Pod& pod, Roots& roots) const;
    // A group may connect the trees below it with the one above it. Lists of groups must agree with it.
    void add_around(const GroupKey& group, Roots& roots) const;
    void add_around(const std::vector<GroupKey>& groups, Roots& roots) const;
    void add_users_of(const std::string& priority_class, bool is_default, Roots& roots) const;

    // The gang that this one is anchored to, or itself if other gangs are anchored to it; else nullopt.
    [[nodiscard]] std::optional<GroupKey> anchor_of(const GroupKey& root) const;
    // The roots of the anchor and of all gangs anchored to it.
    [[nodiscard]] Roots gangs_around(const GroupKey& anchor) const;

private:
    // Groups that other pods declare below this one. While it doesn't exist, each of them is a root.
    void add_children_of_missing(const Group& declared, Roots& roots) const;
    void add_around(const GroupKey& group, GroupRoots& known, Roots& roots) const;

    const GroupForest& forest_;
    const CoLocationIndex& co_location_;
    const Profiles& profiles_;
    const Limits& limits_;
};

}  // namespace echelon::model

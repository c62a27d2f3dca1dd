#include "solver/packing/member_conflicts.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace echelon::solver {

using model::Gang;
using model::NodeId;

namespace {

using Places = std::map<std::uint32_t, std::set<std::uint32_t>>;  // Numbers by topology key.

// By affinity class: where its pods may not go, since a pod that conflicts is bound there.
std::map<std::uint32_t, Places> closed_by_bound(const Gang& gang) {
    std::map<std::uint32_t, std::set<NodeId>> bound_of;  // By affinity class.
    for (const model::Member& member : gang.members) {
        if (member.state == model::Member::State::bound && member.affinity_class != 0 &&
            member.node != model::nowhere) {
            bound_of[member.affinity_class].insert(member.node);
        }
    }
    std::map<std::uint32_t, Places> closed;
    const auto close = [&](std::uint32_t topology_key, std::uint32_t affinity_class, std::uint32_t conflict) {
        const auto bound = bound_of.find(affinity_class);
        if (bound == bound_of.end()) {
            return;
        }
        for (const NodeId node : bound->second) {
            if (const std::uint32_t number = gang.affinity.topology_keys[topology_key].of[node];
                number != model::nowhere) {
                closed[conflict][topology_key].insert(number);
            }
        }
    };
    for (const model::Separation& apart : gang.affinity.apart) {
        close(apart.topology_key, apart.one, apart.other);
        if (apart.one != apart.other) {
            close(apart.topology_key, apart.other, apart.one);
        }
    }
    return closed;
}

}  // namespace

MemberConflicts::MemberConflicts(const model::Snapshot& snapshot, const Gang& gang,
                                 std::span<const std::uint32_t> affinity_class_of_class)
    : gang_(&gang) {
    if (std::ranges::all_of(affinity_class_of_class,
                            [](std::uint32_t affinity_class) { return affinity_class == 0; })) {
        return;
    }
    const model::AffinityConstraints& affinity = gang.affinity;
    for (const std::uint32_t affinity_class : affinity_class_of_class) {
        Row& row = rows_.emplace_back();
        row.affinity_class = affinity_class;
        if (affinity_class < affinity.barred.size()) {
            row.closed = affinity.barred[affinity_class];
        }
    }
    std::map<std::uint32_t, std::vector<std::uint32_t>> classes_of;  // By affinity class.
    for (std::uint32_t member_class = 0; member_class < affinity_class_of_class.size(); ++member_class) {
        classes_of[affinity_class_of_class[member_class]].push_back(member_class);
    }
    std::set<std::uint32_t> wide;
    for (const model::Separation& apart : affinity.apart) {
        const auto ones = classes_of.find(apart.one);
        const auto others = classes_of.find(apart.other);
        if (ones == classes_of.end() || others == classes_of.end()) {
            continue;
        }
        if (!affinity.topology_keys[apart.topology_key].is_single) {
            wide.insert(apart.topology_key);
        }
        for (const std::uint32_t one : ones->second) {
            for (const std::uint32_t other : others->second) {
                rows_[one].conflicts.push_back({apart.topology_key, other});
                if (apart.one != apart.other) {
                    rows_[other].conflicts.push_back({apart.topology_key, one});
                }
            }
        }
    }
    wide_.assign(wide.begin(), wide.end());
    are_wide_ = !wide_.empty();
    for (Row& row : rows_) {
        for (const Conflict& conflict : row.conflicts) {
            row.topology_keys.push_back(conflict.topology_key);
        }
        std::ranges::sort(row.topology_keys);
        row.topology_keys.erase(std::ranges::unique(row.topology_keys).begin(), row.topology_keys.end());
    }
    close_around_bound(gang, snapshot.node_count());
}

// Closes nodes to the classes that conflict with a bound member there, or on a node with the same label value.
void MemberConflicts::close_around_bound(const Gang& gang, std::size_t nodes) {
    const std::map<std::uint32_t, Places> closed = closed_by_bound(gang);
    for (Row& row : rows_) {
        const auto places = closed.find(row.affinity_class);
        if (places == closed.end()) {
            continue;
        }
        row.closed.resize(nodes, 0);
        for (const auto& [topology_key, numbers] : places->second) {
            const std::vector<std::uint32_t>& number_of = gang.affinity.topology_keys[topology_key].of;
            for (NodeId node = 0; node < nodes; ++node) {
                row.closed[node] |= numbers.contains(number_of[node]) ? std::uint8_t{1} : std::uint8_t{0};
            }
        }
    }
}

std::int64_t MemberConflicts::limit(std::uint32_t member_class, NodeId node) const {
    if (!touch(member_class)) {
        return many;
    }
    const Row& row = rows_[member_class];
    if (!row.closed.empty() && row.closed[node] != 0) {
        return 0;
    }
    const bool is_alone = std::ranges::any_of(row.conflicts, [&](const Conflict& conflict) {
        return conflict.member_class == member_class && number(conflict.topology_key, node) != model::nowhere;
    });
    return is_alone ? 1 : many;
}

std::span<const Conflict> MemberConflicts::conflicts_of(std::uint32_t member_class) const {
    return exist() ? std::span<const Conflict>(rows_[member_class].conflicts) : std::span<const Conflict>();
}

std::span<const std::uint32_t> MemberConflicts::topology_keys(std::uint32_t member_class) const {
    return exist() ? std::span<const std::uint32_t>(rows_[member_class].topology_keys)
                   : std::span<const std::uint32_t>();
}

bool MemberConflicts::are_in_conflict(std::uint32_t topology_key, std::uint32_t one, std::uint32_t other) const {
    return std::ranges::any_of(conflicts_of(one), [&](const Conflict& conflict) {
        return conflict.topology_key == topology_key && conflict.member_class == other;
    });
}

std::vector<std::uint32_t> MemberConflicts::exclusive(std::uint32_t member_class) const {
    std::vector<std::uint32_t> found;
    const auto is_total = [&](std::uint32_t topology_key) {  // Else the conflict doesn't reach every node.
        return std::ranges::none_of(gang_->affinity.topology_keys[topology_key].of,
                                    [](std::uint32_t number) { return number == model::nowhere; });
    };
    const auto never_meet = [&](std::uint32_t one, std::uint32_t other) {
        return std::ranges::any_of(conflicts_of(one), [&](const Conflict& conflict) {
            return conflict.member_class == other && is_total(conflict.topology_key);
        });
    };
    if (!touch(member_class) || !never_meet(member_class, member_class)) {
        return found;
    }
    found.push_back(member_class);
    for (std::uint32_t other = 0; other < rows_.size(); ++other) {
        const bool joins = other != member_class && never_meet(other, other) &&
                           std::ranges::all_of(found, [&](std::uint32_t one) { return never_meet(one, other); });
        if (joins) {
            found.push_back(other);
        }
    }
    return found;
}

void PlacedCounts::add(std::uint32_t member_class, NodeId node, std::int64_t count) {
    for (const std::uint32_t topology_key : conflicts_->topology_keys(member_class)) {
        if (const std::uint32_t number = conflicts_->number(topology_key, node); number != model::nowhere) {
            const auto row = there_.try_emplace({topology_key, number, member_class}, 0).first;
            row->second += count;
            if (row->second == 0) {
                there_.erase(row);
            }
        }
    }
}

bool PlacedCounts::has_conflict_at(std::uint32_t member_class, NodeId node) const {
    return std::ranges::any_of(conflicts_->conflicts_of(member_class), [&](const Conflict& conflict) {
        const std::uint32_t number = conflicts_->number(conflict.topology_key, node);
        return number != model::nowhere && there_.contains({conflict.topology_key, number, conflict.member_class});
    });
}

}  // namespace echelon::solver

#include "solver/packing/member_conflicts.hpp"

#include "solver/packing/hash.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
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
    std::map<std::uint32_t, RowId> row_of_affinity_class;
    for (const std::uint32_t affinity_class : affinity_class_of_class) {
        const auto [row, is_new] = row_of_affinity_class.emplace(affinity_class, static_cast<RowId>(rows_.size()));
        if (is_new) {
            rows_.emplace_back().affinity_class = affinity_class;
            if (affinity_class < affinity.barred.size()) {
                rows_.back().closed = affinity.barred[affinity_class];
            }
        }
        row_of_.push_back(row->second);
    }
    list_conflicts(affinity, row_of_affinity_class);
    close_around_bound(gang, snapshot.node_count());
}

void MemberConflicts::list_conflicts(const model::AffinityConstraints& affinity,
                                     const std::map<std::uint32_t, RowId>& row_of_affinity_class) {
    for (const model::Separation& apart : affinity.apart) {
        const auto found_one = row_of_affinity_class.find(apart.one);
        const auto found_other = row_of_affinity_class.find(apart.other);
        if (found_one == row_of_affinity_class.end() || found_other == row_of_affinity_class.end()) {
            continue;
        }
        const RowId one = found_one->second;
        const RowId other = found_other->second;
        const bool is_wide = !affinity.topology_keys[apart.topology_key].is_single;
        topology_keys_.push_back(apart.topology_key);
        rows_[one].conflicts.push_back({.topology_key = apart.topology_key, .row = other});
        if (one != other) {
            rows_[other].conflicts.push_back({.topology_key = apart.topology_key, .row = one});
            continue;
        }
        rows_[one].own.push_back(apart.topology_key);
        if (is_wide) {
            rows_[one].own_wide.push_back(apart.topology_key);
        }
    }
    for (Row& row : rows_) {
        std::ranges::sort(row.conflicts);
    }
    std::ranges::sort(topology_keys_);
    topology_keys_.erase(std::ranges::unique(topology_keys_).begin(), topology_keys_.end());
    std::ranges::copy_if(topology_keys_, std::back_inserter(wide_),
                         [&](std::uint32_t key) { return !affinity.topology_keys[key].is_single; });
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
    const Row& own = row(member_class);
    if (!own.closed.empty() && own.closed[node] != 0) {
        return 0;
    }
    const bool is_alone = std::ranges::any_of(
        own.own, [&](std::uint32_t topology_key) { return number(topology_key, node) != model::nowhere; });
    return is_alone ? 1 : many;
}

std::span<const MemberConflicts::Conflict> MemberConflicts::conflicts_of(std::uint32_t member_class) const {
    return exist() ? std::span<const Conflict>(row(member_class).conflicts) : std::span<const Conflict>();
}

std::span<const std::uint32_t> MemberConflicts::own_wide(std::uint32_t member_class) const {
    return exist() ? std::span<const std::uint32_t>(row(member_class).own_wide) : std::span<const std::uint32_t>();
}

// [row][row] 1 if a conflict of the two reaches every node.
std::vector<std::vector<std::uint8_t>> MemberConflicts::rows_that_never_meet() const {
    std::vector<std::uint32_t> total;  // Topology keys whose label every node has.
    std::ranges::copy_if(topology_keys_, std::back_inserter(total), [&](std::uint32_t topology_key) {
        return std::ranges::none_of(gang_->affinity.topology_keys[topology_key].of,
                                    [](std::uint32_t number) { return number == model::nowhere; });
    });
    std::vector<std::vector<std::uint8_t>> never_meet(rows_.size(), std::vector<std::uint8_t>(rows_.size(), 0));
    for (RowId one = 0; one < rows_.size(); ++one) {
        for (const Conflict& conflict : rows_[one].conflicts) {
            never_meet[one][conflict.row] |=
                std::ranges::binary_search(total, conflict.topology_key) ? std::uint8_t{1} : std::uint8_t{0};
        }
    }
    return never_meet;
}

std::vector<std::vector<std::uint32_t>> MemberConflicts::exclusive_sets(Operations& work) const {
    const std::vector<std::vector<std::uint8_t>> never_meet = rows_that_never_meet();
    work += rows_.size() * rows_.size() / 4;
    std::set<std::vector<std::uint8_t>> seen;
    std::vector<std::vector<std::uint32_t>> sets;
    for (RowId first = 0; first < rows_.size(); ++first) {
        if (never_meet[first][first] == 0 || rows_[first].affinity_class == 0) {
            continue;
        }
        // The rows that never meet any of the set so far.
        std::vector<std::uint8_t> is_member(rows_.size(), 0);
        std::vector<std::uint8_t> may_join = never_meet[first];
        is_member[first] = 1;
        for (RowId other = 0; other < rows_.size(); ++other) {
            if (other == first || may_join[other] == 0 || never_meet[other][other] == 0) {
                continue;
            }
            is_member[other] = 1;
            std::ranges::transform(may_join, never_meet[other], may_join.begin(), std::bit_and{});
            work += rows_.size() / 16;
        }
        work += rows_.size() * 2;
        if (!seen.insert(is_member).second) {
            continue;
        }
        std::vector<std::uint32_t>& found = sets.emplace_back();
        for (std::uint32_t member_class = 0; member_class < row_of_.size(); ++member_class) {
            if (is_member[row_of_[member_class]] != 0) {
                found.push_back(member_class);
            }
        }
    }
    return sets;
}

const PlacedCounts::Counts* PlacedCounts::counts_at(std::uint32_t topology_key, NodeId node) const {
    const auto counts = there_.find(std::uint64_t{topology_key} << 32U | conflicts_->number(topology_key, node));
    return counts == there_.end() ? nullptr : &counts->second;
}

void PlacedCounts::add(std::uint32_t member_class, NodeId node, std::int64_t count) {
    const std::span<const MemberConflicts::Conflict> conflicts = conflicts_->conflicts_of(member_class);
    for (std::size_t i = 0; i < conflicts.size();) {
        const std::uint32_t topology_key = conflicts[i].topology_key;
        const std::uint32_t number = conflicts_->number(topology_key, node);
        Counts* counts = nullptr;
        if (number != model::nowhere) {
            counts = &there_[std::uint64_t{topology_key} << 32U | number];
            counts->resize(conflicts_->row_count(), 0);
        }
        for (; i < conflicts.size() && conflicts[i].topology_key == topology_key; ++i) {
            if (counts != nullptr) {
                (*counts)[conflicts[i].row] += count;
            }
        }
    }
}

bool PlacedCounts::has_conflict_at(std::uint32_t member_class, NodeId node) const {
    if (there_.empty()) {
        return false;
    }
    const MemberConflicts::RowId row = conflicts_->row_of(member_class);
    return std::ranges::any_of(conflicts_->topology_keys(), [&](std::uint32_t topology_key) {
        const Counts* counts = counts_at(topology_key, node);
        return counts != nullptr && (*counts)[row] > 0;
    });
}

std::uint64_t PlacedCounts::hash_at(NodeId node) const {
    std::vector<const Counts*> here;
    for (const std::uint32_t topology_key : conflicts_->topology_keys()) {
        if (const Counts* counts = there_.empty() ? nullptr : counts_at(topology_key, node); counts != nullptr) {
            here.push_back(counts);
        }
    }
    std::uint64_t hash = 0;
    for (MemberConflicts::RowId row = 0; row < conflicts_->row_count() && !here.empty(); ++row) {
        hash += std::ranges::any_of(here, [&](const Counts* counts) { return (*counts)[row] > 0; }) ? mix(row + 1) : 0;
    }
    return hash;
}

}  // namespace echelon::solver

#include "solver/packing/member_conflicts.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace echelon::solver {

using model::Gang;
using model::NodeId;

namespace {

using Places = std::map<std::uint32_t, std::set<std::uint32_t>>;  // Numbers by vicinity.

// By kin: where its pods may not go, since a rival is bound there.
std::map<std::uint32_t, Places> closed_by_bound(const Gang& gang) {
    std::map<std::uint32_t, std::set<NodeId>> bound_of;  // By kin.
    for (const model::Member& member : gang.members) {
        if (member.state == model::Member::State::bound && member.kin != 0 && member.node != model::nowhere) {
            bound_of[member.kin].insert(member.node);
        }
    }
    std::map<std::uint32_t, Places> closed;
    const auto close = [&](std::uint32_t vicinity, std::uint32_t kin, std::uint32_t rival) {
        const auto bound = bound_of.find(kin);
        if (bound == bound_of.end()) {
            return;
        }
        for (const NodeId node : bound->second) {
            if (const std::uint32_t number = gang.kinship.vicinities[vicinity].of[node]; number != model::nowhere) {
                closed[rival][vicinity].insert(number);
            }
        }
    };
    for (const model::Separation& apart : gang.kinship.apart) {
        close(apart.vicinity, apart.one, apart.other);
        if (apart.one != apart.other) {
            close(apart.vicinity, apart.other, apart.one);
        }
    }
    return closed;
}

}  // namespace

MemberConflicts::MemberConflicts(const model::Snapshot& snapshot, const Gang& gang, std::span<const std::uint32_t> kins)
    : gang_(&gang) {
    if (std::ranges::all_of(kins, [](std::uint32_t kin) { return kin == 0; })) {
        return;
    }
    const model::AffinityConstraints& kinship = gang.kinship;
    for (const std::uint32_t kin : kins) {
        Row& row = rows_.emplace_back();
        row.kin = kin;
        if (kin < kinship.barred.size()) {
            row.closed = kinship.barred[kin];
        }
    }
    std::map<std::uint32_t, std::vector<std::uint32_t>> sizes_of;  // By kin.
    for (std::uint32_t size = 0; size < kins.size(); ++size) {
        sizes_of[kins[size]].push_back(size);
    }
    std::set<std::uint32_t> wide;
    for (const model::Separation& apart : kinship.apart) {
        const auto ones = sizes_of.find(apart.one);
        const auto others = sizes_of.find(apart.other);
        if (ones == sizes_of.end() || others == sizes_of.end()) {
            continue;
        }
        if (!kinship.vicinities[apart.vicinity].is_single) {
            wide.insert(apart.vicinity);
        }
        for (const std::uint32_t one : ones->second) {
            for (const std::uint32_t other : others->second) {
                rows_[one].rivals.push_back({apart.vicinity, other});
                if (apart.one != apart.other) {
                    rows_[other].rivals.push_back({apart.vicinity, one});
                }
            }
        }
    }
    wide_.assign(wide.begin(), wide.end());
    are_wide_ = !wide_.empty();
    for (Row& row : rows_) {
        for (const Conflict& rival : row.rivals) {
            row.vicinities.push_back(rival.vicinity);
        }
        std::ranges::sort(row.vicinities);
        row.vicinities.erase(std::ranges::unique(row.vicinities).begin(), row.vicinities.end());
    }
    close_around_bound(gang, snapshot.node_count());
}

// Members that are bound already keep their rivals away.
void MemberConflicts::close_around_bound(const Gang& gang, std::size_t nodes) {
    const std::map<std::uint32_t, Places> closed = closed_by_bound(gang);
    for (Row& row : rows_) {
        const auto places = closed.find(row.kin);
        if (places == closed.end()) {
            continue;
        }
        row.closed.resize(nodes, 0);
        for (const auto& [vicinity, numbers] : places->second) {
            const std::vector<std::uint32_t>& number_of = gang.kinship.vicinities[vicinity].of;
            for (NodeId node = 0; node < nodes; ++node) {
                row.closed[node] |= numbers.contains(number_of[node]) ? std::uint8_t{1} : std::uint8_t{0};
            }
        }
    }
}

std::int64_t MemberConflicts::limit(std::uint32_t size, NodeId node) const {
    if (!touch(size)) {
        return many;
    }
    const Row& row = rows_[size];
    if (!row.closed.empty() && row.closed[node] != 0) {
        return 0;
    }
    const bool is_alone = std::ranges::any_of(row.rivals, [&](const Conflict& rival) {
        return rival.size == size && number(rival.vicinity, node) != model::nowhere;
    });
    return is_alone ? 1 : many;
}

std::span<const Conflict> MemberConflicts::rivals(std::uint32_t size) const {
    return exist() ? std::span<const Conflict>(rows_[size].rivals) : std::span<const Conflict>();
}

std::span<const std::uint32_t> MemberConflicts::vicinities(std::uint32_t size) const {
    return exist() ? std::span<const std::uint32_t>(rows_[size].vicinities) : std::span<const std::uint32_t>();
}

bool MemberConflicts::are_in_conflict(std::uint32_t vicinity, std::uint32_t one, std::uint32_t other) const {
    return std::ranges::any_of(
        rivals(one), [&](const Conflict& rival) { return rival.vicinity == vicinity && rival.size == other; });
}

std::vector<std::uint32_t> MemberConflicts::loners(std::uint32_t size) const {
    std::vector<std::uint32_t> found;
    const auto is_total = [&](std::uint32_t vicinity) {  // Else the rivalry doesn't reach every node.
        return std::ranges::none_of(gang_->kinship.vicinities[vicinity].of,
                                    [](std::uint32_t number) { return number == model::nowhere; });
    };
    const auto never_meet = [&](std::uint32_t one, std::uint32_t other) {
        return std::ranges::any_of(
            rivals(one), [&](const Conflict& rival) { return rival.size == other && is_total(rival.vicinity); });
    };
    if (!touch(size) || !never_meet(size, size)) {
        return found;
    }
    found.push_back(size);
    for (std::uint32_t other = 0; other < rows_.size(); ++other) {
        const bool joins = other != size && never_meet(other, other) &&
                           std::ranges::all_of(found, [&](std::uint32_t one) { return never_meet(one, other); });
        if (joins) {
            found.push_back(other);
        }
    }
    return found;
}

void Company::add(std::uint32_t size, NodeId node, std::int64_t count) {
    for (const std::uint32_t vicinity : relations_->vicinities(size)) {
        if (const std::uint32_t number = relations_->number(vicinity, node); number != model::nowhere) {
            const auto row = there_.try_emplace({vicinity, number, size}, 0).first;
            row->second += count;
            if (row->second == 0) {
                there_.erase(row);
            }
        }
    }
}

bool Company::has_conflict_at(std::uint32_t size, NodeId node) const {
    return std::ranges::any_of(relations_->rivals(size), [&](const Conflict& rival) {
        const std::uint32_t number = relations_->number(rival.vicinity, node);
        return number != model::nowhere && there_.contains({rival.vicinity, number, rival.size});
    });
}

}  // namespace echelon::solver

#include "solver/packing/member_conflicts.hpp"

#include <algorithm>

namespace echelon::solver {

using model::Gang;
using model::NodeId;

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
    for (const model::Separation& apart : kinship.apart) {
        for (std::uint32_t one = 0; one < kins.size(); ++one) {
            for (std::uint32_t other = 0; other < kins.size(); ++other) {
                const auto pair = std::minmax(kins[one], kins[other]);
                if (pair.first == apart.one && pair.second == apart.other) {
                    rows_[one].rivals.push_back({apart.vicinity, other});
                    const bool is_wide = !kinship.vicinities[apart.vicinity].is_single;
                    are_wide_ = are_wide_ || is_wide;
                    if (is_wide && std::ranges::find(wide_, apart.vicinity) == wide_.end()) {
                        wide_.push_back(apart.vicinity);
                    }
                }
            }
        }
    }
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
    for (const model::Member& member : gang.members) {
        if (member.state != model::Member::State::bound || member.kin == 0 || member.node == model::nowhere) {
            continue;
        }
        for (const model::Separation& apart : gang.kinship.apart) {
            const model::TopologyKeyIndex& vicinity = gang.kinship.vicinities[apart.vicinity];
            const std::uint32_t number = vicinity.of[member.node];
            if (number == model::nowhere || (apart.one != member.kin && apart.other != member.kin)) {
                continue;
            }
            const std::uint32_t rival = apart.one == member.kin ? apart.other : apart.one;
            for (Row& row : rows_) {
                if (row.kin != rival) {
                    continue;
                }
                row.closed.resize(nodes, 0);
                for (NodeId node = 0; node < nodes; ++node) {
                    row.closed[node] |= vicinity.of[node] == number ? std::uint8_t{1} : std::uint8_t{0};
                }
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

#include "solver/needed_seats.hpp"

#include "solver/violations.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace echelon::solver {

namespace {

// Counts what each group has, while seats are taken away from the last one on.
class Counts {
public:
    Counts(const model::Gang& gang, const Plan& plan)
        : gang_(gang), groups_(gang.groups.size()), leaf_of_(gang.members.size(), 0) {
        for (std::uint32_t g = 0; g < gang.groups.size(); ++g) {
            for (auto m = gang.groups[g].first_member; gang.groups[g].is_leaf && m < gang.groups[g].last_member; ++m) {
                leaf_of_[m] = g;
                groups_[g].members += gang.members[m].state == model::Member::State::waiting ? 0 : 1;
            }
        }
        for (const auto& seat : plan.seats)
            ++groups_[leaf_of_[seat.member]].members;
        for (auto g = groups_.size(); g-- > 0;) {  // Pre-order, hence children before parents.
            groups_[g].is_met = meets(g);
            if (g == 0)
                return;
            auto& parent = groups_[gang.groups[g].parent];
            parent.members += groups_[g].members;
            parent.satisfied += groups_[g].is_met ? 1 : 0;
        }
    }

    // Takes the seat away if the gang's minimum does not need it.
    bool take(const Seat& seat) {
        shift(leaf_of_[seat.member], -1);
        if (groups_.front().is_met)
            return true;
        shift(leaf_of_[seat.member], 1);
        return false;
    }

private:
    struct Group {
        std::int64_t members = 0;    // Of the subtree, that have a node or have finished.
        std::int64_t satisfied = 0;  // Composite: children.
        bool is_met = false;
    };

    [[nodiscard]] bool meets(std::size_t g) const {
        const auto& group = gang_.groups[g];
        const auto minimum = group.basic ? std::max<std::int64_t>(group.minimum, 1) : group.minimum;
        return (group.is_leaf ? groups_[g].members : groups_[g].satisfied) >= minimum &&
               groups_[g].members >= group.floor;
    }

    void shift(std::uint32_t leaf, std::int64_t by) {
        for (auto g = leaf; g != model::nowhere; g = gang_.groups[g].parent) {
            groups_[g].members += by;
            const bool was_met = groups_[g].is_met;
            groups_[g].is_met = meets(g);
            if (g != 0 && was_met != groups_[g].is_met)
                groups_[gang_.groups[g].parent].satisfied += was_met ? -1 : 1;
        }
    }

    const model::Gang& gang_;
    std::vector<Group> groups_;
    std::vector<std::uint32_t> leaf_of_;
};

}  // namespace

Plan without_extras(const model::Snapshot& snapshot, const model::Gang& gang, const Plan& plan,
                    const std::function<bool(const Seat&)>& must_stay) {
    auto needed = plan;
    needed.seats.clear();
    needed.message.clear();
    Counts counts(gang, plan);
    for (auto at = plan.seats.size(); at-- > 0;) {
        const auto& seat = plan.seats[at];
        if (must_stay(seat) || !counts.take(seat))
            needed.seats.push_back(seat);
    }
    std::ranges::reverse(needed.seats);
    return violations(snapshot, gang, needed).empty() ? needed : plan;
}

}  // namespace echelon::solver

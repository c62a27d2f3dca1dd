#include "app/needed_seats.hpp"

#include "solver/violations.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace echelon::app {

namespace {

// Counts what each group has, while seats are taken away from the last one on.
class Counts {
public:
    Counts(const model::Gang& gang, const solver::Plan& plan)
        : gang_(gang), members_(gang.groups.size(), 0), leaf_of_(gang.members.size(), 0) {
        for (std::uint32_t g = 0; g < gang.groups.size(); ++g) {
            for (auto m = gang.groups[g].first_member; gang.groups[g].is_leaf && m < gang.groups[g].last_member; ++m) {
                leaf_of_[m] = g;
                members_[g] += gang.members[m].state == model::Member::State::waiting ? 0 : 1;
            }
        }
        for (const auto& seat : plan.seats)
            ++members_[leaf_of_[seat.member]];
    }

    // Takes the seat away if the gang's minimum does not need it.
    bool take(const solver::Seat& seat) {
        auto& here = members_[leaf_of_[seat.member]];
        --here;
        if (is_whole())
            return true;
        ++here;
        return false;
    }

private:
    [[nodiscard]] bool is_whole() const {
        auto below = members_;
        std::vector<std::int64_t> satisfied(gang_.groups.size(), 0);
        for (auto g = gang_.groups.size(); g-- > 0;) {  // Pre-order, hence children before parents.
            const auto& group = gang_.groups[g];
            const auto minimum = group.basic ? std::max<std::int64_t>(group.minimum, 1) : group.minimum;
            const bool is_met = (group.is_leaf ? members_[g] : satisfied[g]) >= minimum && below[g] >= group.floor;
            if (g == 0)
                return is_met;
            satisfied[group.parent] += is_met ? 1 : 0;
            below[group.parent] += below[g];
        }
        return true;
    }

    const model::Gang& gang_;
    std::vector<std::int64_t> members_;  // [group] members of a leaf that have a node or have finished.
    std::vector<std::uint32_t> leaf_of_;
};

}  // namespace

solver::Plan without_extras(const model::Snapshot& snapshot, const model::Gang& gang, const solver::Plan& plan) {
    auto needed = plan;
    needed.seats.clear();
    needed.message.clear();
    Counts counts(gang, plan);
    for (auto at = plan.seats.size(); at-- > 0;) {
        if (!counts.take(plan.seats[at]))
            needed.seats.push_back(plan.seats[at]);
    }
    std::ranges::reverse(needed.seats);
    return solver::violations(snapshot, gang, needed).empty() ? needed : plan;
}

}  // namespace echelon::app

// The first choice of a division: how many members of each leaf get a seat.

#include "solver/distribution/distribution.hpp"

#include <algorithm>

namespace echelon::solver {

// How many of each leaf: O2 comes first, so no more may stay behind than with the best plan so far.
void Distribution::choose_count(std::uint32_t lot) {
    if (lot == lots_.size()) {
        if (counts_hold()) {
            count_fewest();
            divide(0);
        }
        return;
    }
    steps_.work(8 + 4 * lot + gauges_.count() * 4);
    std::int64_t most_here = std::min(lots_[lot].count, most_by_room(whole, lot));
    for (std::uint32_t before = 0; before < lot; ++before) {  // Of leaves that are alike the first get most.
        const GroupDemand& one = needs_.groups[lots_[before].group];
        const GroupDemand& other = needs_.groups[lots_[lot].group];
        const bool are_twins = one.twin == other.twin && lots_[before].group != lots_[lot].group &&
                               gang_.groups[lots_[before].group].parent == gang_.groups[lots_[lot].group].parent;
        if (are_twins && one.waiting == lots_[before].count) {
            most_here = std::min(most_here, totals_[before]);
        }
    }
    most_here = most_by_rules(whole, lot, most_here);
    for (std::int64_t i = 0; i <= most_here && !is_over(); ++i) {
        const std::int64_t count = is_minimum_first_ ? i : most_here - i;
        const std::int64_t lost = lots_[lot].count - count;
        if (has_plan_ && lost_ + lost > waiting_ - best_.seats) {
            if (is_minimum_first_) {
                continue;
            }
            return;
        }
        steps_.work(lot + gauges_.count());
        if (!spend(1)) {
            return;
        }
        totals_[lot] = count;
        lost_ += lost;
        account(whole, lot, count);
        if (leaf_may_hold(lot)) {
            choose_count(lot + 1);
        }
        account(whole, lot, -count);
        lost_ -= lost;
        totals_[lot] = 0;
    }
}

// A leaf has no seat at all, or its minimum (N4). Judged at its last lot.
bool Distribution::leaf_may_hold(std::uint32_t lot) const {
    const std::uint32_t leaf = lots_[lot].group;
    if (lot + 1 < lots_.size() && lots_[lot + 1].group == leaf) {
        return true;
    }
    std::int64_t seats = 0;
    for (std::uint32_t l = 0; l <= lot; ++l) {
        seats += lots_[l].group == leaf ? totals_[l] : 0;
    }
    return seats == 0 || seats >= needs_.groups[leaf].lacking;
}

bool Distribution::counts_hold() {
    steps_.work(gang_.groups.size() * (8 + multiples_.size()) + lots_.size());
    std::vector<std::int64_t> counting(gang_.groups.size());
    std::vector<std::uint8_t> is_satisfied(gang_.groups.size(), 0);
    std::vector<std::int64_t> seats(gang_.groups.size(), 0);
    for (std::size_t l = 0; l < lots_.size(); ++l) {
        seats[lots_[l].group] += totals_[l];
    }
    for (std::size_t g = gang_.groups.size(); g-- > 0;) {  // Children before parents.
        const GroupDemand& needs = needs_.groups[g];
        std::int64_t placed = needs.counting + seats[g];
        if (!gang_.groups[g].is_leaf) {
            placed = 0;
            for (const std::uint32_t child : gang_.groups[g].children) {
                placed += is_satisfied[child];
                seats[g] += seats[child];
            }
        }
        counting[g] = needs.counting + seats[g];
        is_satisfied[g] =
            placed >= needs.minimum && counting[g] >= gang_.groups[g].floor && needs.split.empty() ? 1 : 0;
        if (seats[g] > 0 && is_satisfied[g] == 0) {
            return false;
        }
        for (const Multiple& multiple : multiples_) {
            if (multiple.group == g && multiple.begun.empty() && seats[g] % multiple.number != 0) {
                return false;
            }
        }
    }
    return is_satisfied[0] != 0 && (!rules_.exist() || rules_.hold(whole, lots_.size()));
}

}  // namespace echelon::solver

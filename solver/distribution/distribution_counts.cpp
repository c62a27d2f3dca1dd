// The first choice of a distribution: how many members of each leaf get a seat.

#include "solver/distribution/distribution.hpp"

#include <algorithm>

namespace echelon::solver {

// Chooses the number for each batch. O2 comes first, so no fewer may get seats than in the best plan so far.
void Distribution::choose_count(std::uint32_t batch) {
    if (batch == batches_.size()) {
        if (counts_hold()) {
            count_fewest();
            divide_level(0);
        }
        return;
    }
    budget_.charge(8 + 4 * batch + bounds_.count() * 4);
    std::int64_t most_here = std::min(batches_[batch].count, most_by_room(whole, batch));
    for (std::uint32_t before = 0; before < batch; ++before) {  // Among interchangeable leaves the first get most.
        const GroupDemand& one = demand_.groups[batches_[before].group];
        const GroupDemand& other = demand_.groups[batches_[batch].group];
        const bool are_interchangeable =
            one.symmetry_class == other.symmetry_class && batches_[before].group != batches_[batch].group &&
            gang_.groups[batches_[before].group].parent == gang_.groups[batches_[batch].group].parent;
        if (are_interchangeable && one.waiting == batches_[before].count) {
            most_here = std::min(most_here, seats_of_batch_[before]);
        }
    }
    most_here = most_by_rules(whole, batch, most_here);
    for (std::int64_t i = 0; i <= most_here && !is_over(); ++i) {
        const std::int64_t count = is_minimum_first_ ? i : most_here - i;
        const std::int64_t left_out = batches_[batch].count - count;
        if (has_plan_ && left_out_ + left_out > waiting_ - best_.seats) {
            if (is_minimum_first_) {
                continue;
            }
            return;
        }
        budget_.charge(batch + bounds_.count());
        if (!spend(1)) {
            return;
        }
        seats_of_batch_[batch] = count;
        left_out_ += left_out;
        account(whole, batch, count);
        if (leaf_may_hold(batch)) {
            choose_count(batch + 1);
        }
        account(whole, batch, -count);
        left_out_ -= left_out;
        seats_of_batch_[batch] = 0;
    }
}

// False if the leaf has some seats, but not its minimum (N4). Checked at the leaf's last batch.
bool Distribution::leaf_may_hold(std::uint32_t batch) const {
    const std::uint32_t leaf = batches_[batch].group;
    if (batch + 1 < batches_.size() && batches_[batch + 1].group == leaf) {
        return true;
    }
    std::int64_t seats = 0;
    for (std::uint32_t l = 0; l <= batch; ++l) {
        seats += batches_[l].group == leaf ? seats_of_batch_[l] : 0;
    }
    return seats == 0 || seats >= demand_.groups[leaf].lacking;
}

bool Distribution::counts_hold() {
    budget_.charge(gang_.groups.size() * (8 + multiples_.size()) + batches_.size());
    std::vector<std::int64_t> counting(gang_.groups.size());
    std::vector<std::uint8_t> is_satisfied(gang_.groups.size(), 0);
    std::vector<std::int64_t> seats(gang_.groups.size(), 0);
    for (std::size_t l = 0; l < batches_.size(); ++l) {
        seats[batches_[l].group] += seats_of_batch_[l];
    }
    for (std::size_t g = gang_.groups.size(); g-- > 0;) {  // Children before parents.
        const GroupDemand& own_demand = demand_.groups[g];
        std::int64_t placed = own_demand.counting + seats[g];
        if (!gang_.groups[g].is_leaf) {
            placed = 0;
            for (const std::uint32_t child : gang_.groups[g].children) {
                placed += is_satisfied[child];
                seats[g] += seats[child];
            }
        }
        counting[g] = own_demand.counting + seats[g];
        is_satisfied[g] =
            placed >= own_demand.minimum && counting[g] >= gang_.groups[g].floor && own_demand.split.empty() ? 1 : 0;
        if (seats[g] > 0 && is_satisfied[g] == 0) {
            return false;
        }
        for (const Multiple& multiple : multiples_) {
            if (multiple.group == g && multiple.partial.empty() && seats[g] % multiple.number != 0) {
                return false;
            }
        }
    }
    return is_satisfied[0] != 0 && (!rules_.exist() || rules_.hold(whole, batches_.size()));
}

}  // namespace echelon::solver

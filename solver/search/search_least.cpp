// What does each group need at least, and in which ways can a leaf fill its minimum?

#include "solver/search/search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace echelon::solver {
namespace {

constexpr std::size_t most_options = 256;           // Ways to fill a leaf's minimum with several member classes.
constexpr std::uint64_t most_option_steps = 2'000;  // For listing them; the first way of each leaf is always found.

}  // namespace

void Search::compute_options() {
    option_limit_ = budget_.used() + most_option_steps;
    for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
        const model::GangGroup& group = gang_.groups[g];
        const GroupDemand& own_demand = demand_.groups[g];
        if (group.is_leaf && own_demand.is_satisfiable) {
            std::vector<std::int64_t> seats(demand_.classes.size(), 0);
            list_options(g, seats, 0, own_demand.lacking, own_demand.waiting);
        }
        std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
        for (std::uint32_t m = group.first_member; m < group.last_member && group.is_leaf; ++m) {
            const std::uint32_t member_class = demand_.class_of[m];
            if (member_class == model::nowhere) {
                continue;
            }
            const std::size_t bound = CapacityBounds::slots_bound(member_class);
            if (const std::int64_t slots = bounds_.capacity(bound, everywhere); slots < fewest) {
                fewest = slots;
                hardest_class_[g] = member_class;
            }
        }
    }
    for (std::size_t g = gang_.groups.size(); g-- > 0;) {
        std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
        for (const std::uint32_t child : gang_.groups[g].children) {
            if (demand_.groups[child].waiting == 0) {
                continue;
            }
            const std::size_t bound = CapacityBounds::slots_bound(hardest_class_[child]);
            if (const std::int64_t slots = bounds_.capacity(bound, everywhere); slots < fewest) {
                fewest = slots;
                hardest_class_[g] = hardest_class_[child];
            }
        }
    }
}

// Lists the ways to fill the minimum. A large member comes after all small ones that fit wherever it does.
void Search::list_options(std::uint32_t group, std::vector<std::int64_t>& seats, std::size_t at, std::int64_t left,
                          std::int64_t waiting_later) {
    budget_.charge(8);
    if (left == 0) {
        if (options_[group].size() < most_options) {
            options_[group].push_back(seats);
            budget_.charge(seats.size() + bounds_.count() * seats.size() / 2);
        } else {
            are_options_cut_ = true;
        }
        return;
    }
    if (left > waiting_later) {
        return;
    }
    const bool is_enough = !options_[group].empty() && budget_.used() >= option_limit_;
    if (options_[group].size() >= most_options || is_enough) {
        are_options_cut_ = are_options_cut_ || is_enough;
        return;
    }
    const std::uint32_t member_class = classes_easiest_first_[at];
    const std::vector<std::int64_t>& waiting = demand_.groups[group].waiting_of;
    const auto is_left_out_before = [&](std::uint32_t easier) {
        return seats[easier] < waiting[easier] && easier != member_class && bounds_.covers(member_class, easier) &&
               !bounds_.covers(easier, member_class);
    };
    std::int64_t most = std::min(left, waiting[member_class]);
    if (most > 0) {
        most = std::ranges::any_of(classes_easiest_first_, is_left_out_before) ? 0 : most;
        budget_.charge(classes_easiest_first_.size());
    }
    waiting_later -= waiting[member_class];
    for (std::int64_t count = most; count >= 0; --count) {
        seats[member_class] = count;
        list_options(group, seats, at + 1, left - count, waiting_later);
    }
    seats[member_class] = 0;
}

void Search::compute_least() {
    budget_.charge(2 * gang_.groups.size() * bounds_.count());
    for (auto& table : least_) {
        table.assign(gang_.groups.size(), std::vector<std::int64_t>(bounds_.count(), 0));
    }
    for (std::size_t g = gang_.groups.size(); g-- > 0;) {
        const GroupDemand& own_demand = demand_.groups[g];
        if (gang_.groups[g].is_leaf && own_demand.is_satisfiable) {
            least_[1][g] = bounds_.amounts(own_demand.waiting_of);
            std::ranges::fill(least_[0][g], std::numeric_limits<std::int64_t>::max());
            for (const auto& option : options_[g]) {
                std::ranges::transform(least_[0][g], bounds_.amounts(option), least_[0][g].begin(), std::ranges::min);
            }
            budget_.charge(bounds_.take_work());
            continue;
        }
        for (std::size_t bound = 0; bound < bounds_.count() && own_demand.is_satisfiable; ++bound) {
            std::int64_t& minimum = least_[0][g][bound];
            std::int64_t& all = least_[1][g][bound];
            std::vector<std::int64_t> below;
            for (const std::uint32_t child : gang_.groups[g].children) {
                if (demand_.groups[child].is_satisfiable) {
                    below.push_back(least_[0][child][bound]);
                    all += least_[1][child][bound];
                }
            }
            std::ranges::sort(below);
            budget_.charge(4 * below.size());
            minimum = std::accumulate(below.begin(), below.begin() + own_demand.minimum, std::int64_t{0});
            if (demand_.classes.size() == 1) {  // A floor counts pods, and here every pod counts alike.
                minimum = std::max(minimum, gang_.groups[g].floor - own_demand.counting);
            }
        }
    }
}

}  // namespace echelon::solver

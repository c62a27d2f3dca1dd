#include "solver/search/search.hpp"

#include "solver/packing/hash.hpp"
#include "solver/search/search_obligation.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace echelon::solver {

using model::GangGroup;

namespace {

constexpr std::uint64_t first_share = 1'000;
constexpr std::uint64_t repair_share = 4;  // Steps of repair, per step of the share before.

}  // namespace

Search::Search(const model::Snapshot& snapshot, const Room& room, const model::Gang& gang, const Demand& demand,
               Scopes& scopes, CapacityBounds& bounds, PartialPlan& plan, SearchBudget& budget)
    : snapshot_(snapshot),
      room_(room),
      gang_(gang),
      demand_(demand),
      scopes_(scopes),
      bounds_(bounds),
      plan_(plan),
      budget_(budget),
      options_(gang.groups.size()),
      hardest_class_(gang.groups.size(), 0),
      order_(gang.groups.size()),
      failures_(gang.groups.size(), 0) {
    classes_easiest_first_.resize(demand.classes.size());
    std::iota(classes_easiest_first_.begin(), classes_easiest_first_.end(), 0U);
    const auto covered = [&](std::uint32_t large) {
        return std::ranges::count_if(classes_easiest_first_,
                                     [&](std::uint32_t small) { return bounds_.covers(large, small); });
    };
    std::vector<std::int64_t> covers(demand.classes.size());
    for (std::uint32_t s = 0; s < covers.size(); ++s) {
        covers[s] = covered(s);
    }
    std::ranges::stable_sort(classes_easiest_first_, {}, [&](std::uint32_t s) { return covers[s]; });
    budget_.charge(bounds_.setup_work() + demand_.classes.size() * demand_.classes.size() * snapshot_.resources.size() +
                   gang_.members.size() * 8 + gang_.groups.size() * 16);
    compute_options();
    compute_least();
}

std::int64_t Search::wanted_children(std::uint32_t group) const {
    if (goal_ == Goal::minimum) {
        return demand_.groups[group].minimum;
    }
    return std::ssize(order_[group]);
}

// If all must be placed, the hardest come first. If some suffice, the easiest do.
void Search::order_children() {
    for (std::size_t g = 0; g < gang_.groups.size(); ++g) {
        const GangGroup& group = gang_.groups[g];
        std::vector<std::uint32_t>& order = order_[g];
        order.clear();
        std::ranges::copy_if(group.children, std::back_inserter(order),
                             [&](std::uint32_t child) { return demand_.groups[child].is_satisfiable; });
        const bool all = std::ssize(order) <= wanted_children(static_cast<std::uint32_t>(g));
        const auto key = [&](std::uint32_t child) {
            const std::span<const std::int64_t> amounts = least(goal_, child);
            const bool needs_nothing = std::ranges::all_of(amounts, [](std::int64_t d) { return d == 0; });
            const std::int64_t slots =
                needs_nothing || amounts.empty()
                    ? 0
                    : bounds_.capacity(CapacityBounds::slots_bound(hardest_class_[child]), everywhere);
            const std::int64_t pods = amounts.empty() ? 0 : std::ranges::max(amounts.first(demand_.classes.size()));
            const std::int64_t direction = all ? -1 : 1;
            return std::tuple{!needs_nothing, -static_cast<std::int64_t>(failures_[child]), -direction * slots,
                              direction * pods, demand_.groups[child].symmetry_class};
        };
        using Key = decltype(key(0));
        std::vector<std::pair<Key, std::uint32_t>> keyed;
        for (const std::uint32_t child : order) {
            keyed.emplace_back(key(child), child);
        }
        std::ranges::stable_sort(keyed, {}, &std::pair<Key, std::uint32_t>::first);
        std::ranges::transform(keyed, order.begin(), &std::pair<Key, std::uint32_t>::second);
        budget_.charge(order.size() * (64 + bounds_.count()));
    }
}

Feasibility Search::attempt() {
    plan_.clear();
    refuted_scopes_.clear();
    failed_.clear();
    left_out_ = 0;
    order_children();
    const Obligation root(Obligation::Kind::place, 0, everywhere, 0, 0, nullptr);
    if (step(&root)) {
        return Feasibility::fits;
    }
    return budget_.is_over() || is_truncated_ || are_options_cut_ || plan_.is_unproved()
               ? Feasibility::unknown
               : Feasibility::proved_not_to_fit;
}

Feasibility Search::find(Goal goal) {
    goal_ = goal;
    maximises_seats_ = false;
    is_truncated_ = false;
    if (!demand_.groups[0].is_satisfiable) {
        plan_.clear();
        return Feasibility::proved_not_to_fit;
    }
    const std::uint64_t available = budget_.left();
    Feasibility feasibility = Feasibility::unknown;
    // Shares don't depend on the budget: a larger budget takes the same path and gets further.
    for (std::uint64_t share = first_share;; share *= 4) {
        plan_.forget_unproved();
        const std::uint64_t before = budget_.narrow(share);
        feasibility = attempt();
        const bool was_cut_by_share = feasibility == Feasibility::unknown && !is_truncated_ && budget_.is_over();
        budget_.restore_limit(before);
        if (!was_cut_by_share || budget_.left() == 0 || share >= available) {
            break;
        }
        // Try to repair, then start over with the groups first that failed most.
        if (share > first_share && repair(repair_share * share)) {
            return Feasibility::fits;
        }
    }
    // A floor may need pods beyond every minimum. Only a search that tries those too proves that it can't be met.
    if (feasibility == Feasibility::proved_not_to_fit && demand_.has_floors && goal == Goal::minimum) {
        feasibility = find_most(0, 0);
        feasibility =
            feasibility == Feasibility::fits && plan_.picks().empty() ? Feasibility::proved_not_to_fit : feasibility;
    }
    return feasibility;
}

Feasibility Search::find_most(std::int64_t at_least, std::int64_t enough) {
    goal_ = Goal::minimum;
    maximises_seats_ = true;
    is_truncated_ = false;
    plan_.forget_unproved();
    best_ = at_least - 1;
    enough_ = enough;
    best_picks_.clear();
    const Feasibility feasibility = attempt();
    maximises_seats_ = false;
    plan_.clear();
    if (best_ >= at_least) {
        plan_.restore(best_picks_);
    }
    return feasibility == Feasibility::unknown && plan_.picks().empty() ? Feasibility::unknown : Feasibility::fits;
}

bool Search::step(const Obligation* obligation) {
    if (obligation == nullptr) {
        return complete();
    }
    budget_.charge(bounds_.take_work());
    if (!budget_.spend(1)) {
        return false;
    }
    const bool remembers = !maximises_seats_ && !demand_.has_floors;
    const std::uint64_t state = remembers ? mix(plan_.hash() ^ obligation->hash) : 0;
    if (remembers && failed_.contains(state)) {
        return false;
    }
    bool found = false;
    switch (obligation->kind) {
        case Obligation::Kind::place:
            found = place(*obligation);
            break;
        case Obligation::Kind::children:
            found = choose_children(*obligation);
            break;
        case Obligation::Kind::multiples:
            found = place_multiples(*obligation);
            break;
    }
    if (!found && remembers && !budget_.is_over()) {
        failed_.insert(state);
    }
    return found;
}

bool Search::place_child(std::uint32_t child, ScopeId scope) {
    // A separate search, perhaps inside another: its failed states are separate, too.
    const auto refuted = std::exchange(refuted_scopes_, {});
    const auto failed = std::exchange(failed_, {});
    const Obligation placed(Obligation::Kind::place, child, scope, 0, 0, nullptr);
    const bool found = step(&placed);
    refuted_scopes_ = refuted;
    failed_ = failed;
    return found;
}

bool Search::complete() {
    const bool is_enough = is_filling_ || !maximises_seats_;
    if (is_enough && !demand_.has_floors) {
        return true;
    }
    const std::vector<PlacedGroup> before = plan_.picks();
    budget_.charge(before.size() * (16 + demand_.classes.size()));
    if (is_enough) {
        if (meet_floors()) {
            return true;
        }
        plan_.restore(before);
        return false;
    }
    if (demand_.has_floors && !meet_floors()) {
        plan_.restore(before);
        return false;
    }
    fill_exactly();
    if (plan_.seats() > best_) {
        best_ = plan_.seats();
        best_picks_ = plan_.picks();
    }
    plan_.restore(before);
    return best_ >= enough_;
}

}  // namespace echelon::solver

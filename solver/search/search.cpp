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

Verdict Search::attempt() {
    plan_.clear();
    refuted_scopes_.clear();
    failed_.clear();
    left_out_ = 0;
    order_children();
    const Obligation root(Obligation::Kind::place, 0, everywhere, 0, 0, nullptr);
    if (step(&root)) {
        return Verdict::fits;
    }
    return budget_.is_over() || is_truncated_ || are_options_cut_ || plan_.is_unproved() ? Verdict::unknown
                                                                                         : Verdict::proved_not_to_fit;
}

Verdict Search::find(Goal goal) {
    goal_ = goal;
    maximises_seats_ = false;
    is_truncated_ = false;
    if (!demand_.groups[0].is_satisfiable) {
        plan_.clear();
        return Verdict::proved_not_to_fit;
    }
    const std::uint64_t available = budget_.left();
    Verdict verdict = Verdict::unknown;
    // Shares don't depend on the budget: a larger budget takes the same path and gets further.
    for (std::uint64_t share = first_share;; share *= 4) {
        plan_.forget_unproved();
        const std::uint64_t before = budget_.narrow(share);
        verdict = attempt();
        const bool was_cut_by_share = verdict == Verdict::unknown && !is_truncated_ && budget_.is_over();
        budget_.restore_limit(before);
        if (!was_cut_by_share || budget_.left() == 0 || share >= available) {
            break;
        }
        // Try to repair, then start over with the groups first that failed most.
        if (share > first_share && repair(repair_share * share)) {
            return Verdict::fits;
        }
    }
    // A floor may need pods beyond every minimum. Only a search that tries those too proves that it can't be met.
    if (verdict == Verdict::proved_not_to_fit && demand_.has_floors && goal == Goal::minimum) {
        verdict = find_most(0, 0);
        verdict = verdict == Verdict::fits && plan_.picks().empty() ? Verdict::proved_not_to_fit : verdict;
    }
    return verdict;
}

Verdict Search::find_most(std::int64_t at_least, std::int64_t enough) {
    goal_ = Goal::minimum;
    maximises_seats_ = true;
    is_truncated_ = false;
    plan_.forget_unproved();
    best_ = at_least - 1;
    enough_ = enough;
    best_picks_.clear();
    const Verdict verdict = attempt();
    maximises_seats_ = false;
    plan_.clear();
    if (best_ >= at_least) {
        plan_.restore(best_picks_);
    }
    return verdict == Verdict::unknown && plan_.picks().empty() ? Verdict::unknown : Verdict::fits;
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

bool Search::place(const Obligation& obligation) {
    const std::uint32_t group = obligation.group;
    std::vector<Ranked> ranked = rank(group, obligation.scope);
    const bool is_leaf = gang_.groups[group].is_leaf;
    const bool needs_no_seat =
        demand_.groups[group].is_satisfied && (goal_ == Goal::minimum || demand_.groups[group].waiting == 0);
    const auto best_first = [](const Ranked& a, const Ranked& b) { return is_better(a, b); };
    std::vector<std::uint64_t> tried;
    std::vector<std::uint64_t> refuted;
    bool found = false;
    bool has_tried = false;
    for (std::size_t i = 0; i < ranked.size() && !found; ++i) {
        if (i < 4) {  // One of the first usually fits, so don't sort them all.
            std::iter_swap(ranked.begin() + static_cast<std::ptrdiff_t>(i),
                           std::min_element(ranked.begin() + static_cast<std::ptrdiff_t>(i), ranked.end(), best_first));
        } else if (i == 4) {
            std::sort(ranked.begin() + 4, ranked.end(), best_first);
        }
        const ScopeId scope = ranked[i].scope;
        const std::uint64_t key = mix(
            (std::uint64_t{gang_.groups[group].parent} << 32U | demand_.groups[group].symmetry_class) ^ mix(scope + 1));
        if (const auto entry = refuted_scopes_.find(key); entry != refuted_scopes_.end() && entry->second > 0) {
            continue;
        }
        budget_.charge(16 + tried.size() / 4);
        const std::uint64_t key_of_scope = ranked.size() > 1 ? symmetry_key(group, obligation.scope, scope) : 0;
        if (key_of_scope != 0 && std::ranges::find(tried, key_of_scope) != tried.end()) {
            continue;
        }
        has_tried = true;
        found = is_leaf ? place_leaf(obligation, scope) : place_composite(obligation, scope);
        if (!found) {
            tried.push_back(key_of_scope);
            if (budget_.is_over() || (needs_no_seat && is_leaf && !maximises_seats_)) {
                break;
            }
            ++refuted_scopes_[key];
            refuted.push_back(key);
        }
    }
    for (const std::uint64_t key : refuted) {
        --refuted_scopes_[key];
    }
    // Satisfied already, with no scope for more (D6): an extra without room is no failure.
    if (!found && needs_no_seat && (ranked.empty() || maximises_seats_) && !budget_.is_over()) {
        const std::int64_t waiting = demand_.groups[group].waiting;
        if (plan_.add(group, no_scope, std::vector<std::int64_t>(demand_.classes.size(), 0))) {
            left_out_ += waiting;
            found = step(obligation.next);
            left_out_ -= waiting;
            if (!found) {
                plan_.remove_last();
            }
        }
        has_tried = true;
    }
    failures_[group] += !found && !has_tried ? 1 : 0;
    return found;
}

bool Search::place_leaf(const Obligation& obligation, ScopeId scope) {
    const std::uint32_t group = obligation.group;
    const GroupDemand& own_demand = demand_.groups[group];
    if (!gang_.groups[group].multiples.empty()) {
        const std::int64_t multiple = gang_.groups[group].multiples.front().second;
        const std::int64_t wanted = goal_ == Goal::minimum ? own_demand.lacking : own_demand.waiting;
        if (!plan_.add(group, scope, std::vector<std::int64_t>(demand_.classes.size(), 0))) {
            return false;
        }
        const Obligation multiples(Obligation::Kind::multiples, group, scope, 0, (wanted + multiple - 1) / multiple,
                                   obligation.next);
        if (step(&multiples)) {
            return true;
        }
        plan_.remove_last();
        return false;
    }
    const std::int64_t left_out = maximises_seats_ ? own_demand.waiting - most_of(own_demand.waiting_of, scope) : 0;
    if (maximises_seats_ && demand_.groups[0].waiting - left_out_ - left_out <= best_) {
        return false;
    }
    const auto attempt_seats = [&](const std::vector<std::int64_t>& seats) {
        if (!plan_.add(group, scope, seats)) {
            ++failures_[group];
            return false;
        }
        left_out_ += left_out;
        const bool found = step(obligation.next);
        left_out_ -= left_out;
        if (!found) {
            plan_.remove_last();
        }
        return found;
    };
    if (goal_ == Goal::everything) {
        return attempt_seats(own_demand.waiting_of);
    }
    return std::ranges::any_of(options_[group], attempt_seats);
}

std::uint32_t Search::multiple_class(std::uint32_t group) const {
    const auto& waiting_of = demand_.groups[group].waiting_of;
    const auto member_class = std::ranges::find_if(waiting_of, [](std::int64_t count) { return count > 0; });
    const bool is_alike = member_class != waiting_of.end() && *member_class == demand_.groups[group].waiting;
    const bool is_plain = gang_.groups[group].is_leaf && gang_.groups[group].multiples.size() == 1;
    return is_alike && is_plain ? static_cast<std::uint32_t>(member_class - waiting_of.begin()) : model::nowhere;
}

// D13: whole multiples, each in one domain of the level.
bool Search::place_multiples(const Obligation& obligation) {
    if (obligation.count == 0) {
        return step(obligation.next);
    }
    const auto& [level, multiple] = gang_.groups[obligation.group].multiples.front();
    const std::uint32_t member_class = multiple_class(obligation.group);
    if (member_class == model::nowhere) {
        is_truncated_ = true;  // Several multiples or member classes: not searched, so nothing is proved.
        return false;
    }
    std::vector<std::int64_t> seats(demand_.classes.size(), 0);
    seats[member_class] = multiple;
    if (plan_.left(obligation.group, member_class) < multiple) {
        return false;
    }
    const std::vector<ScopeId> candidates = scopes_.inside(level, obligation.scope);
    // Multiples of one leaf are interchangeable: try them in path order only.
    for (auto c = obligation.position; c < candidates.size(); ++c) {
        if (!budget_.spend(1)) {
            return false;
        }
        if (!plan_.add(obligation.group, candidates[c], seats)) {
            continue;
        }
        const Obligation remaining(Obligation::Kind::multiples, obligation.group, obligation.scope, c,
                                   obligation.count - 1, obligation.next);
        if (step(&remaining)) {
            return true;
        }
        plan_.remove_last();
    }
    return false;
}

bool Search::place_composite(const Obligation& obligation, ScopeId scope) {
    if (!plan_.add(obligation.group, scope, {})) {
        return false;
    }
    const Obligation children(Obligation::Kind::children, obligation.group, scope, 0, 0, obligation.next);
    if (step(&children)) {
        return true;
    }
    plan_.remove_last();
    return false;
}

bool Search::choose_children(const Obligation& obligation) {
    const std::vector<std::uint32_t>& order = order_[obligation.group];
    const std::int64_t wanted = wanted_children(obligation.group);
    if (!maximises_seats_ && obligation.count >= wanted) {
        return step(obligation.next);
    }
    if (obligation.position == order.size()) {
        return obligation.count >= wanted && step(obligation.next);
    }
    if (obligation.count < wanted && (obligation.position == 0 || !failed_.empty()) &&
        !children_may_fit(obligation.group, obligation.scope, obligation.position, wanted - obligation.count)) {
        ++failures_[obligation.group];
        return false;
    }
    const std::uint32_t child = order[obligation.position];
    const Obligation after(Obligation::Kind::children, obligation.group, obligation.scope, obligation.position + 1,
                           obligation.count + 1, obligation.next);
    const Obligation placed(Obligation::Kind::place, child, obligation.scope, 0, 0, &after);
    if (step(&placed)) {
        return true;
    }
    // Leave out the child and all later groups of that symmetry class: it makes no difference which one is left out.
    std::uint32_t position = obligation.position;
    std::int64_t left_out = 0;
    while (position < order.size() &&
           demand_.groups[order[position]].symmetry_class == demand_.groups[child].symmetry_class) {
        left_out += demand_.groups[order[position]].waiting;
        ++position;
    }
    if (obligation.count + std::ssize(order) - position < wanted ||
        (maximises_seats_ && demand_.groups[0].waiting - left_out_ - left_out <= best_) || budget_.is_over()) {
        return false;
    }
    const Obligation skipped(Obligation::Kind::children, obligation.group, obligation.scope, position, obligation.count,
                             obligation.next);
    left_out_ += left_out;
    const bool found = step(&skipped);
    left_out_ -= left_out;
    return found;
}

}  // namespace echelon::solver

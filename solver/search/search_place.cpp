// Places groups in the scopes of a search: leaves, whole multiples, composites, and the choice of children.

#include "solver/packing/hash.hpp"
#include "solver/search/search.hpp"
#include "solver/search/search_obligation.hpp"

#include <algorithm>

namespace echelon::solver {

// Puts the best of the scopes from `i` on at `i`. Called for 0, 1, 2 and so on.
void Search::select_next(std::vector<Ranked>& ranked, std::size_t i) {
    const auto best_first = [](const Ranked& a, const Ranked& b) { return is_better(a, b); };
    const auto from = ranked.begin() + static_cast<std::ptrdiff_t>(i);
    if (i < 4) {  // One of the first usually fits, so don't sort them all.
        std::iter_swap(from, std::min_element(from, ranked.end(), best_first));
    } else if (i == 4) {
        std::sort(from, ranked.end(), best_first);
    }
}

bool Search::is_refuted(std::uint64_t key) const {
    const auto entry = refuted_scopes_.find(key);
    return entry != refuted_scopes_.end() && entry->second > 0;
}

// Satisfied already, with no scope for more (D6): an extra without room is no failure.
bool Search::place_nowhere(const Obligation& obligation) {
    const std::int64_t waiting = demand_.groups[obligation.group].waiting;
    if (!plan_.add(obligation.group, no_scope, std::vector<std::int64_t>(demand_.classes.size(), 0))) {
        return false;
    }
    left_out_ += waiting;
    const bool found = step(obligation.next);
    left_out_ -= waiting;
    if (!found) {
        plan_.remove_last();
    }
    return found;
}

bool Search::place(const Obligation& obligation) {
    const std::uint32_t group = obligation.group;
    std::vector<Ranked> ranked = rank(group, obligation.scope);
    const bool is_leaf = gang_.groups[group].is_leaf;
    const bool needs_no_seat =
        demand_.groups[group].is_satisfied && (goal_ == Goal::minimum || demand_.groups[group].waiting == 0);
    std::vector<std::uint64_t> tried;
    std::vector<std::uint64_t> refuted;
    bool found = false;
    bool has_tried = false;
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        select_next(ranked, i);
        const ScopeId scope = ranked[i].scope;
        const std::uint64_t key = mix(
            (std::uint64_t{gang_.groups[group].parent} << 32U | demand_.groups[group].symmetry_class) ^ mix(scope + 1));
        if (is_refuted(key)) {
            continue;
        }
        budget_.charge(16 + tried.size() / 4);
        const std::uint64_t key_of_scope = ranked.size() > 1 ? symmetry_key(group, obligation.scope, scope) : 0;
        if (key_of_scope != 0 && std::ranges::find(tried, key_of_scope) != tried.end()) {
            continue;
        }
        has_tried = true;
        found = is_leaf ? place_leaf(obligation, scope) : place_composite(obligation, scope);
        if (found) {
            break;
        }
        tried.push_back(key_of_scope);
        if (budget_.is_over() || (needs_no_seat && is_leaf && !maximises_seats_)) {
            break;
        }
        ++refuted_scopes_[key];
        refuted.push_back(key);
    }
    for (const std::uint64_t key : refuted) {
        --refuted_scopes_[key];
    }
    if (!found && needs_no_seat && (ranked.empty() || maximises_seats_) && !budget_.is_over()) {
        found = place_nowhere(obligation);
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

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
constexpr std::uint64_t repair_share = 4;  // Of what the search before it was given.

}  // namespace

Search::Search(const model::Snapshot& snapshot, const Room& room, const model::Gang& gang, const Demand& needs,
               Scopes& scopes, CapacityBounds& gauges, PartialPlan& draft, SearchBudget& steps)
    : snapshot_(snapshot),
      room_(room),
      gang_(gang),
      needs_(needs),
      scopes_(scopes),
      gauges_(gauges),
      draft_(draft),
      steps_(steps),
      options_(gang.groups.size()),
      hardest_class_(gang.groups.size(), 0),
      order_(gang.groups.size()),
      failures_(gang.groups.size(), 0) {
    classes_easiest_first_.resize(needs.sizes.size());
    std::iota(classes_easiest_first_.begin(), classes_easiest_first_.end(), 0U);
    const auto covered = [&](std::uint32_t large) {
        return std::ranges::count_if(classes_easiest_first_,
                                     [&](std::uint32_t small) { return gauges_.covers(large, small); });
    };
    std::vector<std::int64_t> covers(needs.sizes.size());
    for (std::uint32_t s = 0; s < covers.size(); ++s) {
        covers[s] = covered(s);
    }
    std::ranges::stable_sort(classes_easiest_first_, {}, [&](std::uint32_t s) { return covers[s]; });
    steps_.work(gauges_.setup_work() + needs_.sizes.size() * needs_.sizes.size() * snapshot_.resources.size() +
                gang_.members.size() * 8 + gang_.groups.size() * 16);
    compute_options();
    compute_least();
}

std::int64_t Search::wanted_children(std::uint32_t group) const {
    if (ask_ == Goal::minimum) {
        return needs_.groups[group].minimum;
    }
    return std::ranges::count_if(gang_.groups[group].children,
                                 [&](std::uint32_t child) { return needs_.groups[child].is_satisfiable; });
}

// All must be placed: the hardest first. Some suffice: the easiest first, whoever they are.
void Search::order_children() {
    for (std::size_t g = 0; g < gang_.groups.size(); ++g) {
        const GangGroup& group = gang_.groups[g];
        std::vector<std::uint32_t>& order = order_[g];
        order.clear();
        std::ranges::copy_if(group.children, std::back_inserter(order),
                             [&](std::uint32_t child) { return needs_.groups[child].is_satisfiable; });
        const bool all = std::ssize(order) <= wanted_children(static_cast<std::uint32_t>(g));
        const auto key = [&](std::uint32_t child) {
            const std::span<const std::int64_t> demand = least(ask_, child);
            const bool is_free = std::ranges::all_of(demand, [](std::int64_t d) { return d == 0; });
            const std::int64_t slots =
                is_free || demand.empty() ? 0
                                          : gauges_.cap(CapacityBounds::slots_bound(hardest_class_[child]), everywhere);
            const std::int64_t pods = demand.empty() ? 0 : std::ranges::max(demand.first(needs_.sizes.size()));
            const std::int64_t direction = all ? -1 : 1;
            return std::tuple{!is_free, -static_cast<std::int64_t>(failures_[child]), -direction * slots,
                              direction * pods, needs_.groups[child].twin};
        };
        std::ranges::stable_sort(order, {}, key);
        steps_.work(order.size() * (16 + 4 * gauges_.count()));
    }
}

Verdict Search::attempt() {
    draft_.clear();
    refuted_scopes_.clear();
    failed_.clear();
    lost_ = 0;
    order_children();
    const Cell root(Cell::Kind::place, 0, everywhere, 0, 0, nullptr);
    if (step(&root)) {
        return Verdict::fits;
    }
    return steps_.is_over() || is_truncated_ || are_options_cut_ || draft_.is_unproved() ? Verdict::unknown
                                                                                         : Verdict::proved_not_to_fit;
}

Verdict Search::find(Goal ask) {
    ask_ = ask;
    maximises_seats_ = false;
    is_truncated_ = false;
    if (!needs_.groups[0].is_satisfiable) {
        draft_.clear();
        return Verdict::proved_not_to_fit;
    }
    const std::uint64_t budget = steps_.left();
    Verdict verdict = Verdict::unknown;
    // Shares don't depend on the budget: a larger one goes the same way, only further.
    for (std::uint64_t share = first_share;; share *= 4) {
        draft_.forget_unproved();
        const std::uint64_t before = steps_.narrow(share);
        verdict = attempt();
        const bool was_cut_by_share = verdict == Verdict::unknown && !is_truncated_ && steps_.is_over();
        steps_.restore_limit(before);
        if (!was_cut_by_share || steps_.left() == 0 || share >= budget) {
            break;
        }
        // Order alone doesn't get far: mend an answer that is almost one, then once more with what failed most in
        // front.
        if (share > first_share && repair(repair_share * share)) {
            return Verdict::fits;
        }
    }
    // A floor may need pods beyond every minimum: only a search that weighs those too proves that it can't be met.
    if (verdict == Verdict::proved_not_to_fit && needs_.has_floors && ask == Goal::minimum) {
        verdict = find_most(0, 0);
        verdict = verdict == Verdict::fits && draft_.picks().empty() ? Verdict::proved_not_to_fit : verdict;
    }
    return verdict;
}

Verdict Search::find_most(std::int64_t at_least, std::int64_t enough) {
    ask_ = Goal::minimum;
    maximises_seats_ = true;
    is_truncated_ = false;
    draft_.forget_unproved();
    best_ = at_least - 1;
    enough_ = enough;
    best_picks_.clear();
    const Verdict verdict = attempt();
    maximises_seats_ = false;
    draft_.clear();
    if (best_ >= at_least) {
        draft_.restore(best_picks_);
    }
    return verdict == Verdict::unknown && draft_.picks().empty() ? Verdict::unknown : Verdict::fits;
}

bool Search::step(const Cell* cell) {
    if (cell == nullptr) {
        return complete();
    }
    steps_.work(gauges_.take_work());
    if (!steps_.spend(1)) {
        return false;
    }
    const bool remembers = !maximises_seats_ && !needs_.has_floors;
    const std::uint64_t state = remembers ? mix(draft_.hash() ^ cell->hash) : 0;
    if (remembers && failed_.contains(state)) {
        return false;
    }
    bool found = false;
    switch (cell->kind) {
        case Cell::Kind::place:
            found = place(*cell);
            break;
        case Cell::Kind::children:
            found = choose_children(*cell);
            break;
        case Cell::Kind::lots:
            found = place_multiples(*cell);
            break;
    }
    if (!found && remembers && !steps_.is_over()) {
        failed_.insert(state);
    }
    return found;
}

bool Search::place_child(std::uint32_t child, ScopeId scope) {
    // A search of its own, possibly inside another one.
    const auto refuted = std::exchange(refuted_scopes_, {});
    const auto failed = std::exchange(failed_, {});
    const Cell placed(Cell::Kind::place, child, scope, 0, 0, nullptr);
    const bool found = step(&placed);
    refuted_scopes_ = refuted;
    failed_ = failed;
    return found;
}

bool Search::complete() {
    const bool is_enough = is_filling_ || !maximises_seats_;
    if (is_enough && !needs_.has_floors) {
        return true;
    }
    const std::vector<PlacedGroup> before = draft_.picks();
    steps_.work(before.size() * (16 + needs_.sizes.size()));
    if (is_enough) {
        if (meet_floors()) {
            return true;
        }
        draft_.restore(before);
        return false;
    }
    if (needs_.has_floors && !meet_floors()) {
        draft_.restore(before);
        return false;
    }
    fill_exactly();
    if (draft_.seats() > best_) {
        best_ = draft_.seats();
        best_picks_ = draft_.picks();
    }
    draft_.restore(before);
    return best_ >= enough_;
}

bool Search::place(const Cell& cell) {
    const std::uint32_t group = cell.group;
    std::vector<Ranked> ranked = rank(group, cell.scope);
    const bool is_leaf = gang_.groups[group].is_leaf;
    const bool is_free =
        needs_.groups[group].is_satisfied && (ask_ == Goal::minimum || needs_.groups[group].waiting == 0);
    const auto best_first = [](const Ranked& a, const Ranked& b) { return is_better(a, b); };
    std::vector<std::uint64_t> tried;
    std::vector<std::uint64_t> refuted;
    bool found = false;
    bool went_on = false;
    for (std::size_t i = 0; i < ranked.size() && !found; ++i) {
        if (i < 4) {  // Mostly one of the first does, so don't sort them all.
            std::iter_swap(ranked.begin() + static_cast<std::ptrdiff_t>(i),
                           std::min_element(ranked.begin() + static_cast<std::ptrdiff_t>(i), ranked.end(), best_first));
        } else if (i == 4) {
            std::sort(ranked.begin() + 4, ranked.end(), best_first);
        }
        const ScopeId scope = ranked[i].scope;
        const std::uint64_t key =
            mix((std::uint64_t{gang_.groups[group].parent} << 32U | needs_.groups[group].twin) ^ mix(scope + 1));
        if (const auto entry = refuted_scopes_.find(key); entry != refuted_scopes_.end() && entry->second > 0) {
            continue;
        }
        steps_.work(16 + tried.size() / 4);
        const std::uint64_t likeness = ranked.size() > 1 ? alike(group, cell.scope, scope) : 0;
        if (likeness != 0 && std::ranges::find(tried, likeness) != tried.end()) {
            continue;
        }
        went_on = true;
        found = is_leaf ? place_leaf(cell, scope) : place_composite(cell, scope);
        if (!found) {
            tried.push_back(likeness);
            if (steps_.is_over() || (is_free && is_leaf && !maximises_seats_)) {
                break;
            }
            ++refuted_scopes_[key];
            refuted.push_back(key);
        }
    }
    for (const std::uint64_t key : refuted) {
        --refuted_scopes_[key];
    }
    // Satisfied as it is, with nowhere to put more (D6): an extra that can't be had is no failure.
    if (!found && is_free && (ranked.empty() || maximises_seats_) && !steps_.is_over()) {
        const std::int64_t waiting = needs_.groups[group].waiting;
        if (draft_.add(group, no_scope, std::vector<std::int64_t>(needs_.sizes.size(), 0))) {
            lost_ += waiting;
            found = step(cell.next);
            lost_ -= waiting;
            if (!found) {
                draft_.remove_last();
            }
        }
        went_on = true;
    }
    failures_[group] += !found && !went_on ? 1 : 0;
    return found;
}

bool Search::place_leaf(const Cell& cell, ScopeId scope) {
    const std::uint32_t group = cell.group;
    const GroupDemand& needs = needs_.groups[group];
    if (!gang_.groups[group].multiples.empty()) {
        const std::int64_t multiple = gang_.groups[group].multiples.front().second;
        const std::int64_t wanted = ask_ == Goal::minimum ? needs.lacking : needs.waiting;
        if (!draft_.add(group, scope, std::vector<std::int64_t>(needs_.sizes.size(), 0))) {
            return false;
        }
        const Cell lots(Cell::Kind::lots, group, scope, 0, (wanted + multiple - 1) / multiple, cell.next);
        if (step(&lots)) {
            return true;
        }
        draft_.remove_last();
        return false;
    }
    const std::int64_t lost = maximises_seats_ ? needs.waiting - most_of(needs.waiting_of, scope) : 0;
    if (maximises_seats_ && needs_.groups[0].waiting - lost_ - lost <= best_) {
        return false;
    }
    const auto attempt_seats = [&](const std::vector<std::int64_t>& seats) {
        if (!draft_.add(group, scope, seats)) {
            ++failures_[group];
            return false;
        }
        lost_ += lost;
        const bool found = step(cell.next);
        lost_ -= lost;
        if (!found) {
            draft_.remove_last();
        }
        return found;
    };
    if (ask_ == Goal::everything) {
        return attempt_seats(needs.waiting_of);
    }
    return std::ranges::any_of(options_[group], attempt_seats);
}

std::uint32_t Search::multiple_class(std::uint32_t group) const {
    const auto& waiting_of = needs_.groups[group].waiting_of;
    const auto size = std::ranges::find_if(waiting_of, [](std::int64_t count) { return count > 0; });
    const bool is_alike = size != waiting_of.end() && *size == needs_.groups[group].waiting;
    const bool is_plain = gang_.groups[group].is_leaf && gang_.groups[group].multiples.size() == 1;
    return is_alike && is_plain ? static_cast<std::uint32_t>(size - waiting_of.begin()) : model::nowhere;
}

// D13: whole lots, each in one domain of the level of the multiple.
bool Search::place_multiples(const Cell& cell) {
    if (cell.count == 0) {
        return step(cell.next);
    }
    const auto& [level, multiple] = gang_.groups[cell.group].multiples.front();
    const std::uint32_t size = multiple_class(cell.group);
    if (size == model::nowhere) {
        is_truncated_ = true;  // Several levels or unlike members: not searched, hence nothing proved.
        return false;
    }
    std::vector<std::int64_t> seats(needs_.sizes.size(), 0);
    seats[size] = multiple;
    if (draft_.left(cell.group, size) < multiple) {
        return false;
    }
    const std::vector<ScopeId> candidates = scopes_.inside(level, cell.scope);
    // Lots of one leaf are alike: they stand in path order.
    for (auto c = cell.position; c < candidates.size(); ++c) {
        if (!steps_.spend(1)) {
            return false;
        }
        if (!draft_.add(cell.group, candidates[c], seats)) {
            continue;
        }
        const Cell rest(Cell::Kind::lots, cell.group, cell.scope, c, cell.count - 1, cell.next);
        if (step(&rest)) {
            return true;
        }
        draft_.remove_last();
    }
    return false;
}

bool Search::place_composite(const Cell& cell, ScopeId scope) {
    if (!draft_.add(cell.group, scope, {})) {
        return false;
    }
    const Cell children(Cell::Kind::children, cell.group, scope, 0, 0, cell.next);
    if (step(&children)) {
        return true;
    }
    draft_.remove_last();
    return false;
}

bool Search::choose_children(const Cell& cell) {
    const std::vector<std::uint32_t>& order = order_[cell.group];
    const std::int64_t wanted = wanted_children(cell.group);
    if (!maximises_seats_ && cell.count >= wanted) {
        return step(cell.next);
    }
    if (cell.position == order.size()) {
        return cell.count >= wanted && step(cell.next);
    }
    if (cell.count < wanted && (cell.position == 0 || !failed_.empty()) &&
        !children_may_fit(cell.group, cell.scope, cell.position, wanted - cell.count)) {
        ++failures_[cell.group];
        return false;
    }
    const std::uint32_t child = order[cell.position];
    const Cell after(Cell::Kind::children, cell.group, cell.scope, cell.position + 1, cell.count + 1, cell.next);
    const Cell placed(Cell::Kind::place, child, cell.scope, 0, 0, &after);
    if (step(&placed)) {
        return true;
    }
    // Leave it out, and with it every later twin: which of them stays behind makes no difference.
    std::uint32_t position = cell.position;
    std::int64_t lost = 0;
    while (position < order.size() && needs_.groups[order[position]].twin == needs_.groups[child].twin) {
        lost += needs_.groups[order[position]].waiting;
        ++position;
    }
    if (cell.count + std::ssize(order) - position < wanted ||
        (maximises_seats_ && needs_.groups[0].waiting - lost_ - lost <= best_) || steps_.is_over()) {
        return false;
    }
    const Cell skipped(Cell::Kind::children, cell.group, cell.scope, position, cell.count, cell.next);
    lost_ += lost;
    const bool found = step(&skipped);
    lost_ -= lost;
    return found;
}

}  // namespace echelon::solver

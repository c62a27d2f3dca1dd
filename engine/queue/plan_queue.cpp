#include "engine/queue/plan_queue.hpp"

#include "model/gang/gang_facts.hpp"
#include "model/gang/readiness.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

namespace echelon::engine {

namespace {

constexpr Time facts_delay{10};  // Facts come in bursts, too, not only arrivals.
// Delay before a refused gang is tried again when room may have come; doubles up to the limit below.
constexpr Time retry_delay{20};
constexpr std::uint32_t retry_doublings = 6;
constexpr Time retry_after_search{1000};
constexpr Time search_timeout{10'000};  // After this time the queue looks at a running search again.
// Gangs behind a search are due after this time, even if it still runs.
constexpr Time behind_search{1000};
constexpr Time longest_deferral{1000};  // Gangs of equal priority come before a long search for this time at most.
// Refused gangs that are tried first, soon after room has become free; the others are tried all together, later.
constexpr std::size_t tried_first = 256;
constexpr Time retry_cost{2};    // The time that passes for each gang that is tried, so that retries are a part of it.
constexpr int extras_share = 5;  // Of `settle`, for extras that come together with the last needed member.
// Planning costs a gang's size. A gang without seats rests between two plannings: a millisecond for each group of this
// many members. So one that ends or crashes pod by pod leaves time for others (BD2).
constexpr std::int64_t members_for_rest = 20;
// A search that proved nothing is repeated for the gang's own changes after a rest of this many times its cost. The
// rests of all gangs follow one another, so half of the time is left for gangs behind them.
constexpr std::uint64_t search_rest = 2;
constexpr std::uint64_t steps_of_millisecond = 500;
constexpr std::uint32_t most_plannings = 100;  // Of one gang at one time; more are a bug.
constexpr Time rest_after_round{1000};
// A look at a gang's arrivals costs its size, and this share of the size comes before the next look.
constexpr std::int64_t look_share = 16;

// Q11: 0 < bound < minimum. Once the minimum is bound only extras wait, and those follow Q1 (Q12).
bool is_partly_bound(const GangState& gang) {
    // The roster knows no member before the gang was planned.
    const bool has_begun = gang.roster.counts().has_begun() || (gang.due().rank && gang.due().rank->has_begun);
    return (gang.lifecycle.is_committing() || has_begun) && gang.lifecycle.stage() != Stage::bound;
}

}  // namespace

bool PlanQueue::goes_round(const GangState& gang) const {
    return gang.due().planned_at == facts_.now && gang.due().plannings >= most_plannings;
}

bool PlanQueue::take_changes(GangState& gang) {
    auto& due = gang.due(Key<PlanQueue>());
    return std::exchange(due.changes_taken, due.changes) != due.changes;
}

void PlanQueue::plan_at(GangState& gang, Time when) {
    if (when <= facts_.now && goes_round(gang))
        when = facts_.now + rest_after_round;
    auto& due = gang.due(Key<PlanQueue>()).due;
    if (due == when)
        return;
    auto entry = due == never ? Times::node_type() : times_.extract({due, &gang});
    due = when;
    if (when == never)
        return;
    if (entry.empty()) {
        times_.emplace(when, &gang);
    } else {
        entry.value().first = when;
        times_.insert(std::move(entry));
    }
}

void PlanQueue::set_arrival(GangState& gang, Time when) {
    auto& due = gang.due(Key<PlanQueue>());
    due.first_unplanned_arrival = when;
    due.arrived = DueState::Arrived::unknown;
    due.unjudged_arrivals = 0;
    if (when != never) {
        settling_.insert(&gang);
    } else {
        settling_.erase(&gang);
    }
}

void PlanQueue::set_searching(GangState& gang, bool is_searching) {
    gang.due(Key<PlanQueue>()).is_searching = is_searching;
    if (is_searching) {
        searching_.insert(gang.root());
    } else {
        searching_.erase(gang.root());
    }
}

void PlanQueue::mark(GangState& gang, Cause cause) {
    auto& due = gang.due(Key<PlanQueue>());
    due.refusals = 0;
    ++due.changes;
    due.rank.reset();
    if (cause == Cause::facts)
        due.arrived = DueState::Arrived::unknown;
    if (!due.is_searching)  // Otherwise a stream of facts would restart the search for ever.
        due.defers_until.reset();
    gang.verdicts.request_refresh();
    auto when = due.due;
    if (cause == Cause::arrival) {
        if (due.first_unplanned_arrival == never)
            set_arrival(gang, facts_.now);
        judge_arrivals(gang);
        const auto settle = settle_time(due);
        when = std::min(facts_.now + settle, due.first_unplanned_arrival + 10 * settle);
        if (due.last_hurried != never)
            when = std::max(when, due.last_hurried + facts_.options.settle);
    } else if (due.first_unplanned_arrival == never) {
        const bool may_rest = gang.roster.seats().empty() && gang.hold().placeholders.empty();
        when = std::min(when, std::max(facts_.now + facts_delay, may_rest ? due.rests_until : Time{0}));
    }
    if (gang.roster.seats().empty())
        when = std::max(when, due.not_before);  // Seats that facts have broken can't wait.
    plan_at(gang, when);
    wakeups_.touch(gang.root());
}

// Each arrival is counted, and the gang is looked at again only once as many have come as were missing, and at least a
// share of what is there. So a look costs each arrival the same, even if groups and their pods come in turn (BD2).
void PlanQueue::judge_arrivals(GangState& gang) {
    auto& due = gang.due(Key<PlanQueue>());
    if (due.arrived != DueState::Arrived::unknown || --due.unjudged_arrivals > 0)
        return;
    const auto facts = facts_.cluster.facts(gang.root());
    std::int64_t size = std::ssize(facts.groups);
    for (const auto& group : facts.groups)
        size += std::ssize(group.pods);
    work_.add(1 + static_cast<std::uint64_t>(size) / 4);
    const auto missing = model::missing_members(facts).value_or(size);
    due.unjudged_arrivals = std::max(missing, size / look_share);
    if (missing == 0)
        due.arrived = model::has_stated_size(facts) ? DueState::Arrived::all : DueState::Arrived::minimum;
}

Time PlanQueue::settle_time(const DueState& due) const {
    switch (due.arrived) {
        case DueState::Arrived::unknown:
            return facts_.options.settle;
        case DueState::Arrived::minimum:
            return facts_.options.settle / extras_share;
        case DueState::Arrived::all:
            return Time{0};
    }
    return facts_.options.settle;
}

void PlanQueue::hold_off(GangState& gang, Time until) {
    gang.due(Key<PlanQueue>()).not_before = until;
    plan_at(gang, until);
}

void PlanQueue::end_hold_off(GangState& gang) {
    gang.due(Key<PlanQueue>()).not_before = Time{0};
}

void PlanQueue::begin(GangState& gang) {
    plan_at(gang, never);
    auto& due = gang.due(Key<PlanQueue>());
    if (due.arrived != DueState::Arrived::unknown)
        due.last_hurried = facts_.now;
    due.plannings = std::exchange(due.planned_at, facts_.now) == facts_.now ? due.plannings + 1 : 1;
    due.rests_until = facts_.now + Time{std::ssize(gang.roster.members()) / members_for_rest};
    set_arrival(gang, never);
    set_searching(gang, false);
    due.rank.reset();
    wakeups_.touch(gang.root());
}

void PlanQueue::forget(GangState& gang) {
    plan_at(gang, never);
    set_arrival(gang, never);
    set_searching(gang, false);
}

void PlanQueue::await_search(GangState& gang) {
    set_searching(gang, true);
    plan_at(gang, facts_.now + search_timeout);
}

void PlanQueue::end_search(GangState& gang) {
    set_searching(gang, false);
    plan_at(gang, facts_.now);
    for (const auto& root : std::exchange(behind_search_, {})) {
        if (auto* other = gangs_.find(root); other != nullptr && other->is_dirty())
            plan_at(*other, std::min(other->due().due, facts_.now));
    }
}

void PlanQueue::wait_behind_search(std::span<GangState* const> gangs) {
    for (auto* gang : gangs) {
        if (gang->due().is_searching) {
            plan_at(*gang, std::max(gang->due().due, facts_.now + behind_search));
            continue;
        }
        plan_at(*gang, facts_.now + behind_search);
        behind_search_.insert(gang->root());
        wakeups_.touch(gang->root());
    }
}

void PlanQueue::defer_long_search(GangState& gang) {
    gang.due(Key<PlanQueue>()).defers_until = facts_.now + longest_deferral;
    plan_at(gang, facts_.now);
}

void PlanQueue::request_long_search(GangState& gang) {
    if (work_.is_bounded() && !facts_.options.async_searches)
        gang.due(Key<PlanQueue>()).defers_until = facts_.now;
}

void PlanQueue::note_search(GangState& gang, Search search) {
    if (search == Search::whole)
        gang.due(Key<PlanQueue>()).defers_until.reset();
}

void PlanQueue::rank(GangState& gang) {
    auto& due = gang.due(Key<PlanQueue>());
    if (due.rank)
        return;
    const auto facts = facts_.cluster.facts(gang.root());
    DueState::Rank rank{.has_begun = false, .priority = model::priority_of(facts), .created = model::created_of(facts)};
    std::size_t pods = 0;
    for (const auto& group : facts.groups) {
        pods += group.pods.size();
        rank.has_begun = rank.has_begun || std::ranges::any_of(group.pods, [](const model::PodFacts& row) {
                             return row.status == model::MemberStatus::bound;
                         });
    }
    rank.has_begun = rank.has_begun && !model::is_minimum_bound(facts);
    const auto* root = facts.root().group();
    if (gang.tree().oldest && (root == nullptr || root->uid.empty()))
        rank.created = std::min(rank.created, *gang.tree().oldest);
    due.rank = rank;
    work_.add(1 + pods / 4);
}

void PlanQueue::note_sound(GangState& gang, bool is_sound) {
    gang.due(Key<PlanQueue>()).rank->is_sound = is_sound;
}

Time PlanQueue::next_due() const {
    const auto next = work_.is_bounded() ? times_.upper_bound(facts_.now) : times_.begin();
    return next == times_.end() ? never : next->first;
}

PlanQueue::Order PlanQueue::order_of_due() {
    const Time now = facts_.now;
    Order order;
    for (auto at = times_.begin(); at != times_.end() && at->first <= now; ++at)
        order.due.push_back(at->second);
    for (const auto& root : searching_) {
        if (auto* gang = gangs_.find(root); gang->due().due > now)
            order.due.push_back(gang);
    }
    std::ranges::copy_if(settling_, std::back_inserter(order.settling),
                         [now](const GangState* gang) { return gang->due().due != never && gang->due().due > now; });
    for (const auto* gangs : {&order.due, &order.settling})
        std::ranges::for_each(*gangs, [this](GangState* gang) { rank(*gang); });
    const auto priority = [](const GangState* gang) { return gang->due().rank->priority; };
    if (!order.due.empty()) {  // No gang waits for one that is no more important.
        const auto lowest = priority(*std::ranges::min_element(order.due, {}, priority));
        std::erase_if(order.settling, [&](const GangState* gang) { return priority(gang) <= lowest; });
    }
    using Place = std::tuple<bool, std::int64_t, bool, std::int64_t, model::GroupKey::ByName>;
    const auto place = [now](const GangState* gang) {
        const auto& due = gang->due();
        const bool is_deferred = due.defers_until && *due.defers_until > now;
        return Place(!is_partly_bound(*gang), -due.rank->priority, is_deferred, due.rank->created,
                     gang->root().by_name());
    };
    work_.add(times_.size() / 16);
    std::ranges::sort(order.due, {}, place);
    std::ranges::stable_sort(order.settling, std::ranges::greater{},
                             [](const GangState* gang) { return gang->due().due; });
    return order;
}

bool PlanQueue::put_off_search(GangState& gang) {
    const auto until = gang.due().no_search_before;
    if (until <= facts_.now || !gang.roster.seats().empty() || !gang.hold().placeholders.empty())
        return false;
    plan_at(gang, until);
    return true;
}

void PlanQueue::note_refused(GangState& gang, model::Reason reason) {
    auto& due = gang.due(Key<PlanQueue>());
    ++due.refusals;
    if (reason != model::Reason::out_of_budget)
        return;
    const auto cost = facts_.options.budget.steps / steps_of_millisecond;
    searches_rest_until_ = std::max(searches_rest_until_, facts_.now) + Time{search_rest * cost};
    due.no_search_before = searches_rest_until_;
}

void PlanQueue::note_placed(GangState& gang) {
    gang.due(Key<PlanQueue>()).refusals = 0;
}

void PlanQueue::retry(GangState& gang) {
    plan_at(gang, std::min(gang.due().due, facts_.now + retry_after_search));
}

// Planning takes a part of the time, however many gangs there are: the first ones are tried again only after a time for
// each of them, and so are all. If earlier steps have left gangs that are due, the first ones wait as long as the
// others.
void PlanQueue::retry_refused() {
    if (!std::exchange(is_freed_room_noted_, false))
        return;
    const Time now = facts_.now;
    const auto waiting = refused_in_order();
    for (auto* gang : waiting)
        gang->due(Key<PlanQueue>()).no_search_before = Time{0};
    const std::span first(waiting.begin(), std::min(waiting.size(), tried_first));
    const Time rest_was_due = rest_due_ > now ? rest_due_ : never;  // No gang comes later than those behind it (Q13).
    const Time all = retry_cost * waiting.size();
    const Time soon = work_.continues_at() == never ? std::max(now, first_rest_until_) : now + all;
    Time backed_off = now;
    for (auto* gang : first) {
        const auto& due = gang->due();
        backed_off = std::max(backed_off, now + retry_delay * (1U << std::min(due.refusals, retry_doublings)));
        const Time when = std::max(std::min(std::max(soon, backed_off), rest_was_due), due.not_before);
        // `never` is later than any time, too.
        if (due.due > when && !due.is_searching && due.first_unplanned_arrival == never) {
            plan_at(*gang, when);
            first_rest_until_ = soon + retry_cost * first.size();
        }
    }
    const Time rest_due = std::max(backed_off, now + all);
    for (auto* gang : std::span(waiting).subspan(first.size())) {
        if (!gang->is_dirty())
            plan_at(*gang, std::max(rest_due, gang->due().not_before));
    }
    if (waiting.size() > first.size() && rest_was_due == never)
        rest_due_ = rest_due;
}

std::vector<GangState*> PlanQueue::refused_in_order() {
    std::vector<GangState*> waiting;
    for (auto& [root, gang] : gangs_.all()) {
        if (gang.plan().has_unseated_members || gang.due().no_search_before > facts_.now)
            waiting.push_back(&gang);
    }
    std::ranges::sort(waiting, {}, [](const GangState* gang) {
        return std::tuple(!is_partly_bound(*gang), -gang->tree().priority, gang->tree().created,
                          gang->root().by_name());
    });
    return waiting;
}

}  // namespace echelon::engine

#include "engine/plan/planner.hpp"

#include "engine/seats/renewed_holds.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace echelon::engine {

namespace {

// How many pods were read to build the gang: its members, and pods of the gangs that it is co-located with.
std::size_t read_for(const model::Gang& built) {
    auto pods = built.members.size() + built.co_location.seated.size();
    for (const auto& other : built.co_located)
        pods += 1 + other.pod_classes.size();
    return pods;
}

}  // namespace

// All in one step: filter would refuse the members of a gang whose record was left for later. A record of victims may
// be older than a commit, so all commits come first.
void Planner::adopt_all() {
    std::vector<GangState*> adopted;
    const auto& unread = records_.not_adopted();
    for (auto at = unread.begin(); at != unread.end();) {
        const auto root = *at;
        if (auto* gang = gangs_.find(root); gang != nullptr && gang->is_dirty() && records_.adopt(*gang))
            adopted.push_back(gang);
        at = unread.upper_bound(root);
    }
    for (auto* gang : adopted) {
        clearings_.adopt(*gang);
        if (!gang->roster.seats().empty())
            tree_.refresh_order(*gang);  // Filter and bind keep others from the seats before the gang is planned (PR1).
    }
}

Time Planner::waits_until(const GangState& gang, const PlanQueue::Order& order, const model::Snapshot& snapshot) {
    for (auto* other : order.settling) {
        const auto& due = other->due();
        const bool is_ahead = due.not_before <= facts_.now && due.first_unplanned_arrival != never &&
                              other->roster.seats().empty() && due.rank &&
                              due.rank->priority > gang.due().rank->priority;
        if (!is_ahead)
            continue;
        if (!due.rank->is_sound) {
            const auto built = gang_planner_.build(*other, snapshot);
            work_.add_build(read_for(built));
            queue_.note_sound(*other, !built.problem);
        }
        if (*due.rank->is_sound)
            return due.due;
    }
    return Time{0};
}

void Planner::wait_behind_search(std::span<GangState* const> gangs, model::Snapshot& snapshot) {
    work_.note_planned();
    std::size_t done = 0;
    for (bool has_looked = false; done < gangs.size() && !(has_looked && work_.is_used_up()); ++done) {
        auto* gang = gangs[done];
        if (gang->due().is_searching || gang->lifecycle.is_clearing() || gang->roster.seats().empty())
            continue;
        auto built = gang_planner_.build(*gang, snapshot);
        work_.add_build(read_for(built));
        gang_planner_.end_broken_seats(*gang, std::move(built), snapshot);
        has_looked = true;
    }
    queue_.wait_behind_search(gangs.first(done));
}

void Planner::renew(GangState& gang) {
    if (queue_.take_changes(gang) && renew_holds(gang, facts_.cluster, ledger_))
        queue_.note_freed_room();
}

void Planner::plan_due() {
    if (!queue_.is_any_due())
        return;
    adopt_all();
    const auto order = queue_.order_of_due();
    for (auto* gang : order.due)
        renew(*gang);
    work_.add_snapshots(1);
    auto& snapshot = room_.planning();
    for (std::size_t at = 0; at < order.due.size(); ++at) {
        auto* gang = order.due[at];
        if (gang->due().is_searching) {
            wait_behind_search(std::span(order.due).subspan(at), snapshot);
            break;
        }
        queue_.rank(*gang);  // Planning another gang may have reset the rank.
        // A complete gang of higher priority goes first even while its members still arrive. They settle within a
        // bounded time.
        if (const Time wait = waits_until(*gang, order, snapshot); wait > facts_.now && gang->roster.seats().empty()) {
            queue_.plan_at(*gang, wait);
            wakeups_.touch(gang->root());
            continue;
        }
        // A long search gets a separate step.
        const bool is_long = gang->due().defers_until && work_.is_bounded() && !long_searches_.takes(*gang);
        if (work_.has_planned() && (work_.is_used_up() || is_long))
            break;
        work_.note_planned();
        auto built = gang_planner_.build(*gang, snapshot);
        work_.add_build(read_for(built));
        const auto seats_before = gang->roster.seats().size();
        gang_planner_.plan(*gang, std::move(built), snapshot);
        if (const auto seats = gang->roster.seats().size(); seats > seats_before)
            work_.add_seats(seats - seats_before);
        gang->is_placed_anew = seats_before == 0 && !gang->roster.seats().empty();
    }
    if (work_.has_planned() && work_.is_bounded() && queue_.is_any_due())
        work_.end_planning();
}

bool Planner::plan_now(GangState& gang) {
    if (!facts_.may_act() || queue_.goes_round(gang))
        return false;
    adopt_all();
    queue_.request_long_search(gang);
    renew(gang);
    work_.add_snapshots(1);
    auto& snapshot = room_.planning();
    gang_planner_.plan(gang, gang_planner_.build(gang, snapshot), snapshot);
    return true;
}

void Planner::on_search_ended(std::uint64_t search) {
    const auto root = long_searches_.on_ended(search);
    if (!root)
        return;
    if (auto* gang = gangs_.find(*root); gang->due().is_searching)
        queue_.end_search(*gang);
    wakeups_.touch(*root);
}

}  // namespace echelon::engine

// Facts come in: what the watch saw changes the model, and marks the gangs that must be looked at again.

#include "engine/state.hpp"
#include "engine/texts.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr Time facts_delay{10};  // Facts other than arrivals come in bursts too.
constexpr Time retry_delay{20};  // Of a refused gang when room may have come; doubles up to the limit below.
constexpr std::uint32_t retry_doublings = 6;
constexpr Time retry_cost{2};  // Spared for each refused gang per round.

// Would planning see a difference, groups aside? Of a member its nomination, our gate and the running phase are our own
// or kubelet's echo.
bool plans_alike(const model::Pod& a, const model::Pod& b) {
    return a.node == b.node && a.deleting == b.deleting && a.is_finished() == b.is_finished() &&
           a.has_foreign_gate() == b.has_foreign_gate() && a.priority == b.priority &&
           a.scheduler_name == b.scheduler_name && a.shape == b.shape && a.terms == b.terms &&
           (a.nominated_node == b.nominated_node || b.membership);
}

}  // namespace

void Engine::State::on_pod_seen(const model::PodSeen& event) {
    const auto& pod = event.pod;
    const auto* before = cluster.pod(pod.uid);
    const bool is_news = before == nullptr || !plans_alike(*before, pod) || !cluster.stays_in_its_leaf(*before, event);
    const bool was_unbound = before == nullptr || before->node.empty();
    if (!was_unbound && is_news && !pod.node.empty() && pod.node != before->node) {
        const auto root = cluster.root_of(*before);
        violated(Invariant::cache_truth, root ? find_gang(*root) : nullptr,
                 fmt::format("pod \"{}\" is on node \"{}\", and was on \"{}\" before: a pod never moves",
                             pod.full_name(), pod.node, before->node));
    }
    const auto* hold = ledger.find(pod.uid);
    const bool is_expected =
        is_news && was_unbound && hold != nullptr && hold->node == pod.node && !pod.deleting && !pod.is_finished();
    if (is_expected) {
        // Our own binding: the seat becomes a fact, nothing is to be planned.
        const auto owner = hold->owner;
        static_cast<void>(cluster.apply(event));
        ledger.release(pod.uid);
        end_plain_if_bound(pod);
        if (auto* gang = find_gang(owner))
            on_member_bound(*gang, pod.uid, pod.node);
        return;
    }
    if (hold != nullptr && hold->owner.name.empty() && !pod.node.empty())
        ledger.release(pod.uid);
    if (is_news) {
        apply(event);
        if (!pod.node.empty()) {
            // It may never have passed us: whoever holds room there looks again (R14).
            for (const auto& root : ledger.owners_on(pod.node)) {
                if (auto* gang = find_gang(root))
                    mark(*gang, false);
            }
        }
    } else {
        static_cast<void>(cluster.apply(event));
        const auto root = cluster.root_of(pod);
        if (auto* gang = root ? find_gang(*root) : nullptr) {
            if (auto seat = gang->seats.find(pod.uid); seat != gang->seats.end()) {
                on_nomination_seen(seat->second, pod);
                touched.insert(*root);
            }
        }
    }
    on_stray_nomination(pod);
    end_plain_if_bound(pod);
    // A bind call may have been faster than the watch.
    if (auto parked = plain.find(pod.uid); parked != plain.end() && parked->second.waits_for_pod)
        parked_pods_now_known.push_back(pod.uid);
}

void Engine::State::apply(const model::Event& event) {
    const auto change = cluster.apply(event);
    schedule_topology_counts(event, change);
    if (const auto* gone = std::get_if<model::PodGone>(&event)) {
        asked.erase(gone->uid);
        refused.erase(gone->uid);
        if (const auto* claim = ledger.find(gone->uid); claim != nullptr && claim->owner.name.empty())
            ledger.release(gone->uid);
    }
    take_up(change);
}

void Engine::State::take_up(const model::Change& change) {
    for (const auto& root : change.gangs) {
        if (cluster.has_root(root)) {
            mark(gang_of(root), change.member_arrived);
        } else {
            drop_gang(root);
        }
    }
    if (change.topology && !std::exchange(is_topology_stale, true))
        invalidate_topology();
    for (const auto& node : change.nodes) {
        for (const auto& root : ledger.owners_on(node)) {
            if (auto* gang = find_gang(root))
                mark(*gang, false);
        }
    }
    if (change.may_free_room)
        capacity_may_be_free = true;
}

namespace {

// Where it stands, or could stand, is being decided or still open.
bool minds_domains(const GangState& gang) {
    return gang.is_dirty() || gang.commit != GangState::Commit::none || !gang.seats.empty() ||
           !gang.placeholders.empty() || gang.has_unseated_members ||
           (gang.refusal && !needs_facts(gang.refusal->reason));
}

}  // namespace

// Others have all they want, or lack facts, and there may be thousands of them: they wait for what `resolve` says.
void Engine::State::invalidate_topology() {
    for (auto& [root, gang] : gangs) {
        if (minds_domains(gang))
            mark(gang, false);
    }
    resolve_topology_at = std::min(resolve_topology_at, now + facts_delay);
}

void Engine::State::resolve_topology() {
    if (resolve_topology_at > now)
        return;
    resolve_topology_at = never;
    const auto resolved = cluster.resolve();
    work(2 * work_of_snapshot());
    for (auto& [root, gang] : gangs) {
        if (resolved.all_gangs || resolved.gangs.contains(root))
            mark(gang, false);
    }
}

void Engine::State::on_synced(const std::string& what) {
    if (unsynced.erase(what) == 0 || !unsynced.empty())
        return;
    census_at = now;
    for (const auto& root : cluster.roots()) {
        auto& gang = gang_of(root);
        gang.due = now;
        dirty.insert(root);
        touched.insert(root);
    }
    invalidate_records();
}

void Engine::State::on_plan_seen(const model::PlanSeen& seen) {
    const auto& record = seen.record;
    found_records[record.root] = seen;
    record_owner[record.ns + "/" + record.name] = record.root;
    if (auto* gang = find_gang(record.root)) {
        if (gang->record_name == record.name)
            gang->record_uid = seen.uid;
        rewrite_own_record(*gang, record);
    } else if (unsynced.empty()) {
        invalidate_records();  // Written just before its gang went, or before echelon ended.
    }
}

void Engine::State::on_plan_gone(const std::string& ns, const std::string& name) {
    auto owner = record_owner.find(ns + "/" + name);
    if (owner == record_owner.end())
        return;
    found_records.erase(owner->second);
    if (auto* gang = find_gang(owner->second)) {
        gang->record_uid.clear();
        gang->written.reset();  // Somebody deleted it: it is written again.
        schedule_record(*gang, Time{1000});
    } else {
        record_owner.erase(owner);
    }
}

GangState& Engine::State::gang_of(const model::GroupKey& root) {
    auto [found, is_new] = gangs.try_emplace(root);
    if (is_new) {
        found->second.root = root;
        found->second.seen_at = unsynced.empty() ? now : never;
        found->second.due = now;
        dirty.insert(root);
        touched.insert(root);
    }
    return found->second;
}

GangState* Engine::State::find_gang(const model::GroupKey& root) {
    auto found = gangs.find(root);
    return found == gangs.end() ? nullptr : &found->second;
}

void Engine::State::mark(GangState& gang, bool is_arrival) {
    gang.refusals = 0;
    gang.rank.reset();
    gang.hard_until.reset();
    gang.answers_stale = true;
    if (is_arrival) {
        if (gang.first_unplanned_arrival == never)
            gang.first_unplanned_arrival = now;
        gang.due = std::min(now + options.settle, gang.first_unplanned_arrival + 10 * options.settle);
    } else if (gang.first_unplanned_arrival == never) {
        gang.due = std::min(gang.due, now + facts_delay);
    }
    if (gang.seats.empty())
        gang.due = std::max(gang.due, gang.not_before);  // Seats that facts have broken can't wait.
    dirty.insert(gang.root);
    touched.insert(gang.root);
}

void Engine::State::retry_refused() {
    const auto waiting =
        std::ranges::count_if(gangs, [](const auto& entry) { return entry.second.has_unseated_members; });
    const Time fair_share = retry_cost * waiting;  // However many there are, solving stays a fraction of the time.
    for (auto& [root, gang] : gangs) {
        if (!gang.has_unseated_members || gang.is_dirty())
            continue;
        const Time delay = std::max(retry_delay * (1U << std::min(gang.refusals, retry_doublings)), fair_share);
        gang.due = std::max(now + delay, gang.not_before);
        dirty.insert(root);
        touched.insert(root);
    }
}

void Engine::State::drop_gang(const model::GroupKey& root) {
    auto* gang = find_gang(root);
    if (gang == nullptr)
        return;
    hand_over(*gang);
    reset_starvation(*gang);
    release_hold(*gang, "aborted, the gang is gone");
    published.drop_all(root);
    wake_at(*gang, never);
    const std::string ns = root.name.substr(0, root.name.find('/'));
    if (const auto found = found_records.find(root); gang->record_name.empty() && found != found_records.end()) {
        gang->record_name = found->second.record.name;  // Of an earlier run, and not looked at so far.
        gang->record_uid = found->second.uid;
    }
    if (!gang->record_name.empty() && may_act()) {
        delete_record(ns, gang->record_name, gang->record_uid);
        found_records.erase(root);
    }
    published.hide(ns + "/" + gang->record_name);
    figures.replace(gang->counted, {});
    dirty.erase(root);
    touched.erase(root);
    gangs.erase(root);
    capacity_may_be_free = true;
}

void Engine::State::hand_over(GangState& gang) {
    std::vector<std::string> under_way;
    for (const auto& [uid, seat] : gang.seats) {
        if (is_under_way(seat))
            under_way.push_back(uid);
    }
    for (const auto& uid : under_way)
        hand_over(gang, uid);
}

void Engine::State::hand_over(GangState& gang, const std::string& uid) {
    const auto seat = gang.seats.extract(uid).mapped();
    gang.is_bound_known.reset();
    if (const auto* claim = ledger.find(uid))
        ledger.put(uid, {claim->node, claim->requests, {}});
    if (seat.binding == SeatState::Binding::posted)
        return;
    plain[uid] = {{seat.call, seat.pod, seat.node}, seat.call != 0, false, seat.deadline, never, 0};
    if (seat.call != 0)
        outbox.await(seat.call, {{}, uid});
    if (!outbox.detach(gang.root, uid))
        plain[uid].retry_at = now;
    schedule_plain(uid);
}

}  // namespace echelon::engine

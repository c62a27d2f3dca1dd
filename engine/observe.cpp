// Facts: what the watch has seen changes the model, and marks the gangs that must be planned again.

#include "base/counted.hpp"
#include "engine/state.hpp"
#include "engine/texts.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr Time topology_delay{10};          // Changes of the topology come in bursts.
constexpr Time level_counts_delay{10'000};  // Counting takes a snapshot: not for every node that changes.

// True if planning sees no difference between two states of a pod. Groups and requests are compared elsewhere
// (`Cluster::asks_as_before`). A member's nomination, gate and phase Running don't count: echelon or kubelet has
// written them.
bool plans_alike(const model::Pod& a, const model::Pod& b) {
    return a.node == b.node && a.deleting == b.deleting && a.is_finished() == b.is_finished() &&
           a.has_foreign_gate() == b.has_foreign_gate() && a.priority == b.priority &&
           a.scheduler_name == b.scheduler_name && (a.nominated_node == b.nominated_node || b.membership);
}

// True if the pod may be evicted now, and could not be before.
bool comes_to_be_evictable(const model::Pod& before, const model::Pod& pod) {
    return !before.node.empty() && ((before.is_protected && !pod.is_protected) || pod.priority < before.priority ||
                                    before.membership != pod.membership);
}

// True if a change of domains may change the plan: the gang is being planned, holds seats, or lacks room.
bool depends_on_domains(const GangState& gang) {
    const auto& refusal = gang.plan().refusal;
    return gang.is_dirty() || gang.lifecycle.is_committing() || !gang.roster.seats().empty() ||
           !gang.hold().placeholders.empty() || gang.plan().has_unseated_members ||
           (refusal && !needs_facts(refusal->reason));
}

// True if a Bound gang may be below a minimum now: a bound member was lost, or the change is about no pod.
bool may_miss_members(const GangState& gang, std::string_view uid, const model::Cluster& cluster) {
    if (gang.lifecycle.stage() != Stage::bound)
        return false;
    if (uid.empty())
        return true;
    const auto* row = gang.roster.member(uid);
    if (row == nullptr || row->node.empty())
        return false;
    const auto* pod = cluster.pod(uid);
    return pod == nullptr || !pod->is_alive();
}

// True if a pod says something else about its groups, such as another minimum.
bool declares_anew(const model::Pod& before, const model::Pod& pod) {
    return before.membership && pod.membership && before.membership->declared != pod.membership->declared;
}

// The UID of the pod that the event is about; empty: the event isn't about a pod.
std::string_view uid_of(const model::Event& event) {
    const auto* gone = std::get_if<model::PodGone>(&event);
    const auto* seen = std::get_if<model::PodSeen>(&event);
    if (gone != nullptr)
        return gone->uid;
    return seen != nullptr ? std::string_view(seen->pod.uid) : std::string_view();
}

}  // namespace

void Engine::State::on_pod_seen(const model::PodSeen& event) {
    const auto& pod = event.pod;
    const auto& cluster = facts_.cluster;
    const auto* before = cluster.pod(pod.uid);
    const bool affects_planning =
        before == nullptr || !plans_alike(*before, pod) || !cluster.asks_as_before(*before, event);
    const bool was_unbound = before == nullptr || before->node.empty();
    if (before != nullptr && has_succeeded(*before) != has_succeeded(pod))
        set_succeeded(*before, has_succeeded(pod));
    if (before != nullptr && comes_to_be_evictable(*before, pod))
        clearings_.note_evictable();
    if (!was_unbound && affects_planning && !pod.node.empty() && pod.node != before->node) {
        const auto root = cluster.root_of(*before);
        const bool is_member = root && gangs_.find(*root) != nullptr;
        figures_.violated(Invariant::cache_truth, is_member ? *root : model::GroupKey{},
                          fmt::format("pod \"{}\" is on node \"{}\", and was on \"{}\" before: a pod never moves",
                                      pod.full_name(), pod.node, before->node));
    }
    const auto* hold = ledger_.find(pod.uid);
    const bool is_expected = affects_planning && was_unbound && hold != nullptr && hold->node == pod.node &&
                             cluster.has_node(pod.node) && !pod.deleting && !pod.is_finished();
    if (is_expected)
        return on_own_binding_seen(event, *hold);
    if (hold != nullptr && !pod.node.empty())
        plain_.end_hold(pod.uid);
    if (!affects_planning) {
        on_minor_pod_change(event);
    } else {
        if (before != nullptr && declares_anew(*before, pod))
            end_rest_of_extras(*before);
        apply(event);
        if (!pod.node.empty())
            mark_owners_near(pod);  // Perhaps bound without echelon: owners of holds are planned again (R14).
    }
    if (const auto root = cluster.root_of(pod)) {
        if (auto* gang = gangs_.find(*root); gang != nullptr && releaser_.on_stray_nomination(*gang, pod))
            wakeups_.touch(*root);
    }
    plain_.on_seen(pod);
}

// Its gang may be below a minimum that the pod raises.
void Engine::State::end_rest_of_extras(const model::Pod& member) {
    const auto root = facts_.cluster.root_of(member);
    auto* gang = root ? gangs_.find(*root) : nullptr;
    if (gang != nullptr && gang->lifecycle.stage() == Stage::bound)
        queue_.end_hold_off(*gang);
}

// The pod now counts as bound, and its hold ends. Nothing has to be planned.
void Engine::State::on_own_binding_seen(const model::PodSeen& event, const Hold& hold) {
    const auto owner = hold.owner;
    const auto* before = facts_.cluster.pod(event.pod.uid);
    const bool held_other = before != nullptr && !is_hold_of(hold, before->pod_class);
    const auto change = facts_.cluster.apply(event);
    mark_verdicts(change, event.pod.uid);
    if (change.may_free_room || held_other)
        queue_.note_freed_room();
    ledger_.release(event.pod.uid);
    if (owner.name.empty())
        mark_owners_apart(event.pod);
    plain_.on_bound(event.pod);
    if (auto* gang = gangs_.find(owner)) {
        wakeups_.touch(owner);
        committer_.on_member_bound(*gang, event.pod.uid, event.pod.node);
        publisher_.drop(owner, event.pod.uid);
    }
}

void Engine::State::on_minor_pod_change(const model::PodSeen& event) {
    const auto change = facts_.cluster.apply(event);
    mark_verdicts(change, event.pod.uid);
    if (change.may_free_room) {  // It was relabelled: members that keep apart from it, or follow it, may go elsewhere.
        queue_.note_freed_room();
        mark_owners_near(event.pod);
    }
    const auto root = facts_.cluster.root_of(event.pod);
    auto* gang = root ? gangs_.find(*root) : nullptr;
    if (gang == nullptr || gang->roster.seat(event.pod.uid) == nullptr)
        return;
    releaser_.on_seen(*gang, event.pod);
    wakeups_.touch(*root);
}

void Engine::State::set_succeeded(const model::Pod& pod, bool has_succeeded) {
    const auto root = facts_.cluster.root_of(pod);
    if (auto* gang = root ? gangs_.find(*root) : nullptr)
        gang->roster.set_succeeded(pod.uid, has_succeeded);
}

void Engine::State::mark_owners_on(const std::string& node) {
    for (const auto& root : ledger_.owners_on(node)) {
        if (auto* gang = gangs_.find(root))
            queue_.mark(*gang);
    }
}

void Engine::State::mark_owners_near(const model::Pod& pod) {
    mark_owners_on(pod.node);
    mark_owners_apart(pod);
}

// Marks the owners of holds in domains of the pod's node where it and members keep apart (D14).
void Engine::State::mark_owners_apart(const model::Pod& pod) {
    const auto labels = facts_.cluster.labels_apart(pod);
    if (labels.empty())
        return;
    mark_owners_where([&](const std::string& node) { return facts_.cluster.has_any_label(node, labels); });
}

void Engine::State::mark_owners_where(const std::function<bool(const std::string& node)>& is_meant) {
    for (const auto& root : ledger_.owners_where(is_meant)) {
        if (auto* gang = gangs_.find(root))
            queue_.mark(*gang);
    }
}

void Engine::State::apply(const model::Event& event) {
    const auto* gone = std::get_if<model::PodGone>(&event);
    if (const auto* pod = gone != nullptr ? facts_.cluster.pod(gone->uid) : nullptr)
        set_succeeded(*pod, false);
    const auto preemptor = preemptor_of(event);
    const auto uid = uid_of(event);
    const auto change = facts_.cluster.apply(event);
    if (uid.empty() && !change.gangs.empty())
        clearings_.note_evictable();  // Groups or their priorities have changed.
    if (auto* gang = preemptor ? gangs_.find(*preemptor) : nullptr) {
        clearings_.on_victim_changed(*gang);
        wakeups_.touch(*preemptor);
    }
    schedule_topology_counts(event, change);
    if (gone != nullptr) {
        filtered_.forget(gone->uid);
        plain_.end_hold(gone->uid);
    }
    note_change(change, uid);
}

// The gang for which the pod of this event was evicted. The pod is found by name, since a new pod may have the victim's
// name.
std::optional<model::GroupKey> Engine::State::preemptor_of(const model::Event& event) const {
    const auto* gone = std::get_if<model::PodGone>(&event);
    const auto* seen = std::get_if<model::PodSeen>(&event);
    const auto* pod = gone != nullptr ? facts_.cluster.pod(gone->uid) : nullptr;
    if (seen != nullptr)
        pod = &seen->pod;
    const auto* owner = pod != nullptr ? clearings_.owner_of(pod->full_name()) : nullptr;
    return owner != nullptr ? std::optional(*owner) : std::nullopt;
}

void Engine::State::mark_verdicts(const model::Change& change, std::string_view pod) {
    for (const auto& root : change.gangs) {
        auto* gang = gangs_.find(root);
        if (gang == nullptr)
            continue;
        if (!change.moved_pods) {
            gang->verdicts.add_all();
            continue;
        }
        for (const auto& uid : *change.moved_pods)
            gang->verdicts.add(uid);
        if (!pod.empty() && (change.moved_pods->empty() || change.moved_pods->back() != pod))
            gang->verdicts.add(std::string(pod));
    }
}

void Engine::State::note_change(const model::Change& change, std::string_view pod) {
    mark_verdicts(change, pod);
    for (const auto& root : change.gangs) {
        if (facts_.cluster.has_root(root)) {
            auto& gang = gang_of(root);
            if (may_miss_members(gang, pod, facts_.cluster))
                queue_.end_hold_off(gang);  // Only extras had to wait (B6).
            queue_.mark(gang, change.member_arrived ? PlanQueue::Cause::arrival : PlanQueue::Cause::facts);
        } else {
            drop_gang(root);
        }
    }
    if (change.topology && !std::exchange(is_topology_stale_, true))
        invalidate_topology();
    if (change.topology)
        promised_.note_topology();
    for (const auto& node : change.nodes) {
        promised_.note(node);
        mark_owners_on(node);
    }
    if (change.moved_pods_apart && !std::exchange(are_owners_marked_, true))
        mark_owners_where([](const std::string&) { return true; });
    if (!change.nodes.empty())
        scorer_.note_nodes();
    if (change.may_free_room)
        queue_.note_freed_room();
}

// Other gangs have all their seats or lack facts. They may be thousands, so they wait for `resolve_topology`.
void Engine::State::invalidate_topology() {
    for (auto& [root, gang] : gangs_.all()) {
        if (depends_on_domains(gang))
            queue_.mark(gang);
    }
    resolve_at_ = std::min(resolve_at_, facts_.now + topology_delay);
}

bool Engine::State::resolve_topology() {
    if (resolve_at_ > facts_.now)
        return false;
    resolve_at_ = never;
    const auto resolved = facts_.cluster.resolve();
    work_.add_snapshots(2);
    if (resolved.all_gangs) {
        for (auto& [root, gang] : gangs_.all())
            queue_.mark(gang);
    }
    for (const auto& root : resolved.gangs) {
        if (auto* gang = gangs_.find(root))
            queue_.mark(*gang);
    }
    return true;
}

void Engine::State::on_synced(const std::string& what) {
    auto& unsynced = facts_.unsynced;
    if (unsynced.erase(what) == 0)
        return records_.on_served();  // Of the kinds only GangPlans are announced again.
    if (!unsynced.empty())
        return;
    level_counts_at_ = facts_.now;
    for (const auto& root : facts_.cluster.roots()) {
        queue_.plan_at(gang_of(root), facts_.now);
        wakeups_.touch(root);
    }
    records_.schedule_orphan_deletions();
    const auto others = records_.of_others();
    if (others.records > 0 && !facts_.options.profiles.empty()) {
        outbox_.note(Note::Level::warning, {},
                     fmt::format("no profile lists the schedulers of {}, such as \"{}\": left alone",
                                 base::counted(others.records, "GangPlan"), others.scheduler));
    }
}

void Engine::State::on_plan_seen(const model::PlanSeen& seen) {
    auto* gang = gangs_.find(seen.record.root);
    const bool is_late = gang != nullptr && records_.is_late(*gang, seen);
    records_.on_seen(seen);
    if (gang != nullptr) {
        committer_.on_newer_record(*gang, seen.record);
        records_.rewrite_if_replaced(*gang, seen.record);
    }
    if (is_late) {
        clearings_.drop_for_late_record(*gang);
        records_.expect_adoption(*gang);
        queue_.plan_at(*gang, facts_.now);
        wakeups_.touch(gang->root());
    }
}

void Engine::State::schedule_topology_counts(const model::Event& event, const model::Change& change) {
    const bool is_new_room = std::holds_alternative<model::NodeSeen>(event) && change.may_free_room;
    const bool is_about_topology = !change.nodes.empty() || is_new_room || model::is_topology_event(event);
    if (is_about_topology && level_counts_at_ == never && facts_.unsynced.empty())
        level_counts_at_ = facts_.now + level_counts_delay;
}

GangState& Engine::State::gang_of(const model::GroupKey& root) {
    auto [gang, is_new] = gangs_.add(root, facts_.unsynced.empty() ? facts_.now : never);
    if (is_new) {
        records_.expect_adoption(gang);
        queue_.plan_at(gang, facts_.now);
        wakeups_.touch(root);
    }
    return gang;
}

// Bindings in flight outlive their gang: `PlainBinds` continues them like those of plain pods.
void Engine::State::drop_gang(const model::GroupKey& root) {
    auto* gang = gangs_.find(root);
    if (gang == nullptr)
        return;
    std::vector<base::Text> under_way;
    for (const auto& [uid, seat] : gang->roster.seats()) {
        if (is_under_way(seat))
            under_way.push_back(uid);
    }
    for (const auto& uid : under_way)
        plain_.take_over(root, seating_.detach(*gang, uid));
    starvation_.reset(*gang);
    clearings_.forget(*gang);
    seating_.release_hold(*gang, "aborted, the gang is gone");
    publisher_.drop_all(root);
    promised_.forget(root);
    refused_nodes_.forget(root);
    records_.drop(*gang);
    figures_.replace(gang->counted, {});
    queue_.forget(*gang);
    long_searches_.forget(root);
    wakeups_.forget(root);
    gangs_.erase(root);
    queue_.note_freed_room();
}

}  // namespace echelon::engine

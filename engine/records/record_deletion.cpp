// Deletes GangPlans without a gang, and notes which ones are gone. The gang goes now, or went while no echelon
// watched.

#include "base/split.hpp"
#include "engine/records/plan_records.hpp"
#include "model/gang/gang_facts.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace echelon::engine {

namespace {

constexpr Time orphan_delay{10'000};  // Pods and groups may be seen later than the GangPlan of their gang.
constexpr Time deletion_retry{1000};  // After a failed deletion; doubles up to the limit below.
constexpr std::uint32_t retry_doublings = 6;

// Pods of the commit name groups that nobody declares: its gang is there, though the objects which define it can't be
// read.
bool is_open_commit(const model::PlanRecord& record, const model::Cluster& cluster) {
    const auto waits_for_objects = [&](const model::RecordedSeat& seat) {
        const auto* pod = cluster.pod(seat.uid);
        const auto root = pod == nullptr ? std::nullopt : cluster.root_of(*pod);
        return root && cluster.group(*root) == nullptr;
    };
    return record.phase == model::Phase::committed && std::ranges::any_of(record.seats, waits_for_objects);
}

}  // namespace

void PlanRecords::drop(const GangState& gang) {
    not_adopted_.erase(gang.root());
    rechecks_.forget(gang.root());
    Deletion deletion{.ns = std::string(base::split_at_slash(gang.root().name).before),
                      .name = gang.record().name,
                      .uid = gang.record().uid,
                      .scheduler_names = std::vector<base::Text>()};
    if (const auto& written = gang.record().written)
        deletion.scheduler_names = written->scheduler_names;
    if (const auto found = seen_records_.find(gang.root()); found != seen_records_.end()) {
        const auto& [record, uid] = found->second;
        deletion.scheduler_names = record.scheduler_names;
        if (deletion.name.empty()) {  // The GangPlan of an earlier run, not adopted yet.
            deletion.name = record.name;
            deletion.uid = uid;
        }
    }
    publisher_.hide(deletion.ns + "/" + deletion.name);
    if (!deletion.name.empty() && facts_.may_act())
        decide_deletion(gang, std::move(deletion));
}

void PlanRecords::decide_deletion(const GangState& gang, Deletion deletion) {
    const auto& names = *deletion.scheduler_names;
    const bool is_of_another = is_of_others(gang.root(), names);
    if (is_of_another && names != gang.tree().scheduler_names)
        return;
    const auto object = deletion.ns + "/" + deletion.name;
    // The group had no pods, and has some of another scheduler now. Its echelon, if there is one, names it soon.
    if (is_of_another && names.empty()) {
        deletion.retry_at = facts_.now + orphan_delay;
        deletions_to_retry_.insert_or_assign(object, std::move(deletion));
        return;
    }
    owners_.erase(object);
    start_record_deletion(std::move(deletion));
    seen_records_.erase(gang.root());
    commits_without_gang_.erase(gang.root());
}

void PlanRecords::on_gone(const std::string& ns, const std::string& name) {
    const auto object = ns + "/" + name;
    deletions_to_retry_.erase(object);
    const auto owner = owners_.find(object);
    if (owner == owners_.end())
        return;
    seen_records_.erase(owner->second);
    commits_without_gang_.erase(owner->second);
    if (auto* gang = gangs_.find(owner->second)) {
        auto& state = gang->record(Key<PlanRecords>());
        state.uid.clear();
        state.completed_epoch = -1;  // Another leader may count from the beginning.
        state.written.reset();       // Deleted by others: it is written again.
        schedule_write(*gang, recheck_delay);
    } else {
        owners_.erase(owner);
    }
}

void PlanRecords::schedule_orphan_deletions() {
    for (auto& [object, record] : deletions_to_retry_)  // Left from an earlier lead.
        record.retry_at = std::max(record.retry_at, facts_.now + orphan_delay);
    for (const auto& [root, seen] : seen_records_)
        schedule_orphan_deletion(seen);
}

bool PlanRecords::is_of_others(const model::GroupKey& root, const std::vector<base::Text>& scheduler_names) const {
    const auto& profiles = facts_.options.profiles;
    if (!scheduler_names.empty())
        return std::ranges::none_of(scheduler_names, [&](const auto& name) { return profiles.contains(name); });
    const auto has_foreign = [](const model::GroupFacts& group) { return !group.foreign.empty(); };
    return profiles.empty() || std::ranges::any_of(facts_.cluster.facts(root).groups, has_foreign);
}

bool PlanRecords::is_orphan(const model::PlanRecord& record) const {
    return !facts_.cluster.has_root(record.root) && !is_of_others(record.root, record.scheduler_names);
}

bool PlanRecords::is_left_to_others(const model::PlanRecord& record) const {
    if (!record.scheduler_names.empty())
        return false;
    const auto seen = seen_records_.find(record.root);
    const bool is_named = seen != seen_records_.end() && !seen->second.record.scheduler_names.empty();
    return facts_.options.profiles.empty() ||
           (is_named && is_of_others(record.root, seen->second.record.scheduler_names));
}

// Not without the lead: an echelon that gets it looks at all records anyway.
void PlanRecords::schedule_orphan_deletion(const model::PlanSeen& seen) {
    const auto& record = seen.record;
    if (!facts_.leads || !is_orphan(record))
        return;
    auto& deletion = deletions_to_retry_[record.ns + "/" + record.name];
    if (deletion.retry_at == never || deletion.uid != seen.uid)
        deletion = {.ns = record.ns, .name = record.name, .uid = seen.uid, .retry_at = facts_.now + orphan_delay};
}

PlanRecords::OfOthers PlanRecords::of_others() const {
    OfOthers found;
    for (const auto& [root, seen] : seen_records_) {
        const auto& names = seen.record.scheduler_names;
        if (names.empty() || !is_of_others(root, names))
            continue;
        ++found.records;
        found.scheduler = names.front();
    }
    return found;
}

const model::PlanRecord* PlanRecords::commit_elsewhere(const model::Pod& pod, const std::string& node) const {
    for (const auto& root : commits_without_gang_) {
        const auto& record = seen_records_.at(root).record;
        const auto is_its = [&](const model::RecordedSeat& seat) { return seat.uid == pod.uid && seat.node != node; };
        if (record.ns == pod.ns && gangs_.find(root) == nullptr && std::ranges::any_of(record.seats, is_its))
            return &record;
    }
    return nullptr;
}

void PlanRecords::start_record_deletion(Deletion record) {
    if (!facts_.leads || facts_.is_draining)
        return;
    const auto id = outbox_.write({WriteTarget::Purpose::delete_record, {}, ""},
                                  model::DeletePlan{record.ns, record.name, record.uid});
    deletions_.emplace(id, std::move(record));
}

void PlanRecords::on_record_deleted(std::uint64_t write, const model::Outcome& outcome) {
    using Kind = model::Outcome::Kind;
    auto deletion = deletions_.extract(write);
    // Conflict: another GangPlan of that name was created, which isn't ours to delete.
    const bool is_over = outcome.kind == Kind::done || outcome.kind == Kind::gone || outcome.kind == Kind::conflict;
    if (is_over || deletion.empty())
        return;
    auto& record = deletion.mapped();
    record.retry_at = facts_.now + deletion_retry * (1U << std::min(record.failures++, retry_doublings));
    const auto object = record.ns + "/" + record.name;
    deletions_to_retry_.try_emplace(object, std::move(record));
}

bool PlanRecords::is_needed(const Deletion& deletion) const {
    const auto owner = owners_.find(deletion.ns + "/" + deletion.name);
    if (owner == owners_.end())
        return false;
    const auto seen = seen_records_.find(owner->second);
    if (seen == seen_records_.end())
        return gangs_.find(owner->second) != nullptr;
    const auto& record = seen->second.record;
    if (!deletion.scheduler_names)
        return !is_orphan(record);
    const bool is_taken_over = record.scheduler_names != *deletion.scheduler_names;
    return facts_.cluster.has_root(record.root) || (is_taken_over && is_of_others(record.root, record.scheduler_names));
}

void PlanRecords::retry_deletions() {
    if (!facts_.leads)
        return;
    std::vector<Deletion> due;
    std::erase_if(deletions_to_retry_, [&](const auto& entry) {
        if (entry.second.retry_at > facts_.now)
            return false;
        due.push_back(entry.second);
        return true;
    });
    const auto is_open = [this](const model::GroupKey& root) {
        const auto seen = seen_records_.find(root);
        return seen != seen_records_.end() && is_open_commit(seen->second.record, facts_.cluster);
    };
    for (auto& record : due) {
        if (is_needed(record))
            continue;
        const auto object = record.ns + "/" + record.name;
        const auto owner = owners_.find(object);
        if (record.scheduler_names || owner == owners_.end() || !is_open(owner->second)) {
            start_record_deletion(std::move(record));
            continue;
        }
        record.retry_at = facts_.now + orphan_delay;
        deletions_to_retry_.try_emplace(object, std::move(record));
    }
}

Time PlanRecords::next_deletion() const {
    Time first = never;
    if (!facts_.leads)
        return first;
    for (const auto& [object, record] : deletions_to_retry_)
        first = std::min(first, record.retry_at);
    return first;
}

}  // namespace echelon::engine

// Deletes GangPlans without a gang, and notes which ones are gone. The gang goes now, or went while no echelon
// watched.

#include "engine/records/plan_records.hpp"
#include "model/gang/gang_facts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace echelon::engine {

namespace {

constexpr Time orphan_delay{10'000};  // Pods and groups may be seen later than the GangPlan of their gang.
constexpr Time deletion_retry{1000};  // After a failed deletion; doubles up to the limit below.
constexpr std::uint32_t retry_doublings = 6;

}  // namespace

void PlanRecords::drop(const GangState& gang) {
    not_adopted_.erase(gang.root());
    rechecks_.forget(gang.root());
    auto name = gang.record().name;
    auto uid = gang.record().uid;
    const auto& root_name = gang.root().name.str();
    const auto ns = root_name.substr(0, root_name.find('/'));
    const auto found = seen_records_.find(gang.root());
    const bool is_seen = found != seen_records_.end();
    if (name.empty() && is_seen) {
        name = found->second.record.name;  // The GangPlan of an earlier run, not adopted yet.
        uid = found->second.uid;
    }
    publisher_.hide(ns + "/" + name);
    if (name.empty() || !facts_.may_act())
        return;
    if (!is_own(gang, is_seen ? &found->second.record : nullptr))
        return;
    owners_.erase(ns + "/" + name);
    start_record_deletion({ns, name, uid, never, 0});
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
        state.written.reset();  // Deleted by others: it is written again.
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

// Not if a group without pods has got some of another scheduler, whose echelon has the GangPlan now.
bool PlanRecords::is_own(const GangState& gang, const model::PlanRecord* seen) const {
    const auto& written = gang.record().written;
    const auto* record = seen == nullptr && written ? &*written : seen;
    const auto names = record != nullptr ? record->scheduler_names : std::vector<base::Text>();
    return (!names.empty() && names == gang.tree().scheduler_names) || !is_of_others(gang.root(), names);
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

// Not without the lead: an echelon that gets it looks at all records anyway.
void PlanRecords::schedule_orphan_deletion(const model::PlanSeen& seen) {
    const auto& record = seen.record;
    if (!facts_.leads || !is_orphan(record))
        return;
    auto& deletion = deletions_to_retry_[record.ns + "/" + record.name];
    if (deletion.retry_at == never || deletion.uid != seen.uid)
        deletion = {record.ns, record.name, seen.uid, facts_.now + orphan_delay, 0};
}

std::map<std::string, std::size_t> PlanRecords::unlisted_schedulers() const {
    std::map<std::string, std::size_t> records;
    for (const auto& [root, seen] : seen_records_) {
        for (const auto& name : seen.record.scheduler_names) {
            if (!facts_.options.profiles.contains(name))
                ++records[name];
        }
    }
    return records;
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
    for (auto& record : due) {
        const auto owner = owners_.find(record.ns + "/" + record.name);
        const auto seen = owner == owners_.end() ? seen_records_.end() : seen_records_.find(owner->second);
        const bool is_needed = seen != seen_records_.end() && !is_orphan(seen->second.record);
        if (!is_needed && (owner == owners_.end() || gangs_.find(owner->second) == nullptr))
            start_record_deletion(std::move(record));
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

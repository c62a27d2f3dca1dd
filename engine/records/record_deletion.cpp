// Deletes GangPlans without a gang, and notes which ones are gone. The gang goes now, or went while no echelon
// watched.

#include "engine/records/plan_records.hpp"

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
    if (const auto found = seen_records_.find(gang.root()); name.empty() && found != seen_records_.end()) {
        name = found->second.record.name;  // The GangPlan of an earlier run, not adopted yet.
        uid = found->second.uid;
    }
    publisher_.hide(ns + "/" + name);
    if (name.empty() || !facts_.may_act())
        return;
    owners_.erase(ns + "/" + name);
    start_record_deletion({ns, name, uid, never, 0});
    seen_records_.erase(gang.root());
}

void PlanRecords::on_gone(const std::string& ns, const std::string& name) {
    const auto object = ns + "/" + name;
    deletions_to_retry_.erase(object);
    const auto owner = owners_.find(object);
    if (owner == owners_.end())
        return;
    seen_records_.erase(owner->second);
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

// Not without the lead: an echelon that gets it looks at all records anyway.
void PlanRecords::schedule_orphan_deletion(const model::PlanSeen& seen) {
    const auto& record = seen.record;
    if (!facts_.leads || facts_.cluster.has_root(record.root))
        return;
    auto& deletion = deletions_to_retry_[record.ns + "/" + record.name];
    if (deletion.retry_at == never || deletion.uid != seen.uid)
        deletion = {record.ns, record.name, seen.uid, facts_.now + orphan_delay, 0};
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
        if (owner == owners_.end() || gangs_.find(owner->second) == nullptr)
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

// Deletes GangPlans without a gang. The gang goes now, or went while no echelon watched.

#include "engine/records/plan_records.hpp"

#include <algorithm>
#include <utility>

namespace echelon::engine {

namespace {

constexpr Time orphan_delay{10'000};  // Pods and groups may be seen later than the GangPlan of their gang.
constexpr Time lead_retry{30'000};    // Another echelon leads; the lead may come back.
constexpr Time deletion_retry{1000};  // After a failed deletion; doubles up to the limit below.
constexpr std::uint32_t retry_doublings = 6;

}  // namespace

void PlanRecords::drop(const GangState& gang) {
    not_adopted_.erase(gang.root());
    auto name = gang.record().name;
    auto uid = gang.record().uid;
    const auto ns = gang.root().name.substr(0, gang.root().name.find('/'));
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

void PlanRecords::schedule_orphan_deletions() {
    for (const auto& [root, found] : seen_records_) {
        const auto& record = found.record;
        const auto is_same = [&](const Deletion& other) {
            return other.ns == record.ns && other.name == record.name && other.uid == found.uid;
        };
        if (!facts_.cluster.has_root(root) && std::ranges::none_of(deletions_to_retry_, is_same))
            deletions_to_retry_.push_back({record.ns, record.name, found.uid, facts_.now + orphan_delay, 0});
    }
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
    deletions_to_retry_.push_back(std::move(record));
}

void PlanRecords::retry_deletions() {
    std::vector<Deletion> due;
    std::erase_if(deletions_to_retry_, [&](const Deletion& record) {
        if (record.retry_at > facts_.now)
            return false;
        due.push_back(record);
        return true;
    });
    for (auto& record : due) {
        if (!facts_.leads) {
            record.retry_at = facts_.now + lead_retry;
            deletions_to_retry_.push_back(std::move(record));
            continue;
        }
        const auto owner = owners_.find(record.ns + "/" + record.name);
        if (owner == owners_.end() || gangs_.find(owner->second) == nullptr)
            start_record_deletion(std::move(record));
    }
}

Time PlanRecords::next_deletion() const {
    Time first = never;
    for (const auto& record : deletions_to_retry_)
        first = std::min(first, record.retry_at);
    return first;
}

}  // namespace echelon::engine

// GangPlans without a gang are deleted: when their gang goes, or when it went while nothing watched.

#include "engine/records/plan_records.hpp"

#include <algorithm>
#include <utility>

namespace echelon::engine {

namespace {

constexpr Time doubt_time{10'000};  // Pods and groups may be seen later than the GangPlan of their gang.
constexpr Time lead_retry{30'000};  // Another echelon leads; the lead may come back.
constexpr Time forget_retry{1000};  // After a failed deletion; doubles up to the limit below.
constexpr std::uint32_t retry_doublings = 6;

}  // namespace

void PlanRecords::drop(const GangState& gang) {
    not_adopted_.erase(gang.root());
    auto name = gang.record().name;
    auto uid = gang.record().uid;
    const auto ns = gang.root().name.substr(0, gang.root().name.find('/'));
    if (const auto found = found_.find(gang.root()); name.empty() && found != found_.end()) {
        name = found->second.record.name;  // Of an earlier run, and not looked at so far.
        uid = found->second.uid;
    }
    published_.hide(ns + "/" + name);
    if (name.empty() || !facts_.may_act())
        return;
    owners_.erase(ns + "/" + name);
    start_record_deletion({ns, name, uid, never, 0});
    found_.erase(gang.root());
}

void PlanRecords::doubt() {
    for (const auto& [root, found] : found_) {
        const auto& record = found.record;
        const auto is_same = [&](const Forgotten& other) {
            return other.ns == record.ns && other.name == record.name && other.uid == found.uid;
        };
        if (!facts_.cluster.has_root(root) && std::ranges::none_of(forgets_to_retry_, is_same))
            forgets_to_retry_.push_back({record.ns, record.name, found.uid, facts_.now + doubt_time, 0});
    }
}

void PlanRecords::start_record_deletion(Forgotten record) {
    if (!facts_.leads || facts_.is_draining)
        return;
    const auto id =
        outbox_.write({WriteTarget::Purpose::forget, {}, ""}, model::DeletePlan{record.ns, record.name, record.uid});
    forgets_.emplace(id, std::move(record));
}

void PlanRecords::on_forgotten(std::uint64_t write, const model::Outcome& outcome) {
    using Kind = model::Outcome::Kind;
    auto forgotten = forgets_.extract(write);
    // A conflict: another GangPlan of that name was created, which isn't ours to delete.
    const bool is_over = outcome.kind == Kind::done || outcome.kind == Kind::gone || outcome.kind == Kind::conflict;
    if (is_over || forgotten.empty())
        return;
    auto& record = forgotten.mapped();
    record.retry_at = facts_.now + forget_retry * (1U << std::min(record.failures++, retry_doublings));
    forgets_to_retry_.push_back(std::move(record));
}

void PlanRecords::retry_forgets() {
    std::vector<Forgotten> due;
    std::erase_if(forgets_to_retry_, [&](const Forgotten& record) {
        if (record.retry_at > facts_.now)
            return false;
        due.push_back(record);
        return true;
    });
    for (auto& record : due) {
        if (!facts_.leads) {
            record.retry_at = facts_.now + lead_retry;
            forgets_to_retry_.push_back(std::move(record));
            continue;
        }
        const auto owner = owners_.find(record.ns + "/" + record.name);
        if (owner == owners_.end() || gangs_.find(owner->second) == nullptr)
            start_record_deletion(std::move(record));
    }
}

Time PlanRecords::next_forget() const {
    Time first = never;
    for (const auto& record : forgets_to_retry_)
        first = std::min(first, record.retry_at);
    return first;
}

}  // namespace echelon::engine

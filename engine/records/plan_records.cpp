#include "engine/records/plan_records.hpp"

#include "base/ascii.hpp"
#include "base/kubernetes_names.hpp"
#include "base/shortened.hpp"
#include "base/split.hpp"
#include "engine/texts.hpp"
#include "model/gang/gang_facts.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr std::size_t name_limit = 230;  // Kubernetes allows 253; room for a suffix.

std::string namespace_of(const model::GroupKey& root) {
    const auto& name = root.name.str();
    return name.substr(0, name.find('/'));
}

std::uint32_t suffix_hash(std::string_view text) {
    std::uint32_t hash = 2166136261U;
    for (char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return hash;
}

std::string as_object_name(std::string name) {
    if (name.size() > name_limit)
        name.resize(name_limit);
    for (char& c : name) {
        c = base::is_alphanumeric(c) ? base::to_lower(c) : '-';
    }
    const auto first = name.find_first_not_of('-');
    return first == std::string::npos ? "gang" : name.substr(first);
}

}  // namespace

PlanRecords::PlanRecords(const Facts& facts, Gangs& gangs, Outbox& outbox, Figures& figures, StatePublisher& publisher,
                         EventReporter& event_reporter, const NodeRoom& room, const DomainReservations& reservations,
                         Seating& seating, Wakeups& wakeups)
    : facts_(facts),
      gangs_(gangs),
      outbox_(outbox),
      figures_(figures),
      publisher_(publisher),
      event_reporter_(event_reporter),
      room_(room),
      reservations_(reservations),
      seating_(seating),
      wakeups_(wakeups) {}

model::Phase PlanRecords::phase(const GangState& gang) {
    switch (gang.lifecycle.stage()) {
        case Stage::pending:
            return model::Phase::pending;
        case Stage::clearing:
            return model::Phase::clearing;
        case Stage::held:
            return model::Phase::held;
        case Stage::recording:
        case Stage::committed:
            return model::Phase::committed;
        case Stage::bound:
            return model::Phase::bound;
        case Stage::degraded:
            return model::Phase::degraded;
    }
    return model::Phase::pending;
}

model::PlanRecord PlanRecords::record_of(const GangState& gang) const {
    model::PlanRecord record;
    record.ns = namespace_of(gang.root());
    record.name = gang.record().name;
    record.root = gang.root();
    if (const auto* root = facts_.cluster.group(gang.root()); root != nullptr && !root->uid.empty()) {
        record.owner_api_version = root->api_version;
        record.owner_kind = root->api_kind;
        record.owner_uid = root->uid;
    }
    record.epoch = gang.record().epoch;
    record.phase = phase(gang);
    if (record.phase == model::Phase::committed)
        record.holder = facts_.options.identity;
    const auto& plan = gang.plan();
    if (plan.refusal) {
        record.reason = model::to_string(plan.refusal->reason);
        record.message = plan.refusal->newest();
        if (const auto* reservation = reservations_.of(gang.root()))
            record.message += "; " + sentence_about(*reservation);
        if (!gang.clearing().sentence.empty() && plan.refusal->reason == model::Reason::no_room)
            record.message += fmt::format("; no pods are evicted for it: {}", gang.clearing().sentence);
    } else {
        record.message = plan.message;
        // Neither placed nor refused, so there is no reason: room may well be free.
        const bool holds_none = gang.roster.seats().empty() && gang.hold().placeholders.empty();
        if (holds_none && record.phase == model::Phase::pending) {
            record.message = gang.hold().holds_released > 0
                                 ? "its pods did not all reach the barrier in time; it will be planned again"
                                 : "it is not planned yet";
        }
    }
    record.message = base::shortened(std::move(record.message), facts_.options.limits.message_bytes);
    append_seats(gang, record);
    append_victims(gang, record);
    record.groups = plan.groups;
    record.observed_generation = gang.tree().generation;
    record.scheduler_names = gang.tree().scheduler_names;
    return record;
}

// All victims while the clearing lasts. Afterwards only victims whose eviction was requested.
void PlanRecords::append_victims(const GangState& gang, model::PlanRecord& record) const {
    for (const auto& victim : gang.clearing().victims)
        record.victims.push_back(victim.facts);
}

void PlanRecords::append_seats(const GangState& gang, model::PlanRecord& record) const {
    const auto& roster = gang.roster;
    const bool is_committing = gang.lifecycle.is_committing();
    record.seats.reserve(roster.members().size());
    for (const auto& row : roster.members()) {
        const auto* seat = row.node.empty() ? roster.seat(row) : nullptr;
        if (!row.node.empty()) {
            record.seats.push_back(
                {row.pod, row.uid, row.node, true, is_committing && roster.ran_before().contains(row.uid)});
        } else if (seat != nullptr) {
            const bool is_posted = seat->binding == SeatState::Binding::posted;
            record.seats.push_back({row.pod, row.uid, seat->node, is_posted});
        } else if (is_committing && roster.is_ended_by_commit(row)) {
            record.seats.push_back({row.pod, row.uid, facts_.cluster.pod(row.uid)->node, true});
        }
    }
}

void PlanRecords::schedule_write(GangState& gang, Time delay) {
    auto& due = gang.record(Key<PlanRecords>()).due;
    due = std::min(due, facts_.now + delay);
    wakeups_.touch(gang.root());
}

void PlanRecords::schedule_commit_record(GangState& gang) {
    auto& state = gang.record(Key<PlanRecords>());
    if (state.epoch == state.completed_epoch)
        ++state.epoch;  // The same seats in another commit (KP4).
    state.is_commit = false;
    state.due = facts_.now;
}

void PlanRecords::begin_epoch(GangState& gang) {
    ++gang.record(Key<PlanRecords>()).epoch;
}

void PlanRecords::note_completed(GangState& gang) {
    auto& state = gang.record(Key<PlanRecords>());
    state.completed_epoch = state.epoch;
}

bool PlanRecords::is_plan_committed(const GangState& gang) {
    return gang.record().epoch == gang.record().committed_epoch;
}

bool PlanRecords::may_write(const GangState& gang) {
    const auto& record = gang.record();
    if (record.write == 0)
        return true;
    const bool is_report = record.written && !record.is_commit && record.written->phase != model::Phase::clearing;
    return is_report && (gang.lifecycle.is_recording() || gang.lifecycle.is_clearing());
}

void PlanRecords::write(GangState& gang) {
    auto& state = gang.record(Key<PlanRecords>());
    state.due = never;
    if (state.name.empty()) {
        state.name = name_of(gang.root());
        owners_[namespace_of(gang.root()) + "/" + state.name] = gang.root();
    }
    gang.lifecycle.members_changed(gang.roster);
    auto record = record_of(gang);
    publisher_.show(record.ns + "/" + record.name,
                    {record, gang.roster.members().size(), gang.roster.counts().calls()});
    if (!facts_.leads || (facts_.is_draining && !gang.lifecycle.is_recording()) || is_left_to_others(record))
        return;
    event_reporter_.report(gang, record);
    if (record.phase == model::Phase::bound)
        event_reporter_.write_score(gang);
    state.is_commit = gang.lifecycle.is_recording();
    if (state.is_commit)
        state.committed_epoch = record.epoch;
    if (state.written != record) {
        rechecks_.forget(gang.root());
    } else if (!state.is_commit && !must_repeat(gang)) {
        return note_committed(gang);
    }
    state.written = record;
    state.was_commit_adopted = false;
    state.write = outbox_.write({WriteTarget::Purpose::record, gang.root(), ""}, model::ApplyPlan{std::move(record)});
    if (state.first_write == 0)
        state.first_write = state.write;
}

const model::PlanRecord* PlanRecords::shown(const GangState& gang) const {
    const auto seen = seen_records_.find(gang.root());
    return seen == seen_records_.end() ? nullptr : &seen->second.record;
}

// For a record that was written already. The watch may still show another one: it lags, or ours was overwritten. It
// shows none at all if ours was deleted before a list could contain it.
bool PlanRecords::must_repeat(GangState& gang) {
    auto& state = gang.record(Key<PlanRecords>());
    const auto* seen = shown(gang);
    if (!state.is_served || (seen != nullptr && state.written == *seen))
        return false;
    const auto due = rechecks_.due(gang.root(), facts_.now);
    if (due <= facts_.now)
        return true;
    state.due = due;
    return false;
}

void PlanRecords::on_seen(const model::PlanSeen& seen) {
    const auto& record = seen.record;
    seen_records_[record.root] = seen;
    if (record.phase == model::Phase::committed && gangs_.find(record.root) == nullptr) {
        commits_without_gang_.insert(record.root);
    } else {
        commits_without_gang_.erase(record.root);
    }
    owners_[record.ns + "/" + record.name] = record.root;
    rechecks_.forget(record.root);
    if (auto* gang = gangs_.find(record.root)) {
        auto& state = gang->record(Key<PlanRecords>());
        if (state.name == record.name && std::exchange(state.uid, seen.uid) != seen.uid)
            state.completed_epoch = -1;  // Another object: another leader may count from the beginning.
    } else if (facts_.unsynced.empty()) {
        schedule_orphan_deletion(seen);  // The GangPlan was written just before its gang went or echelon ended.
    }
}

bool PlanRecords::is_late(const GangState& gang, const model::PlanSeen& seen) const {
    const auto& state = gang.record();
    const auto known = seen_records_.find(seen.record.root);
    const bool is_news = known == seen_records_.end() || known->second.record != seen.record;
    return is_news && seen.record.phase == model::Phase::clearing && state.is_adopted && !state.has_kept &&
           state.written != seen.record;
}

void PlanRecords::rewrite_if_replaced(GangState& gang, const model::PlanRecord& seen) {
    auto& state = gang.record(Key<PlanRecords>());
    const auto& identity = facts_.options.identity;
    const bool is_foreign = !seen.holder.empty() && !identity.empty() && seen.holder != identity;
    // A write of an earlier run may have arrived late. After the delay the watch shows the last record.
    if (state.written && *state.written != seen)
        schedule_write(gang, recheck_delay);
    if (!is_foreign || !facts_.leads || !state.is_adopted || !gang.lifecycle.is_committed())
        return;
    state.written = seen;
    schedule_write(gang, Time{0});
}

void PlanRecords::on_lead(GangState& gang) {
    auto& state = gang.record(Key<PlanRecords>());
    state.has_kept = false;
    state.first_write = 0;
    rechecks_.forget(gang.root());
    if (gang.roster.seats().empty())
        return expect_adoption(gang);
    state.is_adopted = true;
    not_adopted_.erase(gang.root());
}

std::string PlanRecords::name_of(const model::GroupKey& root) const {
    std::string name(base::split_at_slash(root.name).behind);
    const auto owner = owners_.find(namespace_of(root) + "/" + name);
    if (name.size() <= name_limit && base::is_dns_subdomain(name) && (owner == owners_.end() || owner->second == root))
        return name;
    return fmt::format("{}-{:08x}", as_object_name(name), suffix_hash(root.kind + "/" + root.name));
}

}  // namespace echelon::engine

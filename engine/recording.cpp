// The GangPlan object of a gang: what it says, when it is written (only on change, one write at a time), and how the
// one of an earlier run is taken up again.

#include "base/shortened.hpp"
#include "engine/state.hpp"
#include "engine/texts.hpp"
#include "model/gang/gang_facts.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr Time record_retry{500};
constexpr Time doubt{10'000};     // Pods and groups may be seen later than the GangPlan of their gang.
constexpr Time look_again{1000};  // By then the watch shows what was written, or that somebody else wrote.
constexpr std::uint32_t retry_doublings = 6;
constexpr std::int64_t last_epoch = INT64_MAX / 2;  // Whatever a record says, there is a next one.
constexpr std::size_t name_limit = 230;             // Kubernetes allows 253; room for a suffix.

std::uint32_t hash_of(std::string_view text) {
    std::uint32_t hash = 2166136261U;
    for (char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return hash;
}

bool is_object_name(std::string_view name) {
    const auto is_inner = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    };
    const auto is_outer = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    return !name.empty() && name.size() <= name_limit && std::ranges::all_of(name, is_inner) &&
           is_outer(name.front()) && is_outer(name.back());
}

std::string as_object_name(std::string name) {
    if (name.size() > name_limit)
        name.resize(name_limit);
    for (char& c : name) {
        const auto lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        c = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9') ? lower : '-';
    }
    const auto first = name.find_first_not_of('-');
    return first == std::string::npos ? "gang" : name.substr(first);
}

}  // namespace

Stage Engine::State::stage(const GangState& gang) const {
    if (is_bound(gang))
        return Stage::bound;
    if (gang.commit != GangState::Commit::none)
        return gang.commit == GangState::Commit::recording ? Stage::recording : Stage::committed;
    if (gang.was_bound)
        return Stage::degraded;
    return gang.seats.empty() ? Stage::pending : Stage::held;
}

void Engine::State::see_stage(GangState& gang) {
    gang.is_bound_known.reset();
    if (!options.asserts_transitions)
        return;
    const auto before = std::exchange(gang.stage, stage(gang));
    if (before != gang.stage && !may_follow(before, gang.stage)) {
        note(Note::Level::bug, &gang,
             fmt::format("it went from {} to {}, which the table of transitions doesn't have", to_string(before),
                         to_string(gang.stage)));
    }
}

model::Phase Engine::State::phase(const GangState& gang) const {
    switch (stage(gang)) {
        case Stage::pending:
            return model::Phase::pending;
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

model::PlanRecord Engine::State::record_of(const GangState& gang) const {
    model::PlanRecord record;
    record.ns = gang.root.name.substr(0, gang.root.name.find('/'));
    record.name = gang.record_name;
    record.root = gang.root;
    if (const auto* root = cluster.group(gang.root); root != nullptr && !root->uid.empty()) {
        record.owner_api_version = root->api_version;
        record.owner_kind = root->api_kind;
        record.owner_uid = root->uid;
    }
    record.epoch = gang.epoch;
    record.phase = phase(gang);
    if (record.phase == model::Phase::committed)
        record.holder = options.identity;
    if (gang.refusal) {
        record.reason = model::to_string(gang.refusal->reason);
        record.message = gang.refusal->sentence;
        if (const auto* claim = claims.of(gang.root))
            record.message += fmt::format("; room that becomes free in {} is kept for it", shown(claim->site));
    } else {
        record.message = gang.message;
        // Given back after setbacks, or never looked at: neither placed nor refused.
        if (gang.seats.empty() && record.phase == model::Phase::pending) {
            record.reason = model::to_string(model::Reason::no_room);
            record.message = "its hold was given back; it will be planned again";
        }
    }
    record.message = base::shortened(std::move(record.message), options.limits.message_bytes);
    const bool rolls = gang.commit != GangState::Commit::none;
    for (const auto& row : gang.members) {
        const auto seat = gang.seats.find(row.uid);
        if (!row.node.empty()) {
            record.seats.push_back({row.pod, row.uid, row.node, true, rolls && gang.ran_before.contains(row.uid)});
        } else if (seat != gang.seats.end()) {
            const bool is_posted = seat->second.binding == SeatState::Binding::posted;
            record.seats.push_back({row.pod, row.uid, seat->second.node, is_posted});
        } else if (rolls && has_ended_by_commit(gang, row)) {
            record.seats.push_back({row.pod, row.uid, cluster.pod(row.uid)->node, true});
        }
    }
    record.groups = gang.groups;
    record.observed_generation = gang.generation;
    return record;
}

void Engine::State::adopt(GangState& gang) {
    if (std::exchange(gang.is_adopted, true))
        return;
    auto found = found_records.find(gang.root);
    if (found == found_records.end())
        return;
    const auto& record = found->second.record;
    gang.record_name = record.name;
    gang.record_uid = found->second.uid;
    gang.written = record;
    gang.epoch = std::min(record.epoch, last_epoch);
    gang.told = GangState::Told{record.phase, record.reason};  // By whoever wrote it.
    // A record of pods that are all gone is of an earlier attempt: nothing of it holds any more.
    // Who else can write GangPlans may name pods of others: only members count.
    const auto is_member = [&](const model::RecordedSeat& seat) {
        const auto* pod = cluster.pod(seat.uid);
        return pod != nullptr && cluster.root_of(*pod) == gang.root;
    };
    const bool is_of_now = std::ranges::any_of(record.seats, is_member);
    if (!is_of_now)
        return;
    gang.was_bound = record.phase == model::Phase::bound || record.phase == model::Phase::degraded;
    if (record.phase != model::Phase::committed)
        return;
    gang.commit = GangState::Commit::committed;
    gang.was_commit_adopted = true;
    gang.committed_epoch = gang.epoch;
    gang.timeout = model::timeout_of(cluster.facts(gang.root));
    adopt_ran_before(gang, record);
    for (const auto& seat : record.seats) {
        const auto* pod = cluster.pod(seat.uid);
        const bool waits = is_member(seat) && pod->node.empty() && !pod->deleting && !pod->is_finished();
        if (!waits || !has_room(seat.node, pod->shape.requests))
            continue;
        SeatState adopted;
        adopted.pod = {pod->ns, pod->name, pod->uid};
        adopted.node = seat.node;
        adopted.was_refused_by_filter = true;
        gang.seats.emplace(seat.uid, std::move(adopted));
        ledger.put(seat.uid, {seat.node, pod->shape.requests, gang.root});
    }
    gang.expires_at = now + hold_lifetime(gang);
    see_stage(gang);
    note(Note::Level::info, &gang,
         fmt::format("found its commit record, rolling forward: {} of {} seats to bind", gang.seats.size(),
                     record.seats.size()));
}

// Who has ended isn't in the record, unless it was planned by it.
void Engine::State::adopt_ran_before(GangState& gang, const model::PlanRecord& record) const {
    gang.ran_before.clear();
    std::set<std::string_view> recorded;
    for (const auto& seat : record.seats) {
        recorded.insert(seat.uid);
        if (seat.ran_before)
            gang.ran_before.insert(seat.uid);
    }
    for (const auto& uid : cluster.members_of(gang.root)) {
        if (!recorded.contains(uid) && cluster.pod(uid)->is_finished())
            gang.ran_before.insert(uid);
    }
}

std::string Engine::State::record_name_of(const model::GroupKey& root) const {
    std::string name = root.name.substr(root.name.find('/') + 1);
    const std::string ns = root.name.substr(0, root.name.find('/'));
    const auto owner = record_owner.find(ns + "/" + name);
    if (is_object_name(name) && (owner == record_owner.end() || owner->second == root))
        return name;
    return fmt::format("{}-{:08x}", as_object_name(name), hash_of(root.kind + "/" + root.name));
}

void Engine::State::schedule_record(GangState& gang, Time delay) {
    gang.record_at = std::min(gang.record_at, now + delay);
    touched.insert(gang.root);
}

void Engine::State::write_record(GangState& gang) {
    gang.record_at = never;
    if (gang.record_name.empty()) {
        gang.record_name = record_name_of(gang.root);
        record_owner[gang.root.name.substr(0, gang.root.name.find('/')) + "/" + gang.record_name] = gang.root;
    }
    auto record = record_of(gang);
    const auto waiting = std::ranges::count_if(gang.seats, [](const auto& entry) { return entry.second.call != 0; });
    published.show(record.ns + "/" + record.name, {record, gang.members.size(), static_cast<std::size_t>(waiting)});
    if (!leads || (is_draining && gang.commit != GangState::Commit::recording))
        return;
    tell(gang, record);
    if (record.phase == model::Phase::bound)
        write_score(gang);
    gang.record_is_commit = gang.commit == GangState::Commit::recording;
    if (gang.record_is_commit)
        gang.committed_epoch = record.epoch;
    const auto seen = found_records.find(gang.root);
    const bool is_there = gang.written == record && (seen == found_records.end() || seen->second.record == record);
    if (!gang.record_is_commit && is_there)
        return on_commit_record_written(gang);
    gang.written = record;
    gang.was_commit_adopted = false;
    gang.record_write = write({WriteTarget::Purpose::record, gang.root, ""}, model::ApplyPlan{std::move(record)});
}

// The record has the seats that members were given in the middle of the commit.
void Engine::State::on_commit_record_written(GangState& gang) {
    const bool has_all = gang.commit == GangState::Commit::committed && gang.written &&
                         gang.written->phase == model::Phase::committed && gang.written->epoch == gang.epoch;
    if (!has_all || std::exchange(gang.committed_epoch, gang.epoch) == gang.epoch)
        return;
    gang.barrier_stale = true;
    touched.insert(gang.root);
}

void Engine::State::on_record_written(GangState& gang, const model::Outcome& outcome) {
    using Kind = model::Outcome::Kind;
    gang.record_write = 0;
    const bool is_commit = std::exchange(gang.record_is_commit, false) && gang.commit == GangState::Commit::recording;
    // Where GangPlans aren't served, the annotation of each Binding is all the record there is.
    const bool is_recorded = outcome.kind == Kind::done || outcome.kind == Kind::gone;
    if (is_recorded) {
        gang.record_failures = 0;
        if (!outcome.uid.empty())
            gang.record_uid = outcome.uid;
        figures.add(&Stats::records_written);
        if (gang.commit == GangState::Commit::recording && !is_commit)
            gang.record_at = now;
        if (const auto seen = found_records.find(gang.root);
            seen != found_records.end() && gang.written != seen->second.record)
            schedule_record(gang, look_again);
        if (!is_commit)
            return on_commit_record_written(gang);
        gang.commit = GangState::Commit::committed;
        see_stage(gang);
        gang.barrier_stale = true;  // Posted when all that came together was heard: a caller may just have left (I6).
        return;
    }
    gang.written.reset();
    const Time delay = record_retry * (1U << std::min(gang.record_failures++, retry_doublings));
    schedule_record(gang, delay);
    if (outcome.kind != Kind::rejected)
        return;
    note(Note::Level::warning, &gang, fmt::format("its GangPlan can't be written: {}", outcome.sentence));
    if (!is_commit)
        return;
    // No record, no binding: a restart in the middle would break the gang.
    gang.commit = GangState::Commit::none;
    see_stage(gang);
    for (auto& [uid, seat] : gang.seats) {
        seat.binding = SeatState::Binding::idle;
        seat.deadline = never;
        end_wait(seat, WaitResult::aborted);
        if (seat.call == 0)
            continue;
        answer(std::exchange(seat.call, 0), BindResult::error,
               texts::about(gang.root.name, "its commit record can't be written: " + outcome.sentence));
    }
}

void Engine::State::delete_record(const std::string& ns, const std::string& name, const std::string& uid) {
    record_owner.erase(ns + "/" + name);
    start_record_deletion({ns, name, uid, never, 0});
}

// GangPlans without a gang: it went while nobody watched, or its objects are still on their way.
void Engine::State::invalidate_records() {
    for (const auto& [root, found] : found_records) {
        const auto& record = found.record;
        const auto is_same = [&](const RecordDeletion& other) {
            return other.ns == record.ns && other.name == record.name && other.uid == found.uid;
        };
        if (!cluster.has_root(root) && std::ranges::none_of(forgets_to_retry, is_same))
            forgets_to_retry.push_back({record.ns, record.name, found.uid, now + doubt, 0});
    }
}

void Engine::State::start_record_deletion(RecordDeletion record) {
    if (!leads || is_draining)
        return;
    const auto id =
        write({WriteTarget::Purpose::forget, {}, ""}, model::DeletePlan{record.ns, record.name, record.uid});
    record_deletions.emplace(id, std::move(record));
}

}  // namespace echelon::engine

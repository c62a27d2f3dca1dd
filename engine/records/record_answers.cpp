// What follows from the answer of the API server to the write of a GangPlan?

#include "engine/records/plan_records.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr Time record_retry{500};
constexpr std::uint32_t retry_doublings = 6;
constexpr Time served_delay{5000};  // By then every API server knows the kind.
constexpr Time served_gap{2};       // Between the writes of two gangs.

}  // namespace

// The record now contains the seats that members got during the commit.
void PlanRecords::note_committed(GangState& gang) {
    auto& state = gang.record(Key<PlanRecords>());
    const bool has_all = gang.lifecycle.is_committed() && state.written &&
                         state.written->phase == model::Phase::committed && state.written->epoch == state.epoch;
    if (!has_all || std::exchange(state.committed_epoch, state.epoch) == state.epoch)
        return;
    gang.is_barrier_stale = true;
    wakeups_.touch(gang.root());
}

void PlanRecords::on_written(GangState& gang, std::uint64_t write, const model::Outcome& outcome) {
    using Kind = model::Outcome::Kind;
    auto& state = gang.record(Key<PlanRecords>());
    if (state.write != write) {
        // It was overtaken. Or it is of an earlier gang of that name, and then no record of this one (I1).
        const bool is_own = state.first_write != 0 && write >= state.first_write;
        state.has_kept = state.has_kept || (is_own && outcome.kind == Kind::done);
        return;
    }
    state.write = 0;
    const bool was_commit = std::exchange(state.is_commit, false) && gang.lifecycle.is_recording();
    // Where GangPlans aren't served, the annotation of each Binding is the only record.
    if (outcome.kind != Kind::done && outcome.kind != Kind::gone)
        return on_refused(gang, was_commit, outcome);
    state.failures = 0;
    state.has_kept = true;
    state.is_served = outcome.kind == Kind::done;
    if (state.is_served && state.written)
        state.kept_epoch = state.written->epoch;
    if (!outcome.uid.empty())
        state.uid = outcome.uid;
    figures_.add(&Stats::records_written);
    if (gang.lifecycle.is_recording() && !was_commit)
        state.due = facts_.now;
    if (const auto* seen = shown(gang); state.is_served && (seen == nullptr || state.written != *seen))
        schedule_write(gang, rechecks_.note_written(gang.root(), facts_.now));
    if (!was_commit)
        return note_committed(gang);
    gang.lifecycle.record_written(gang.roster);
    // Bindings are posted after all inputs of this step: a caller may just have left (I6).
    gang.is_barrier_stale = true;
}

void PlanRecords::on_served() {
    Time delay = served_delay;
    for (auto& [root, gang] : gangs_.all()) {
        if (std::exchange(gang.record(Key<PlanRecords>()).is_served, true))
            continue;
        schedule_write(gang, delay);
        delay += served_gap;
    }
}

void PlanRecords::on_refused(GangState& gang, bool was_commit, const model::Outcome& outcome) {
    auto& state = gang.record(Key<PlanRecords>());
    if (outcome.is_too_large && state.written)
        state.too_many_seats = state.written->seats.size();
    state.written.reset();
    schedule_write(gang, record_retry * (1U << std::min(state.failures++, retry_doublings)));
    if (outcome.kind != model::Outcome::Kind::rejected)
        return;
    outbox_.note(Note::Level::warning, gang.root(), fmt::format("its GangPlan can't be written: {}", outcome.sentence));
    if (!was_commit)
        return;
    // No record, no binding: a restart in the middle would break the gang.
    gang.lifecycle.commit_given_up(gang.roster);
    seating_.fail_all_calls(gang, {.why = "its commit record can't be written: " + outcome.sentence});
}

}  // namespace echelon::engine

#pragma once

// Would the oracle notice? An engine with one deliberate bug, for each invariant that the oracle watches. The bug wraps
// a sound engine: it alters inputs or actions. Not thread-safe.

#include "engine/engine.hpp"
#include "unit-tests/simulator/clock.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::simulator {

enum class Sabotage : std::uint8_t {
    none,
    binds_before_quorum,        // I1: the first member to arrive is bound.
    forgets_late_members,       // I1: a start set counts as the whole group.
    counts_earlier_attempts,    // I1: members of earlier attempts count.
    counts_who_runs,            // I1: running members count, even with `only_waiting`.
    skips_the_commit_record,    // I1: the commit record isn't written, but counts as written.
    overlooks_pods_of_others,   // I2: pods of no gang don't take room.
    overlooks_devices,          // I2: claims seem to have no devices.
    binds_to_another_node,      // I3: a binding names another node than the seat.
    binds_by_name,              // I3: bindings lack the UID.
    offers_the_planned_node,    // I3: filter names the planned node although it wasn't offered.
    posts_again_unread,         // I4: an unknown outcome is taken for "not done" without reading the pod.
    overlooks_required_levels,  // I5: groups lose their required level.
    overlooks_co_location,      // I5: pods lose their anchors.
    overlooks_anti_affinity,    // D14: pods lose their terms.
    ignores_hang_ups,           // I6: a caller that is gone still counts.
    keeps_dead_holds,           // I7: deletions of pods are missed.
    keeps_claims,               // I7: domain reservations never expire.
    forgets_its_records,        // I8: a restart doesn't read GangPlans.
    ignores_a_lost_lead,        // I9: acts although another echelon leads.
    misses_events,              // I10: one pod event in eight is missed.
    never_opens_gates,          // I11: gates count as removed, but aren't.
    never_kicks,                // I11: a parked member isn't woken.
    retries_hot,                // I12: every write to a pod is sent forty times.
    wakes_without_end,          // I12: always asks for the next tick at once.
    holds_up_plain_pods,        // I13: filter refuses pods of no gang.
    decides_by_chance,          // I14: a plan depends on more than its inputs.
    evicts_unrecorded,          // P2: the record with the victims isn't written, but counts as written.
    turns_priorities_round,     // U3: priorities are reversed.
    keeps_clearings,            // P5: victims seem to stay, and the time-out of a clearing is far too long.
};
inline constexpr std::size_t sabotage_count = 30;

[[nodiscard]] std::string_view name_of(Sabotage sabotage);
[[nodiscard]] std::string_view invariant_of(Sabotage sabotage);

// The engine under test with its bug. Same interface as `engine::Engine`.
class SabotagedEngine {
public:
    SabotagedEngine(engine::Options options, Sabotage sabotage);

    [[nodiscard]] std::vector<engine::Action> step(std::span<const engine::Input> inputs, Time now);
    [[nodiscard]] std::optional<Time> wakes_at() const;
    [[nodiscard]] std::shared_ptr<const engine::PublishedState> published() { return engine_.published(); }
    [[nodiscard]] bool is_idle() const { return engine_.is_idle(); }
    [[nodiscard]] Sabotage sabotage() const { return sabotage_; }

private:
    // False: the engine doesn't get this input.
    [[nodiscard]] bool hears(engine::Input& input);
    // Passes on, alters or drops one action; may give the engine an input.
    void pass_on(engine::Action action, std::vector<engine::Action>& out, Time now);
    [[nodiscard]] bool is_taken_for_done(const model::Write& what) const;
    void alter(model::BindPod& bind) const;

    engine::Engine engine_;
    Sabotage sabotage_;
    std::uint64_t heard_ = 0;
    std::set<std::string> nodes_;
    std::set<std::string> evicted_;  // UIDs.
    std::uint64_t last_forged_ = std::uint64_t{1} << 60U;
    Time now_{0};
};

}  // namespace echelon::simulator

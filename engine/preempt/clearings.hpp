#pragma once

// Which pods are evicted for which gangs, and how does each clearing end? (P1 to P6)
//
// A clearing begins with seats on room that victims still use. No pod is evicted before the API server has kept the
// GangPlan with the victims. The clearing ends when the gang has room for its plan, or gives up; victims that were not
// evicted are spared. Not thread-safe.

#include "base/text.hpp"
#include "engine/facts.hpp"
#include "engine/gang/gangs.hpp"
#include "engine/publish/figures.hpp"
#include "engine/publish/outbox.hpp"
#include "engine/queue/plan_queue.hpp"
#include "engine/records/event_reporter.hpp"
#include "engine/records/plan_records.hpp"
#include "engine/reserve/ledger.hpp"
#include "engine/reserve/taken_room.hpp"
#include "engine/seats/seating.hpp"
#include "model/facts/write.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace echelon::engine {

struct ClearingsParts {
    const Facts& facts;
    const Gangs& gangs;
    Outbox& outbox;
    Figures& figures;
    Ledger& ledger;
    PlanQueue& queue;
    Seating& seating;
    PlanRecords& records;
    EventReporter& event_reporter;
};

class Clearings {
public:
    explicit Clearings(const ClearingsParts& parts) : p_(parts) {}

    // --- Which gangs may have pods evicted? The schedulerName of the gang's members.
    [[nodiscard]] std::string profile_of(const GangState& gang) const;
    [[nodiscard]] bool may_preempt(const GangState& gang) const;
    // Why no clearing of the gang's profile may begin now; empty: one may (P4, P6). `has_domain`: the gang requires a
    // level, so that other domains may be cleared at the same time.
    [[nodiscard]] std::string why_blocked(const GangState& gang, bool has_domain) const;
    // Ongoing clearings of the gang's profile, and their domains.
    struct Ongoing {
        std::vector<DomainId> domains;
        std::string sentence;  // Names one of the gangs.
    };
    [[nodiscard]] Ongoing ongoing(const GangState& gang) const;
    // True if the pod is to be evicted, or was evicted, for some gang.
    [[nodiscard]] bool is_victim(const std::string& full_name) const { return owners_.contains(full_name); }
    // Chooses no victims before `next_choice`, and plans the gang again at `replan_at`. `why`: why there are no
    // victims.
    void put_off_choice(GangState& gang, Time next_choice, Time replan_at, std::string why);
    // All evictable pods are too few. The gang is planned again once others have come to be evictable.
    void await_evictable(GangState& gang, Time next_choice, std::string why);
    // Pods may be evicted now that could not be before (U1, U3).
    void note_evictable() { ++evictable_changes_; }
    // Notes whether the gang waits for terminating pods. Returns since when it waits; never: it does not.
    Time track_wait_for_ending_pods(GangState& gang, bool waits);
    // True once, when the gang has to be planned because victims may be found now.
    [[nodiscard]] bool take_replan(GangState& gang);

    // --- The course of a clearing.
    // Requires: the seats are given, and no pod was evicted for the gang yet. `domain`: see ClearingState.
    void begin(GangState& gang, std::vector<ClearingVictim> victims, std::optional<DomainId> domain = {});
    // Continues a clearing from the record of an earlier run or leader. Never adds victims (P4).
    void adopt(GangState& gang);
    // The gang has room for its plan.
    void complete(GangState& gang);
    // Releases the seats. `why`: a clause, without a full stop.
    void give_up(GangState& gang, ClearingResult result, const std::string& why);
    // The record of an earlier clearing has come late, so this one is dropped. No pod was evicted for it.
    void drop_for_late_record(GangState& gang);
    // This echelon no longer leads: the record stays for the next leader.
    void stop(GangState& gang);
    void forget(GangState& gang);
    // The gang holds seats for late members now that it did not hold before: they are promised, too.
    void note_seats(GangState& gang);
    // All seats that were promised are held, and the root object is unchanged.
    [[nodiscard]] static bool is_unchanged(const GangState& gang);

    // --- Events.
    // At the end of a step: evicts the next victims, or gives up.
    void check(GangState& gang);
    [[nodiscard]] Time next_wake(const GangState& gang) const;
    void on_written(GangState& gang, const base::Text& uid, const model::Outcome& outcome);
    // The answer to the eviction of a pod, also if the gang has gone by now. Comes before `on_written`.
    void on_answer(const base::Text& uid, const model::Outcome& outcome);
    // The gang for which the pod of this name is evicted; null: none.
    [[nodiscard]] const model::GroupKey* owner_of(const std::string& full_name) const;
    void on_victim_changed(GangState& gang);

    // --- Room.
    // Gives room that victims still use back to a snapshot, for as long as the result lives.
    [[nodiscard]] TakenRoom open(model::Snapshot& snapshot, const GangState& gang) const;
    // The gang as it is once its victims are gone; nullopt: only room differs (D14).
    [[nodiscard]] std::optional<model::Gang> without_victims(const model::Snapshot& snapshot, const GangState& gang,
                                                             const model::Gang& built) const;

private:
    [[nodiscard]] bool is_there(const ClearingVictim& victim) const;
    [[nodiscard]] bool is_recorded(const GangState& gang) const;
    // The pod is as it was chosen: on its node, of lower priority, and not protected. Nor does its gang lose more with
    // the victims than these.
    [[nodiscard]] bool may_evict(const GangState& gang, const ClearingVictim& victim) const;
    // No pod of the victim's gang was evicted yet.
    [[nodiscard]] static bool is_first_of_gang(const GangState& gang, const ClearingVictim& victim);
    // With its victims the running gang loses no other pod, and none of them is protected (U1, U3).
    [[nodiscard]] bool loses_victims_only(const GangState& gang, const model::GroupKey& running) const;
    [[nodiscard]] std::vector<ClearingVictim> victims_of(const GangState& gang, const model::PlanRecord& record) const;
    void set_victims(GangState& gang, std::vector<ClearingVictim> victims);
    // Spares victims whose eviction was not requested. The list keeps evicted victims that are still there.
    void spare_waiting_victims(GangState& gang);
    void end(GangState& gang, ClearingResult result);
    // No further victims for a while, for longer each time until the gang is bound (P5).
    void back_off(GangState& gang);
    void evict_next(GangState& gang);
    // False: the victim may no longer be evicted, and the clearing was given up.
    bool evict(GangState& gang, ClearingVictim& victim);
    void on_refused(GangState& gang, ClearingVictim& victim, const model::Outcome& outcome);
    void update_leaving_room(const GangState& gang);

    ClearingsParts p_;
    std::uint64_t evictable_changes_ = 0;
    std::map<std::string, model::GroupKey> owners_;                 // "namespace/name" of victims.
    std::map<std::string, std::set<std::string>> left_by_profile_;  // UIDs of evicted pods whose gang is gone.
};

// "12 pods have to go first: default/low-1 (8), default/low-2 (4)".
[[nodiscard]] std::string summary_of(const std::vector<ClearingVictim>& victims);

}  // namespace echelon::engine

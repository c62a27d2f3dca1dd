#pragma once

// Which pods are evicted for which gangs, and how does each clearing end? (P1 to P6)
//
// A clearing begins with seats on room that victims still use. Nobody is evicted before the GangPlan with the victims
// is kept by the API server. It ends when the gang has room for its plan, or gives up; what was not evicted is spared.
// Not thread-safe.

#include "engine/facts.hpp"
#include "engine/gang/gangs.hpp"
#include "engine/publish/figures.hpp"
#include "engine/publish/outbox.hpp"
#include "engine/queue/plan_queue.hpp"
#include "engine/records/plan_records.hpp"
#include "engine/records/teller.hpp"
#include "engine/reserve/ledger.hpp"
#include "engine/reserve/taken_room.hpp"
#include "engine/seats/seating.hpp"
#include "model/facts/write.hpp"

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
    Teller& teller;
};

class Clearings {
public:
    explicit Clearings(const ClearingsParts& parts) : p_(parts) {}

    // --- Who may have pods evicted?
    // The schedulerName of its members.
    [[nodiscard]] std::string profile_of(const GangState& gang) const;
    [[nodiscard]] bool may_preempt(const GangState& gang) const;
    // Why no clearing of this profile may begin now; empty: one may (P4, P6). `has_domain`: the gang requires a level,
    // so that it may be cleared for in a domain beside others.
    [[nodiscard]] std::string hindrance(const GangState& gang, bool has_domain) const;
    // Clearings of the profile that go on, and where.
    struct Beside {
        std::vector<DomainId> domains;
        std::string sentence;  // That names one of the gangs.
    };
    [[nodiscard]] Beside beside(const GangState& gang) const;
    // It has to go for some gang, or was evicted for one.
    [[nodiscard]] bool is_victim(const std::string& full_name) const { return owners_.contains(full_name); }
    // Victims are not chosen before then, and are chosen anew at `look_again`. `why`: why there are none.
    void put_off_choice(GangState& gang, Time next_choice, Time look_again, std::string why);
    // Since when the gang waits for pods that end by themselves; `waits` false: it does not.
    Time waits_for_ending_pods(GangState& gang, bool waits);
    // True once, when the gang is to be planned since victims may be there now.
    [[nodiscard]] bool take_look_again(GangState& gang);

    // --- The course of one.
    // Requires: the seats are given, and nobody is evicted for the gang. `domain`: see ClearingState.
    void begin(GangState& gang, std::vector<ClearingVictim> victims, std::optional<DomainId> domain = {});
    // Takes up what the record of an earlier run or leader says of victims. Never enlarges it (P4).
    void adopt(GangState& gang);
    // The gang has room for its plan.
    void complete(GangState& gang);
    // Its seats are given back. `why`: no period.
    void give_up(GangState& gang, ClearingResult result, const std::string& why);
    // Nobody was evicted for it, since its record was not kept: another one counts.
    void set_aside(GangState& gang);
    // This echelon no longer leads: the record stays for the next leader.
    void stop(GangState& gang);
    void forget(GangState& gang);
    // All seats that were promised are held, and the object of the gang is as it was.
    [[nodiscard]] static bool is_as_begun(const GangState& gang);

    // --- What comes.
    // At the end of a step: evicts the next, or gives up.
    void check(GangState& gang);
    [[nodiscard]] Time next_wake(const GangState& gang) const;
    void on_written(GangState& gang, const std::string& uid, const model::Outcome& outcome);
    // The gang for which a pod of this name goes; null: none.
    [[nodiscard]] const model::GroupKey* owner_of(const std::string& full_name) const;
    void on_victim_changed(GangState& gang);

    // --- Room.
    // What its victims still use, given back in a snapshot.
    [[nodiscard]] TakenRoom open(model::Snapshot& snapshot, const GangState& gang) const;

private:
    [[nodiscard]] bool is_there(const ClearingVictim& victim) const;
    [[nodiscard]] bool is_recorded(const GangState& gang) const;
    // It is there as it was chosen: of lower priority, and not protected.
    [[nodiscard]] bool may_go(const GangState& gang, const ClearingVictim& victim) const;
    void restore_seats(GangState& gang, const model::PlanRecord& record);
    [[nodiscard]] std::vector<ClearingVictim> victims_of(const GangState& gang, const model::PlanRecord& record) const;
    void set_victims(GangState& gang, std::vector<ClearingVictim> victims);
    // Those that were not evicted stay, and those that are gone are forgotten.
    void spare(GangState& gang);
    void end(GangState& gang, ClearingResult result);
    void evict_next(GangState& gang);
    // False: it may not go any more.
    bool evict(GangState& gang, ClearingVictim& victim);
    void on_refused(GangState& gang, ClearingVictim& victim, const model::Outcome& outcome);
    void promise_room(const GangState& gang);

    ClearingsParts p_;
    std::map<std::string, model::GroupKey> owners_;                 // "namespace/name" of victims.
    std::map<std::string, std::set<std::string>> left_by_profile_;  // UIDs of victims of gangs that are gone.
};

// "12 pods have to go first: default/low-1 (8), default/low-2 (4)".
[[nodiscard]] std::string summary_of(const std::vector<ClearingVictim>& victims);

}  // namespace echelon::engine

#pragma once

// What does the GangPlan object of a gang say, when is it written, and how is the one of an earlier run taken up again?
//
// Written only on change, one write at a time. Not thread-safe.

#include "engine/facts.hpp"
#include "engine/gang/gangs.hpp"
#include "engine/publish/figures.hpp"
#include "engine/publish/outbox.hpp"
#include "engine/publish/published_state.hpp"
#include "engine/records/teller.hpp"
#include "engine/reserve/domain_reservations.hpp"
#include "engine/reserve/node_room.hpp"
#include "engine/seats/seating.hpp"
#include "engine/wakeups.hpp"
#include "model/facts/event.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace echelon::engine {

class PlanRecords {
public:
    PlanRecords(const Facts& facts, Gangs& gangs, Outbox& outbox, Figures& figures, PublishedState& published,
                Teller& teller, const NodeRoom& room, const DomainReservations& reservations, Seating& seating,
                Wakeups& wakeups);

    // --- What it says.
    [[nodiscard]] static model::Phase phase(const GangState& gang);
    [[nodiscard]] model::PlanRecord record_of(const GangState& gang) const;

    // --- When it is written.
    void want(GangState& gang, Time delay);
    // The commit record; one that is still being written is of another commit.
    void want_commit(GangState& gang);
    // Requires: none is being written.
    void write(GangState& gang);
    void on_written(GangState& gang, std::uint64_t write, const model::Outcome& outcome);
    // The plan is another one: its seats are in no record yet.
    void begin_epoch(GangState& gang);
    // The commit record has the plan as it is now.
    [[nodiscard]] static bool is_plan_committed(const GangState& gang);

    // --- What the watch shows.
    void on_seen(const model::PlanSeen& seen);
    // It is the record of a clearing that was begun before us, and the gang was planned before it was seen (P4). Asked
    // before `on_seen`.
    [[nodiscard]] bool is_late(const GangState& gang, const model::PlanSeen& seen) const;
    // It will be adopted with the next planning: it is new, or its record came late.
    void expect(GangState& gang);
    // Gangs whose records were not looked at.
    [[nodiscard]] const std::set<model::GroupKey>& not_adopted() const { return not_adopted_; }
    void on_gone(const std::string& ns, const std::string& name);
    // A later record of another leader must not replace ours.
    void defend(GangState& gang, const model::PlanRecord& seen);
    // Takes up the record of an earlier run, once. True when it was done now.
    bool adopt(GangState& gang);
    // Another leader may have written its record meanwhile, unless it still has seats.
    void lead(GangState& gang);

    // --- When it is deleted.
    // The gang is gone.
    void drop(const GangState& gang);
    // GangPlans without a gang: it went while nobody watched, or its objects are still on their way.
    void doubt();
    void retry_forgets();
    void on_forgotten(std::uint64_t write, const model::Outcome& outcome);
    [[nodiscard]] Time next_forget() const;

private:
    // A GangPlan that is to be deleted.
    struct Forgotten {
        std::string ns;
        std::string name;
        std::string uid;
        Time retry_at = never;
        std::uint32_t failures = 0;
    };
    [[nodiscard]] std::string name_of(const model::GroupKey& root) const;
    void append_victims(const GangState& gang, model::PlanRecord& record) const;
    void append_seats(const GangState& gang, model::PlanRecord& record) const;
    [[nodiscard]] bool is_member(const GangState& gang, const std::string& uid) const;
    void adopt_commit(GangState& gang, const model::PlanRecord& record);
    void note_committed(GangState& gang);
    void on_refused(GangState& gang, bool was_commit, const model::Outcome& outcome);
    void start_record_deletion(Forgotten record);

    const Facts& facts_;
    Gangs& gangs_;
    Outbox& outbox_;
    Figures& figures_;
    PublishedState& published_;
    Teller& teller_;
    const NodeRoom& room_;
    const DomainReservations& reservations_;
    Seating& seating_;
    Wakeups& wakeups_;
    std::map<model::GroupKey, model::PlanSeen> found_;  // GangPlans as the watch shows them.
    std::map<std::string, model::GroupKey> owners_;     // "namespace/name" of a GangPlan -> its gang.
    std::set<model::GroupKey> not_adopted_;
    std::map<std::uint64_t, Forgotten> forgets_;  // Deletions under way, by write.
    std::vector<Forgotten> forgets_to_retry_;
};

}  // namespace echelon::engine

#pragma once

// What does the GangPlan object of a gang say, when is it written, and how is the record of an earlier run adopted?
//
// Written only on change, one write at a time. Not thread-safe.

#include "base/text.hpp"
#include "engine/facts.hpp"
#include "engine/gang/gangs.hpp"
#include "engine/publish/figures.hpp"
#include "engine/publish/outbox.hpp"
#include "engine/publish/state_publisher.hpp"
#include "engine/records/event_reporter.hpp"
#include "engine/records/record_rechecks.hpp"
#include "engine/reserve/domain_reservations.hpp"
#include "engine/reserve/node_room.hpp"
#include "engine/seats/seating.hpp"
#include "engine/wakeups.hpp"
#include "model/facts/event.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace echelon::engine {

class PlanRecords {
public:
    PlanRecords(const Facts& facts, Gangs& gangs, Outbox& outbox, Figures& figures, StatePublisher& publisher,
                EventReporter& event_reporter, const NodeRoom& room, const DomainReservations& reservations,
                Seating& seating, Wakeups& wakeups);

    // --- What it says.
    [[nodiscard]] static model::Phase phase(const GangState& gang);
    [[nodiscard]] model::PlanRecord record_of(const GangState& gang) const;

    // --- When it is written.
    void schedule_write(GangState& gang, Time delay);
    // Schedules the commit record. A record that is in flight already is not the commit record.
    void schedule_commit_record(GangState& gang);
    // False: a write is in flight that goes first. A commit and a clearing wait for no report: of two records the
    // writer sends the later one last, or alone.
    [[nodiscard]] static bool may_write(const GangState& gang);
    // Requires: `may_write`.
    void write(GangState& gang);
    void on_written(GangState& gang, std::uint64_t write, const model::Outcome& outcome);
    // The plan has changed: its seats are in no record yet.
    void begin_epoch(GangState& gang);
    // The commit is over, although its record may still say otherwise.
    static void note_completed(GangState& gang);
    // The commit record contains the plan as it is now.
    [[nodiscard]] static bool is_plan_committed(const GangState& gang);

    // --- What the watch shows.
    void on_seen(const model::PlanSeen& seen);
    // As the watch shows it now. Null: it shows none. Valid until the next change.
    [[nodiscard]] const model::PlanRecord* shown(const GangState& gang) const;
    // True if the record shows a clearing that began before this process, and comes only after the gang was planned
    // (P4). Call before `on_seen`.
    [[nodiscard]] bool is_late(const GangState& gang, const model::PlanSeen& seen) const;
    // The next planning adopts the record: the gang is new, or its record came late.
    void expect_adoption(GangState& gang);
    // Gangs whose records were not adopted yet.
    [[nodiscard]] const std::set<model::GroupKey>& not_adopted() const { return not_adopted_; }
    // True for a member that is neither bound nor on its way out.
    [[nodiscard]] bool is_waiting(const GangState& gang, const base::Text& uid) const;
    void on_gone(const std::string& ns, const std::string& name);
    // GangPlans are served again: those that the API server didn't take are written, one after another.
    void on_served();
    // Writes our record again if the record of another leader has replaced it during a commit.
    void rewrite_if_replaced(GangState& gang, const model::PlanRecord& seen);
    // Adopts the record of an earlier run, once. True if that happened now.
    bool adopt(GangState& gang);
    // This echelon leads now. If the gang has no seats, it adopts the record that another leader may have written.
    void on_lead(GangState& gang);

    // The record of a commit that has another node for the pod, and whose gang isn't there for us. Null: none.
    // Valid until the next change.
    [[nodiscard]] const model::PlanRecord* commit_elsewhere(const model::Pod& pod, const std::string& node) const;
    // Records that name other schedulers than our profiles.
    struct OfOthers {
        std::size_t records = 0;
        base::Text scheduler;  // One of those that they name; empty: there are none.
    };
    [[nodiscard]] OfOthers of_others() const;

    // --- When it is deleted.
    // The gang is gone.
    void drop(const GangState& gang);
    // Schedules the deletion of GangPlans without a gang. There is a delay, since objects of the gang may still arrive.
    // Call once all is listed, and when this echelon gets the lead: without it nothing is scheduled.
    void schedule_orphan_deletions();
    void retry_deletions();
    void on_record_deleted(std::uint64_t write, const model::Outcome& outcome);
    [[nodiscard]] Time next_deletion() const;

private:
    // A GangPlan that is to be deleted.
    struct Deletion {
        std::string ns;
        std::string name;
        std::string uid;
        Time retry_at = never;
        std::uint32_t failures = 0;
        // Its gang was ours, and is gone. The record is deleted unless it names other schedulers by then than these.
        std::optional<std::vector<base::Text>> scheduler_names = {};
    };
    [[nodiscard]] std::string name_of(const model::GroupKey& root) const;
    void append_victims(const GangState& gang, model::PlanRecord& record) const;
    void append_seats(const GangState& gang, model::PlanRecord& record) const;
    [[nodiscard]] bool is_member(const GangState& gang, const base::Text& uid) const;
    // Seats of waiting members in groups below the root that are bound in part. While only replicas beyond the minimum
    // are left to bind, the record says Bound although the commit goes on (I6).
    [[nodiscard]] std::vector<model::RecordedSeat> begun_seats(const GangState& gang,
                                                               const model::PlanRecord& record) const;
    // True for the record of a commit that this process has completed: its last record was not written (I1).
    [[nodiscard]] bool is_completed(const GangState& gang, const model::PlanRecord& record) const;
    // `open`: the seats of the record that are to be bound yet.
    void adopt_commit(GangState& gang, const model::PlanRecord& record, std::span<const model::RecordedSeat> open);
    void note_committed(GangState& gang);
    [[nodiscard]] bool must_repeat(GangState& gang);
    void on_refused(GangState& gang, bool was_commit, const model::Outcome& outcome);
    // True if another echelon has the gang's record: it names other schedulers than our profiles. If it names none,
    // pods of another scheduler decide.
    [[nodiscard]] bool is_of_others(const model::GroupKey& root, const std::vector<base::Text>& scheduler_names) const;
    // The same for a record that is to be written. A group without pods is there for every echelon: the one whose pods
    // it had last writes its GangPlan, and one without profiles writes none.
    [[nodiscard]] bool is_left_to_others(const model::PlanRecord& record) const;
    [[nodiscard]] bool is_orphan(const model::PlanRecord& record) const;
    [[nodiscard]] bool is_needed(const Deletion& deletion) const;
    void schedule_orphan_deletion(const model::PlanSeen& seen);
    // Of the record of a gang that is gone.
    void decide_deletion(const GangState& gang, Deletion deletion);
    void start_record_deletion(Deletion record);

    const Facts& facts_;
    Gangs& gangs_;
    Outbox& outbox_;
    Figures& figures_;
    StatePublisher& publisher_;
    EventReporter& event_reporter_;
    const NodeRoom& room_;
    const DomainReservations& reservations_;
    Seating& seating_;
    Wakeups& wakeups_;
    std::map<model::GroupKey, model::PlanSeen> seen_records_;  // GangPlans as the watch shows them.
    std::map<std::string, model::GroupKey> owners_;            // "namespace/name" of a GangPlan -> its gang.
    std::set<model::GroupKey> not_adopted_;
    std::set<model::GroupKey> commits_without_gang_;  // Roots of records that came when there was no such gang.
    RecordRechecks rechecks_;
    std::map<std::uint64_t, Deletion> deletions_;         // Deletions in flight, by write number.
    std::map<std::string, Deletion> deletions_to_retry_;  // By "namespace/name" of the GangPlan.
};

}  // namespace echelon::engine

#pragma once

// Which bindings does a commit post, what became of them, and when is the commit over? (rules B3, B4, R10)
//
// After the first binding the commit only rolls forward. In groups that count only waiting members (KP4), members of
// one commit are bound together, and later ones wait for the next commit. Not thread-safe.

#include "base/text.hpp"
#include "engine/commit/tree_checker.hpp"
#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/publish/figures.hpp"
#include "engine/publish/outbox.hpp"
#include "engine/queue/plan_queue.hpp"
#include "engine/records/plan_records.hpp"
#include "engine/seats/seating.hpp"
#include "engine/wakeups.hpp"

#include <string>

namespace echelon::engine {

class Committer {
public:
    Committer(const Facts& facts, Outbox& outbox, Figures& figures, Seating& seating, PlanQueue& queue,
              PlanRecords& records, TreeChecker& checker);

    // The quorum has arrived: the record is written, and the tree is read again meanwhile.
    void begin(GangState& gang);
    // Posts the bindings of members that have arrived, if the commit still holds. Requires: the gang is planned.
    void post_bindings(GangState& gang);
    // Reads pods back, or posts bindings again, if that is due.
    void retry(GangState& gang);
    // A binding is due that wasn't carried out before.
    [[nodiscard]] bool posts_again(const GangState& gang) const;
    // While draining: no other member comes to the barrier and nothing is planned, so what isn't posted by now waits in
    // vain. The next echelon continues the commit.
    void end_vain_waits(GangState& gang);
    // This echelon leads again: every pod whose binding has an unknown outcome is read once more.
    void reread_unresolved(GangState& gang);
    // Answers the calls whose bindings are under way. Their outcome is still read, and kube-scheduler may try again.
    void release_callers(GangState& gang);
    // Notes when every minimum is bound. Ends the commit once no seat is left, or what it lacks came too late (KP4).
    void finish(GangState& gang);

    // What follows for the gang. `count_failed_barrier`: the first binding was refused, no member is bound, and the
    // whole gang backs off.
    enum class AfterBind : std::uint8_t { go_on, count_failed_barrier };
    AfterBind on_bind_written(GangState& gang, const base::Text& uid, const model::Outcome& outcome);
    void on_member_read(GangState& gang, const base::Text& uid, const model::Outcome& outcome);
    void on_group_read(GangState& gang, std::uint64_t write, const model::Outcome& outcome);
    // The watch shows a member on its node.
    void on_member_bound(GangState& gang, const base::Text& uid, const base::Text& node);
    // The watch shows a GangPlan, which may show that the commit is over.
    void on_newer_record(GangState& gang, const model::PlanRecord& seen);

private:
    void post(GangState& gang, const base::Text& uid);
    [[nodiscard]] bool is_postable(const SeatState& seat) const;
    // Gives the commit up. Requires: no binding of it was requested.
    void return_to_barrier(GangState& gang);
    void note_posted(GangState& gang, const base::Text& uid);
    void record_completed_groups(GangState& gang);

    const Facts& facts_;
    Outbox& outbox_;
    Figures& figures_;
    Seating& seating_;
    PlanQueue& queue_;
    PlanRecords& records_;
    TreeChecker& checker_;
};

}  // namespace echelon::engine

#pragma once

// What does the engine keep of one gang?
//
// Two parts guard themselves: the lifecycle, which is the only writer of the stage, and the roster, which counts. Each
// other part belongs to one class, which alone has the key to write it; everybody may read it. Not thread-safe.

#include "engine/gang/lifecycle.hpp"
#include "engine/gang/parts.hpp"
#include "engine/gang/roster.hpp"
#include "engine/key.hpp"
#include "engine/publish/figures.hpp"
#include "engine/time.hpp"
#include "model/facts/group.hpp"

#include <utility>

namespace echelon::engine {

class PlanQueue;
class TreeRefresher;
class PlanOutcome;
class Starvation;
class Placeholders;
class Seating;
class TreeChecker;
class Committer;
class Clearings;
class PlanRecords;
class Teller;
class Releaser;

class GangState {
public:
    // `first_seen`: never for a gang that was there before us.
    GangState(model::GroupKey root, Time first_seen) : root_(std::move(root)) { commit_.first_seen = first_seen; }

    [[nodiscard]] const model::GroupKey& root() const { return root_; }
    [[nodiscard]] bool is_dirty() const { return due_.due != never; }

    Lifecycle lifecycle;
    Roster roster;

    [[nodiscard]] const DueState& due() const { return due_; }
    [[nodiscard]] DueState& due(Key<PlanQueue> /*key*/) { return due_; }
    [[nodiscard]] const TreeState& tree() const { return tree_; }
    [[nodiscard]] TreeState& tree(Key<TreeRefresher> /*key*/) { return tree_; }
    [[nodiscard]] const PlanState& plan() const { return plan_; }
    [[nodiscard]] PlanState& plan(Key<PlanOutcome> /*key*/) { return plan_; }
    [[nodiscard]] const StarvationState& starvation() const { return starvation_; }
    [[nodiscard]] StarvationState& starvation(Key<Starvation> /*key*/) { return starvation_; }
    [[nodiscard]] const PlaceholderState& placeholders() const { return placeholders_; }
    [[nodiscard]] PlaceholderState& placeholders(Key<Placeholders> /*key*/) { return placeholders_; }
    [[nodiscard]] const HoldState& hold() const { return hold_; }
    [[nodiscard]] HoldState& hold(Key<Seating> /*key*/) { return hold_; }
    [[nodiscard]] const ClearingState& clearing() const { return clearing_; }
    [[nodiscard]] ClearingState& clearing(Key<Clearings> /*key*/) { return clearing_; }
    [[nodiscard]] const CheckState& check() const { return check_; }
    [[nodiscard]] CheckState& check(Key<TreeChecker> /*key*/) { return check_; }
    [[nodiscard]] const CommitState& commit() const { return commit_; }
    [[nodiscard]] CommitState& commit(Key<Committer> /*key*/) { return commit_; }
    [[nodiscard]] const RecordState& record() const { return record_; }
    [[nodiscard]] RecordState& record(Key<PlanRecords> /*key*/) { return record_; }
    [[nodiscard]] const ToldState& told() const { return told_; }
    [[nodiscard]] ToldState& told(Key<Teller> /*key*/) { return told_; }
    [[nodiscard]] const ReleaseState& release() const { return release_; }
    [[nodiscard]] ReleaseState& release(Key<Releaser> /*key*/) { return release_; }

    bool are_verdicts_stale = true;  // Seats, members or the refusal are others.
    bool is_barrier_stale = false;   // Somebody arrived or was bound: it is counted whether all are there.
    GangShare counted;               // In the gauges.

private:
    model::GroupKey root_;
    DueState due_;
    TreeState tree_;
    PlanState plan_;
    StarvationState starvation_;
    PlaceholderState placeholders_;
    HoldState hold_;
    ClearingState clearing_;
    CheckState check_;
    CommitState commit_;
    RecordState record_;
    ToldState told_;
    ReleaseState release_;
};

}  // namespace echelon::engine

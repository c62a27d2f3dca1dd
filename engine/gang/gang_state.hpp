#pragma once

// What does the engine keep for one gang?
//
// Two parts guard themselves: `Lifecycle` is the only writer of the stage, and `Roster` keeps its counts. Each other
// part belongs to one class, and only that class has the key to write it. Every class may read it. Not thread-safe.

#include "base/text.hpp"
#include "engine/gang/lifecycle.hpp"
#include "engine/gang/parts.hpp"
#include "engine/gang/roster.hpp"
#include "engine/key.hpp"
#include "engine/publish/figures.hpp"
#include "engine/time.hpp"
#include "model/facts/group.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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
class EventReporter;
class Releaser;
class GroupConditions;

// Which verdicts on members have to be published again?
class StaleVerdicts {
public:
    // Something has changed that may affect verdicts.
    void request_refresh() { needs_refresh_ = true; }
    // The member arrived, left or changed.
    void add(const base::Text& uid) {
        if (covers_all_)
            return;
        members_.push_back(uid);
        if (members_.size() > most_members)
            add_all();
    }
    // Seats, members or the refusal have changed.
    void add_all() {
        covers_all_ = true;
        members_.clear();
    }
    void request_full_refresh() {
        add_all();
        request_refresh();
    }
    [[nodiscard]] bool needs_refresh() const { return needs_refresh_; }
    [[nodiscard]] bool covers_all() const { return covers_all_ || is_tree_cut_; }
    // `text`: the present refusal text for members without a seat.
    [[nodiscard]] bool has_text(const base::Text& text) const { return text_ == text; }
    // The tree has more groups than a gang may have. A change of one member may then affect others.
    void set_tree_cut(bool is_cut) { is_tree_cut_ = is_cut; }
    // Returns the members that were added. Nothing is stale afterwards.
    std::vector<base::Text> take(base::Text text) {
        needs_refresh_ = covers_all_ = false;
        text_ = std::move(text);
        return std::exchange(members_, {});
    }

private:
    static constexpr std::size_t most_members = 256;  // If more change between two refreshes, all are refreshed.

    bool needs_refresh_ = true;
    bool covers_all_ = true;
    bool is_tree_cut_ = false;
    std::vector<base::Text> members_;  // Empty while all are stale.
    base::Text text_;                  // As of the last refresh.
};

class GangState {
public:
    // `first_seen`: `never` for a gang that existed before this process.
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
    [[nodiscard]] const ReportedState& reported() const { return reported_; }
    [[nodiscard]] ReportedState& reported(Key<EventReporter> /*key*/) { return reported_; }
    [[nodiscard]] bool has_conditions() const { return conditions_ != nullptr; }
    [[nodiscard]] const ConditionState& conditions() const {
        static const ConditionState none;
        return conditions_ ? *conditions_ : none;
    }
    [[nodiscard]] ConditionState& conditions(Key<GroupConditions> /*key*/) {
        if (!conditions_)
            conditions_ = std::make_unique<ConditionState>();
        return *conditions_;
    }
    [[nodiscard]] const ReleaseState& release() const { return release_; }
    [[nodiscard]] ReleaseState& release(Key<Releaser> /*key*/) { return release_; }

    StaleVerdicts verdicts;
    bool is_barrier_stale = false;    // `reconcile` must look whether the barrier opens or bindings are posted.
    bool is_placed_anew = false;      // Since `reconcile` looked last: nobody outside knows its seats.
    bool is_reconciled_late = false;  // `reconcile` was left for the next step.
    GaugeShare counted;               // What this gang adds to the gauges.

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
    ReportedState reported_;
    std::unique_ptr<ConditionState> conditions_;  // Null for most gangs: no condition is written on their groups.
    ReleaseState release_;
};

// When the seat of the placeholder is released; never: it has no limit yet (H5).
[[nodiscard]] inline Time end_of_placeholder(const GangState& gang, const std::string& name) {
    const auto seat = gang.hold().placeholders.find(name);
    if (seat == gang.hold().placeholders.end())
        return never;
    const auto& until = gang.placeholders().until;
    const auto end = until.find(seat->second.leaf);
    return end == until.end() ? never : end->second;
}

}  // namespace echelon::engine

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
class Teller;
class Releaser;
class GroupConditions;

// Which verdicts on members are to be published anew?
class StaleVerdicts {
public:
    // Something happened that may change what is said of some of them.
    void doubt() { are_doubted_ = true; }
    // The member came, went or changed.
    void note(const std::string& uid) {
        if (are_all_)
            return;
        members_.push_back(uid);
        if (members_.size() > most_members)
            note_all();
    }
    // Seats, members or the refusal are others.
    void note_all() {
        are_all_ = true;
        members_.clear();
    }
    void renew_all() {
        note_all();
        doubt();
    }
    [[nodiscard]] bool are_doubted() const { return are_doubted_; }
    [[nodiscard]] bool are_all() const { return are_all_ || is_tree_cut_; }
    // `text`: what members without a seat are told now.
    [[nodiscard]] bool says(const std::string& text) const { return text_ == text; }
    // The tree has groups beyond those that a gang may have: who is a member then is known of all together.
    void set_tree_cut(bool is_cut) { is_tree_cut_ = is_cut; }
    // Members that were noted. From now on nothing is stale.
    std::vector<std::string> take(std::string text) {
        are_doubted_ = are_all_ = false;
        text_ = std::move(text);
        return std::exchange(members_, {});
    }

private:
    static constexpr std::size_t most_members = 256;  // Of more between two looks, all are looked at.

    bool are_doubted_ = true;
    bool are_all_ = true;
    bool is_tree_cut_ = false;
    std::vector<std::string> members_;  // None while all are.
    std::string text_;                  // As of the last time.
};

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
    bool is_barrier_stale = false;  // Somebody arrived or was bound: it is counted whether all are there.
    GangShare counted;              // In the gauges.

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
    std::unique_ptr<ConditionState> conditions_;  // Null: nothing is said of its groups, as of most gangs.
    ReleaseState release_;
};

}  // namespace echelon::engine

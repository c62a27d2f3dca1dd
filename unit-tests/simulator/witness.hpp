#pragma once

// Does one echelon process keep its promises? Every step is checked from the process' inputs and actions, without code
// of engine/ or solver/. The check functions have the ids of ARCHITECTURE.md (I1 to I14).
//
// A process knows only its inputs. Promises about room and domains are therefore judged by its own view; promises about
// the commit record and the end of the run, by the true state. Not thread-safe.

#include "engine/engine.hpp"
#include "unit-tests/simulator/world.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace echelon::simulator {

class Witness {
public:
    Witness(World& world, const engine::Options& options, std::string name);

    // One step of the process: its inputs, its actions, and what it published.
    void saw(std::span<const engine::Input> inputs, std::span<const engine::Action> actions,
             const engine::PublishedState& published, std::optional<Time> wakes_at, Time now);

    [[nodiscard]] const View& view() const { return view_; }
    [[nodiscard]] bool leads() const { return leads_; }
    [[nodiscard]] bool is_synced() const { return unsynced_.empty(); }
    [[nodiscard]] std::size_t open_calls() const;
    // A domain is reserved, or was until so recently that a gang it blocked may not be bound yet.
    [[nodiscard]] bool may_be_hindered() const;
    // Pods with a pinned verdict in the last published state -> node.
    [[nodiscard]] const std::map<std::string, std::string>& pinned() const { return pinned_; }
    // The quiet time begins: rates are counted from zero, against tighter limits.
    void expect_quiet(Time now);

private:
    struct Call {
        std::string uid;
        std::string node;
        Time arrived{0};
        bool caller_waits = true;
    };
    // What became of the binding of a pod, as far as the process knows.
    struct Binding {
        enum class State : std::uint8_t { posting, must_read, reading, may_post, posted };
        std::string node;
        State state = State::posting;
        int reads = 0;  // Under way. Each began after the outcome of the post, so the first answer settles it.
    };
    struct Asked {
        model::Write what;
        std::string uid;
    };
    struct Rate {
        Time since{0};
        std::uint64_t count = 0;
    };

    // --- Inputs.
    void hear(const engine::Input& input, Time now);
    void note_change(const engine::Input& input);
    void hear_of(const model::Event& event);
    void hear_of(const engine::Written& written);
    void on_bind_outcome(const std::string& uid, const model::Outcome& outcome);
    void on_read_outcome(const std::string& uid, const model::Outcome& outcome);

    // --- Actions.
    void judge_answer(const engine::AnswerBind& answer);
    void judge_write(const engine::StartWrite& write, Time now);
    void judge_binding(const model::BindPod& bind, Time now);
    [[nodiscard]] bool has_begun_with(const Tree& tree, const model::Pod& member, const model::Pod& pod) const;
    void note_commits_found();
    [[nodiscard]] bool is_in_commit_of(const Tree& tree, const model::Pod& member, const model::Pod& pod) const;
    void drop_those_that_ran_before(const Tree& tree, const model::Pod& pod, Counts& counts) const;
    void check_i1_no_partial_gang(const model::Pod& pod, const std::string& node);
    void check_i1_late_members_have_room(const Tree& tree, const model::Pod& pod, const std::string& node);
    void check_i1_is_recorded(const Tree& tree, const model::Pod& pod, bool has_begun);
    void check_i3_bind_matches_plan(const model::BindPod& bind, const model::Pod* pod);
    void check_i4_no_lost_bind(const model::BindPod& bind);
    [[nodiscard]] std::string node_of(const model::Pod& pod) const;
    void check_i5_together(const model::Pod& pod, const model::Node& node, const std::string& level,
                           const model::GroupKey& group, std::span<const model::Pod* const> others);
    void check_i5_beside(const model::Pod& pod, const model::Node& node, const std::string& level,
                         const model::GroupKey& anchor);
    void check_i5_topology_held(const model::Pod& pod, const std::string& node);
    void check_i6_no_late_commit(const model::BindPod& bind, Time now);
    // D14: no pod that took a node before the member's call keeps the member away from this one.
    void check_d14_kept_apart(const model::Pod& pod, const std::string& node);
    // P2, U3: the victim is in a record, and has lower priority than the gang.
    void judge_eviction(const model::EvictPod& evict);
    void check_i9_one_writer(const model::Write& what);
    void check_i12_rate(const std::string& key, std::uint64_t limit, Time now);

    // --- Published state.
    void read(const engine::PublishedState& published);
    void check_i2_no_double_hold(Time now);
    void check_i7_holds_finite();
    void check_i7_claims_end(const engine::PublishedState& published, Time now);
    void check_p5_clearings_end(const engine::PublishedState& published, Time now);
    [[nodiscard]] bool is_writing(const std::string& plan) const;
    void check_i8_restart_neutral();
    void check_i12_every_call_ends(std::optional<Time> wakes_at, Time now);
    void check_i12_no_hot_clock(std::span<const engine::Input> inputs, std::optional<Time> wakes_at, Time now);
    void check_i12_solves(const engine::PublishedState& published, Time now);
    void check_i13_isolation(const engine::PublishedState& published);

    [[nodiscard]] bool acts() const { return leads_ && unsynced_.empty() && !is_draining_; }
    [[nodiscard]] Time patience() const;  // How long a hold may outlive what broke it.
    [[nodiscard]] std::string about(const std::string& uid) const;
    void fail(std::string_view invariant, const std::string& sentence);

    World& world_;
    const engine::Options options_;
    const std::string name_;
    View view_;
    std::set<std::string> unsynced_;
    bool leads_ = true;
    bool led_in_step_ = true;  // When the step began, or since.
    bool is_draining_ = false;
    bool was_synced_ = false;

    std::map<std::uint64_t, Call> calls_;                       // Not answered yet.
    std::map<std::string, Time> placed_since_;                  // UID -> when the pod was first seen on a node.
    std::set<std::pair<std::string, std::string>> called_now_;  // (UID, node) of the calls of this step.
    std::set<std::string> changed_now_;      // Nodes with an event in this step: a seat may be older than the event.
    std::set<std::string> found_committed_;  // UIDs in commit records that were there when it began, maybe old ones.
    std::set<std::string> taken_now_;  // Nodes that pods of no gang are bound to in this step: holds give way soon.
    std::map<std::uint64_t, Asked> asked_;                      // Writes under way.
    std::map<std::string, Binding> bindings_;                   // UID -> binding, of pods that aren't seen bound.
    std::set<std::pair<std::string, std::string>> said_bound_;  // (UID, node) as answers or the watch say.
    std::map<std::string, std::string> pinned_;                 // By UID.
    std::map<std::string, Time> held_last_;  // "uid node" of earlier published states -> when it was seen last.
    std::map<std::string, Time> bad_since_;  // Holds, nodes that are wrong, and since when.
    std::map<std::string, Rate> rates_;
    std::map<std::string, Time> claimed_since_;   // By GangPlan; since it was last seen to begin.
    std::map<std::string, Time> clearing_since_;  // By GangPlan.
    std::optional<Time> claimed_last_;            // By the clock of the world.
    std::uint64_t ticks_in_vain_ = 0;
    Time quiet_since_ = Time::max();
    std::uint64_t solves_then_ = 0;
    Time solves_since_{0};
};

// "namespace/name" of the GangPlan that a write is about; empty: about none.
[[nodiscard]] std::string record_in(const model::Write& what);

}  // namespace echelon::simulator

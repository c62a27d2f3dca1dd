#pragma once

// Everything the engine remembers, and the rooms of its one door `step`. Private to engine/.
//
// Each group of functions stands in the source file that its heading names.

#include "engine/claims.hpp"
#include "engine/engine.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/ledger.hpp"
#include "engine/publish/figures.hpp"
#include "engine/publish/outbox.hpp"
#include "engine/publish/published_state.hpp"
#include "engine/recent.hpp"
#include "engine/reserve/refused_nodes.hpp"
#include "solver/plan.hpp"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace echelon::engine {

// The bind call of a pod outside every gang, or of one that the watch hasn't shown yet.
struct PlainBind {
    BindCalled call;
    bool caller_waits = true;
    bool waits_for_pod = false;  // The pod isn't known yet.
    Time deadline = never;
    Time retry_at = never;  // Read the pod (again) then.
    std::uint32_t failures = 0;
};

// A GangPlan that is to be deleted.
struct RecordDeletion {
    std::string ns;
    std::string name;
    std::string uid;
    Time retry_at = never;
    std::uint32_t failures = 0;
};

// What the model has to know of them.
[[nodiscard]] model::Profiles model_profiles(const std::map<std::string, ProfileOptions, std::less<>>& profiles);

struct Engine::State {
    explicit State(Options o);

    // --- engine.cpp: the door, timers.
    void take(const Input& input, Time time);
    std::vector<Action> finish_step();
    void on(const Observed& observed);
    void on(const BindCalled& called);
    void on(const CallerGone& gone);
    void on(const Written& written);
    void on(const Ticked& ticked);
    void on(const Draining& draining_began);
    void process_changed_gangs();  // Plans what is due, then serves every touched gang.
    void retry_forgets();
    void serve(GangState& gang);  // Whatever of this gang is due now.
    [[nodiscard]] Time next_wake(const GangState& gang) const;
    void wake_at(const GangState& gang, Time when);
    [[nodiscard]] bool may_act() const { return unsynced.empty() && leads && !is_draining; }
    void note(Note::Level level, const GangState* gang, std::string sentence);
    std::uint64_t write(WriteTarget target, model::Write what);
    void answer(std::uint64_t call, BindResult result, std::string error);

    // --- observe.cpp: facts.
    void on_pod_seen(const model::PodSeen& event);
    void apply(const model::Event& event);
    void take_up(const model::Change& change);
    void invalidate_topology();  // Once in a step: nothing is planned before its end, and calls come behind all facts.
    void resolve_topology();     // When it is due: marks the gangs that a topology which has changed touches.
    void on_synced(const std::string& what);
    void on_plan_seen(const model::PlanSeen& seen);
    void on_plan_gone(const std::string& ns, const std::string& name);
    GangState& gang_of(const model::GroupKey& root);
    GangState* find_gang(const model::GroupKey& root);
    void mark(GangState& gang, bool is_arrival);
    void retry_refused();
    void hand_over(GangState& gang);  // Bindings under way outlive their gang: they end like those of plain pods.
    void hand_over(GangState& gang, const std::string& uid);
    void drop_gang(const model::GroupKey& root);

    // --- refused_nodes.cpp: what filter calls tell.
    void on(const Filtered& filtered);
    // The node would do for the pod, were it not refused.
    [[nodiscard]] bool is_refused_only(const std::string& uid, const std::string& node) const;
    void forget_refused_nodes();

    // --- working.cpp: what one step may take.
    void work(std::uint64_t steps) { worked += steps; }
    [[nodiscard]] bool has_worked_enough() const { return options.step_work > 0 && worked >= options.step_work; }
    // Nothing more is planned in this step: its work is done, or something in it can't wait.
    [[nodiscard]] bool is_planning_over() const { return is_planning_put_off || is_planning_done; }
    void begin_step(std::span<const Input> inputs);
    [[nodiscard]] solver::SolveOptions budget_for(const GangState& gang) const;
    [[nodiscard]] solver::SolveOptions budget_for_claims() const;
    // A short search may leave it open: a long one follows, when no gang as important is due. Seats can't wait so long.
    [[nodiscard]] bool may_put_off(const GangState& gang) const {
        return options.step_work > 0 && !gang.hard_until && gang.seats.empty() && gang.placeholders.empty();
    }
    void put_off(GangState& gang);
    [[nodiscard]] std::uint64_t work_of_snapshot() const;

    // --- queue.cpp: which gang is planned next.
    struct Queue {
        std::vector<GangState*> due;       // In queue order.
        std::vector<GangState*> settling;  // The last to settle first.
    };
    [[nodiscard]] bool is_any_due() const;
    [[nodiscard]] Queue queue_of_due();
    void rank(GangState& gang);
    [[nodiscard]] Time waits_until(const GangState& gang, const Queue& queue, const model::Snapshot& snapshot);

    // --- planning.cpp: from dirty to held or refused.
    void plan_due();
    void adopt_dirty();
    void plan_now(GangState& gang);
    [[nodiscard]] model::Snapshot planning_snapshot();
    void plan(GangState& gang, const model::Gang& built, model::Snapshot& snapshot);
    struct Found {
        solver::Answer answer = solver::Refusal{};
        std::vector<std::string> unsound;  // UIDs of seats that can't stay.
        std::vector<std::pair<model::PodClassId, model::NodeId>>
            excused;          // Ineligible for all but who is there already.
        bool is_cut = false;  // A search ended at its budget.
    };
    [[nodiscard]] Found answer_for(GangState& gang, const model::Gang& facts, model::Snapshot& snapshot,
                                   bool has_begun);
    void end_invalid_seats(GangState& gang, const model::Gang& facts, model::Snapshot& snapshot);
    void decide(GangState& gang, const model::Gang& facts, model::Snapshot& snapshot);
    static void exclude_new_members(const GangState& gang, const model::Gang& facts, solver::Plan& plan);
    void hold(GangState& gang, const model::Gang& built, model::Snapshot& snapshot, const solver::Plan& plan);

    // --- looking.cpp: the tree as it is.
    void look(GangState& gang, const model::Gang& built);
    void drop_vanished(GangState& gang, const model::Gang& built);

    // --- refusing.cpp: what isn't placed, and seats that end.
    void refuse(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot, solver::Refusal refusal);
    void fail_waiting_calls(GangState& gang);
    void release_hold(GangState& gang, const std::string& why);
    void end_seat(GangState& gang, const std::string& uid, const std::string& why);

    // --- placeholders.cpp: seats of members that don't exist yet.
    // As the cluster has it now, beside what others are promised; without placeholders when their time is over.
    [[nodiscard]] model::Gang build(const GangState& gang, const model::Snapshot& snapshot) const;
    void fill_placeholders(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot);
    void fill_placeholder(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                          const model::Member& member, std::vector<std::string>& held);
    void rename_placeholders(GangState& gang, std::vector<std::string>& held, const std::vector<std::string>& expected);
    void hold_placeholders(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                           const solver::Plan& plan);
    void release_placeholders(GangState& gang);
    void expire_placeholders(GangState& gang);
    void give_seat(GangState& gang, const model::Pod& pod, const std::string& node);

    // --- aging.cpp: who waits too long.
    void age(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
             const solver::Refusal& refusal);
    void reset_starvation(GangState& gang);  // It waits for room no more: its claim and its age end.
    void expire_claim(GangState& gang);
    [[nodiscard]] bool ends_by(const model::Gang& built, Time until) const;

    // --- release.cpp: nomination, gates, kicks.
    void release_seats(GangState& gang);
    void release(GangState& gang, SeatState& seat);
    void kick(GangState& gang, SeatState& seat);
    [[nodiscard]] static Time kick_delay(const SeatState& seat);  // Of a member known to sleep; grows with its kicks.
    void on_nomination_seen(SeatState& seat, const model::Pod& pod);
    void on_release_written(GangState& gang, SeatState& seat, WriteTarget::Purpose purpose,
                            const model::Outcome& outcome);
    [[nodiscard]] bool nominates(const model::Pod& pod) const;
    void on_stray_nomination(const model::Pod& pod);
    void clear_nominations(GangState& gang);

    // --- barrier.cpp: bind calls of members, deadlines.
    void on_member_call(GangState& gang, const model::Pod& pod, const BindCalled& called);
    [[nodiscard]] std::optional<solver::Refusal> too_large_for_barrier(const GangState& gang) const;
    [[nodiscard]] bool make_room_at_barrier(GangState& gang, const SeatState& coming);
    void turn_away(SeatState& seat, const GangState& gang);
    void open_barrier_if_met(GangState& gang);
    void check_deadlines(GangState& gang);
    void count_failed_barrier(
        GangState& gang);  // It came to nothing once more: after a few times the hold is given back (B8).
    void expire(GangState& gang);
    // How long its seats wait for their pods: as its groups state, else as configured.
    [[nodiscard]] Time hold_lifetime(const GangState& gang) const;
    [[nodiscard]] Quorum::Counts arrived_counts(const GangState& gang) const;
    [[nodiscard]] Quorum::Counts bound_counts(const GangState& gang) const;
    [[nodiscard]] bool is_bound(const GangState& gang) const;
    [[nodiscard]] bool is_bound_by(const GangState& gang, const Quorum::Counts& counts) const;

    // --- commit.cpp: bindings and what comes of them.
    void post_bindings(GangState& gang);
    [[nodiscard]] bool is_postable(const SeatState& seat) const;
    void post(GangState& gang, SeatState& seat);
    void retry_bindings(GangState& gang);
    void on_bind_written(GangState& gang, SeatState& seat, const model::Outcome& outcome);
    void on_member_read(GangState& gang, SeatState& seat, const model::Outcome& outcome);
    void on_member_bound(GangState& gang, const std::string& uid, const std::string& node);
    void finish_commit(GangState& gang);

    // --- commit_groups.cpp: what a commit has begun, and for which groups it is over.
    // [group] 1 for leaves of which this commit has bound somebody, or is about to.
    [[nodiscard]] std::vector<std::uint8_t> groups_with_bindings(const GangState& gang) const;
    // A leaf where only members count that wait has begun and lacks some.
    [[nodiscard]] bool is_partly_committed(const GangState& gang, const Quorum::Counts& counts) const;
    // [group] 1 for leaves where only members count that wait, and enough were bound by this commit once.
    [[nodiscard]] std::vector<std::uint8_t> groups_completed(const GangState& gang) const;
    void record_completed_groups(GangState& gang);
    void on_newer_record(GangState& gang, const model::PlanRecord& seen);
    [[nodiscard]] static bool is_bound_by_commit(const GangState& gang, const MemberRow& row);
    // False where running members count: nobody needs to know there.
    [[nodiscard]] bool has_ended_by_commit(const GangState& gang, const MemberRow& row) const;
    [[nodiscard]] bool has_begun(const GangState& gang) const;        // A member is bound, or its binding under way.
    [[nodiscard]] bool may_remove_gang(const GangState& gang) const;  // Once the seats are taken or given back.

    // --- checking.cpp: is the tree still the one that was planned?
    [[nodiscard]] std::vector<TreeObject> objects_of(const model::Gang& built) const;
    void update_group_generations(GangState& gang, std::vector<TreeObject> objects);
    [[nodiscard]] bool start_or_confirm_check(GangState& gang);  // Else it will be: asks, unless it has asked.
    void reset_check(GangState& gang);                           // The plan is another one, or nobody leads.
    void on_group_read(GangState& gang, std::uint64_t write, const model::Outcome& outcome);
    void fail_check(GangState& gang, const TreeObject& object, const model::Outcome& outcome);
    void return_to_barrier(GangState& gang);  // Nobody is bound yet, and nobody will be by this commit.

    // --- leading.cpp: who acts.
    void on(const LeadChanged& changed);
    void stop_acting_for(GangState& gang);
    void rewrite_own_record(GangState& gang, const model::PlanRecord& seen);

    // --- configuring.cpp: what may change while running.
    void on(const Reconfigured& changed);

    // --- telling.cpp: events for whoever looks at the gang's object.
    void tell(GangState& gang, const model::PlanRecord& record);
    // How well its levels were met, into the object of a gang that is bound, where that has a place for it.
    void write_score(GangState& gang);
    void on_score_written(GangState& gang, const model::Outcome& outcome);
    void on_event_written(const model::Outcome& outcome);

    // --- rooms.cpp: room on single nodes, and what kube-scheduler keeps there for others.
    // Beside everything that is held; of what isn't asked for a node may lack any amount. True for a node that isn't
    // known.
    [[nodiscard]] bool has_room(const std::string& node, const model::Amounts& requests) const;
    // Takes what kube-scheduler keeps for pods of this priority or a higher one.
    [[nodiscard]] std::vector<DomainReservations::Taken> take_nominated(model::Snapshot& snapshot,
                                                                        std::int64_t priority) const;

    // --- plain.cpp: pods of no gang.
    void on_plain_call(const BindCalled& called, const model::Pod& pod);
    void on_plain_written(const std::string& uid, WriteTarget::Purpose purpose, const model::Outcome& outcome);
    [[nodiscard]] bool uses_committed_capacity(const std::set<model::GroupKey>& rivals, const std::string& node,
                                               const model::Pod& pod);
    void end_plain(const std::string& uid, BindResult result, const std::string& error);
    void end_plain_if_bound(const model::Pod& pod);
    void release_plain(const std::string& uid);
    void retry_parked_binds();
    void run_plain_timers();
    void schedule_plain(const std::string& uid);

    // --- recording.cpp: the GangPlan object.
    [[nodiscard]] Stage stage(const GangState& gang) const;
    void see_stage(GangState& gang);  // After everything that may have changed it.
    [[nodiscard]] model::Phase phase(const GangState& gang) const;
    [[nodiscard]] model::PlanRecord record_of(const GangState& gang) const;
    void adopt(GangState& gang);  // The record of an earlier run, once.
    void adopt_ran_before(GangState& gang, const model::PlanRecord& record) const;
    [[nodiscard]] std::string record_name_of(const model::GroupKey& root) const;
    void schedule_record(GangState& gang, Time delay);
    void write_record(GangState& gang);
    void on_commit_record_written(GangState& gang);
    void on_record_written(GangState& gang, const model::Outcome& outcome);
    void delete_record(const std::string& ns, const std::string& name, const std::string& uid);
    void invalidate_records();
    void start_record_deletion(RecordDeletion record);

    // --- publishing.cpp: the picture.
    void refresh_verdicts(GangState& gang);
    std::shared_ptr<const Picture> picture();

    // --- counting.cpp: figures for /metrics.
    void count(GangState& gang);                        // Keeps the gauges of `stats` in step with the gang.
    void end_wait(SeatState& seat, WaitResult result);  // If it waits.
    void count_topology();
    void schedule_topology_counts(const model::Event& event, const model::Change& change);
    void violated(Invariant invariant, const GangState* gang, std::string sentence);  // Null: of no gang.

    Options options;  // Changed by `Reconfigured` alone.
    Time now{0};
    Outbox outbox;
    Figures figures{outbox};
    PublishedState published;
    std::uint64_t worked = 0;          // In the step under way, in solver steps.
    std::uint64_t planned = 0;         // Gangs, in it.
    bool is_planning_done = false;     // In it: the rest stays due.
    bool is_planning_put_off = false;  // In it: its inputs come first.
    Time rest_at = never;              // What is due and wasn't planned; never: nothing.

    model::Cluster cluster;
    Ledger ledger;
    std::map<model::GroupKey, GangState> gangs;
    std::set<model::GroupKey> touched;  // To be served at the end of the step.
    std::set<model::GroupKey> dirty;    // Those with a `due`.
    DomainReservations claims;
    RefusedNodes refused_nodes;

    std::set<std::string> unsynced;  // Resources not listed yet.
    bool leads = true;
    Time leads_until = never;  // Fencing: after it nothing is decided, whatever the queue still brings.
    bool is_draining = false;
    bool is_topology_stale = false;     // Within a step: some fact was about it.
    Time resolve_topology_at = never;   // When the model is asked what that means; never: nothing is in doubt.
    bool capacity_may_be_free = false;  // Within a step: refused gangs are tried again.

    bool are_events_forbidden = false;  // Events can't be written; said once.

    std::map<std::uint64_t, RecordDeletion> record_deletions;  // Deletions under way, by write.
    std::vector<RecordDeletion> forgets_to_retry;
    std::map<std::string, PlainBind> plain;          // By UID.
    std::vector<std::string> parked_pods_now_known;  // Within a step: UIDs of pods whose parked calls can go on.
    std::set<std::pair<Time, std::string>> plain_timers;
    std::set<std::pair<Time, model::GroupKey>> timers;
    std::map<model::GroupKey, Time> timer_of;

    RecentUids asked{100'000};    // filter was asked about these.
    RecentUids refused{100'000};  // And these were told no.

    std::map<model::GroupKey, model::PlanSeen> found_records;  // GangPlans as the watch shows them.
    std::map<std::string, model::GroupKey> record_owner;       // "ns/name" of a GangPlan -> whose it is.

    Time census_at = never;  // When the topology is counted again.
};

}  // namespace echelon::engine

#pragma once

// Which part of the engine handles which input? The router behind `Engine::step`, and the parts that it routes to.
// Private to engine/.
//
// It decides nothing itself: facts go to the cluster, calls to the barrier, and outcomes of writes to the part that
// asked for them. At the end of a step due gangs are planned, and each touched gang is reconciled.

#include "base/text.hpp"
#include "engine/commit/barrier.hpp"
#include "engine/commit/committer.hpp"
#include "engine/commit/tree_checker.hpp"
#include "engine/engine.hpp"
#include "engine/facts.hpp"
#include "engine/gang/gangs.hpp"
#include "engine/plain/node_scorer.hpp"
#include "engine/plain/plain_binds.hpp"
#include "engine/plain/promised_nodes.hpp"
#include "engine/plan/gang_planner.hpp"
#include "engine/plan/placeholders.hpp"
#include "engine/plan/plan_outcome.hpp"
#include "engine/plan/plan_search.hpp"
#include "engine/plan/planner.hpp"
#include "engine/plan/starvation.hpp"
#include "engine/plan/tree_refresher.hpp"
#include "engine/preempt/clearings.hpp"
#include "engine/preempt/preemptor.hpp"
#include "engine/preempt/yielding_seats.hpp"
#include "engine/publish/figures.hpp"
#include "engine/publish/outbox.hpp"
#include "engine/publish/state_publisher.hpp"
#include "engine/queue/plan_queue.hpp"
#include "engine/queue/step_work.hpp"
#include "engine/records/event_reporter.hpp"
#include "engine/records/group_conditions.hpp"
#include "engine/records/plan_records.hpp"
#include "engine/release/releaser.hpp"
#include "engine/reserve/domain_reservations.hpp"
#include "engine/reserve/ledger.hpp"
#include "engine/reserve/node_room.hpp"
#include "engine/reserve/refused_nodes.hpp"
#include "engine/seats/filter_history.hpp"
#include "engine/seats/seating.hpp"
#include "engine/wakeups.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::engine {

class Engine::State {
public:
    explicit State(Options options);
    // Parts hold references to each other.
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    std::vector<Action> step(std::span<const Input> inputs, Time time);
    [[nodiscard]] Time wakes_at() const;
    [[nodiscard]] bool is_idle() const;
    [[nodiscard]] std::shared_ptr<const PublishedState> published();
    [[nodiscard]] std::optional<ExplainSnapshot> explain_snapshot(const model::GroupKey& root) const;
    [[nodiscard]] std::vector<HeldSeat> held_seats() const;
    [[nodiscard]] const model::Cluster& cluster() const { return facts_.cluster; }
    [[nodiscard]] TopologyView topology_view() const;
    [[nodiscard]] RunningState running_state() const;

private:
    // --- engine.cpp: inputs, and the end of a step.
    void take(const Input& input, Time time);
    void on(const Observed& observed);
    void on(const Filtered& filtered);
    void on(const BindCalled& called);
    void on(const CallerGone& gone);
    void on(const Written& written);
    void on(const SearchEnded& ended) { planner_.on_search_ended(ended.search); }
    void on(const Ticked& ticked);
    void on(const LeadChanged& changed);
    void on(const Draining& draining);
    void on(const Reconfigured& changed);
    void on_member_call(GangState& gang, const model::Pod& pod, const BindCalled& called);
    void on_plain_call(const BindCalled& called, const model::Pod& pod);
    // True if room on the node is promised to gangs and closed to this pod (PR1).
    [[nodiscard]] bool is_kept_from(const model::Pod& pod, const std::string& node);
    // True if the binding would take room from a committed gang (I2).
    [[nodiscard]] bool uses_committed_capacity(const std::set<model::GroupKey>& owners, const std::string& node,
                                               const model::Pod& pod) const;
    void on_member_written(GangState& gang, const WriteTarget& target, const model::Outcome& outcome);
    void process_changed_gangs();
    void schedule_conditions();  // For every gang, since its profile may have changed.
    [[nodiscard]] bool leaves_for_next_step(GangState& gang);
    void reconcile(GangState& gang);
    void open_or_post(GangState& gang);
    [[nodiscard]] Time next_wake(const GangState& gang) const;

    // --- observe.cpp: facts.
    void on_pod_seen(const model::PodSeen& event);
    void end_rest_of_extras(const model::Pod& member);
    void on_own_binding_seen(const model::PodSeen& event, const Hold& hold);
    void on_minor_pod_change(const model::PodSeen& event);
    void on_plan_seen(const model::PlanSeen& seen);
    void on_synced(const std::string& what);
    void apply(const model::Event& event);
    void note_change(const model::Change& change, std::string_view pod = {});  // `pod`: UID, of a pod's event.
    void mark_verdicts(const model::Change& change, std::string_view pod);
    [[nodiscard]] std::optional<model::GroupKey> preemptor_of(const model::Event& event) const;
    void set_succeeded(const model::Pod& pod, bool has_succeeded);
    void mark_owners_on(const std::string& node);
    void mark_owners_near(const model::Pod& pod);
    void mark_owners_apart(const model::Pod& pod);
    // Marks the owners of holds on nodes for which `is_meant` is true.
    void mark_owners_where(const std::function<bool(const std::string& node)>& is_meant);
    // Once in a step is enough: nothing is planned before the end of the step, and calls come after all facts.
    void invalidate_topology();
    bool resolve_topology();  // If due: marks gangs that the change affects.
    GangState& gang_of(const model::GroupKey& root);
    void drop_gang(const model::GroupKey& root);
    void stop_acting_for(GangState& gang);

    // --- publishing.cpp: verdicts and figures.
    void refresh_verdicts(GangState& gang);
    // Nullopt: the pod has a node and needs no verdict. `text`: the refusal text for members without a seat.
    [[nodiscard]] std::optional<Verdict> verdict_on(const GangState& gang, const model::Pod& pod,
                                                    const base::Text& text) const;
    void update_figures(GangState& gang);
    void schedule_topology_counts(const model::Event& event, const model::Change& change);

    Facts facts_;
    Outbox outbox_{facts_.options.limits.message_bytes};
    Figures figures_{outbox_};
    StatePublisher publisher_;
    Gangs gangs_;
    Wakeups wakeups_;
    FilterHistory filtered_;
    Ledger ledger_;
    DomainReservations reservations_;
    RefusedNodes refused_nodes_;
    NodeRoom room_{facts_, ledger_};
    StepWork work_{facts_, ledger_};
    PlanQueue queue_{facts_, gangs_, wakeups_, work_};
    Seating seating_{facts_, outbox_, figures_, ledger_, queue_, wakeups_, filtered_};
    EventReporter event_reporter_{facts_, outbox_};
    PlanRecords records_{facts_,          gangs_, outbox_,       figures_, publisher_,
                         event_reporter_, room_,  reservations_, seating_, wakeups_};
    Clearings clearings_{{.facts = facts_,
                          .gangs = gangs_,
                          .outbox = outbox_,
                          .figures = figures_,
                          .ledger = ledger_,
                          .queue = queue_,
                          .seating = seating_,
                          .records = records_,
                          .event_reporter = event_reporter_}};
    TreeChecker checker_{facts_, outbox_};
    Releaser releaser_{facts_, outbox_, figures_};
    PlainBinds plain_{facts_, outbox_, ledger_, queue_};
    PromisedNodes promised_{facts_, gangs_, ledger_, reservations_};
    NodeScorer scorer_{facts_, ledger_, room_, promised_};
    Committer committer_{facts_, outbox_, figures_, seating_, queue_, records_, checker_};
    Barrier barrier_{facts_, gangs_, outbox_, figures_, seating_, queue_, records_, committer_, wakeups_};
    Placeholders placeholders_{facts_, outbox_, figures_, ledger_, seating_, queue_, records_, checker_};
    Starvation starvation_{facts_, outbox_, reservations_, queue_, records_, work_};
    GroupConditions conditions_{facts_, outbox_};
    TreeRefresher tree_{facts_, seating_, queue_, checker_, releaser_, plain_, conditions_, ledger_};
    LongSearches long_searches_{facts_, outbox_, queue_, work_};
    PlanSearch search_{facts_, refused_nodes_, long_searches_, work_};
    YieldingSeats yielding_seats_{gangs_, ledger_, seating_, queue_, work_};
    Preemptor preemptor_{facts_, gangs_, ledger_, refused_nodes_, clearings_, yielding_seats_, work_};
    PlanOutcome outcome_;
    GangPlanner gang_planner_;
    Planner planner_{facts_,     gangs_,         room_,   work_, queue_,        records_,
                     clearings_, long_searches_, ledger_, tree_, gang_planner_, wakeups_};

    bool is_topology_stale_ = false;  // Within a step: some fact has changed the topology.
    bool are_owners_marked_ = false;  // Within a step: the owners of all holds are due.
    Time resolve_at_ = never;         // When to resolve the topology; never: it is up to date.
    Time level_counts_at_ = never;    // When to count the topology for metrics.
};

}  // namespace echelon::engine

#pragma once

// Which capacity is promised to which gang, and what happens next? One state machine per gang, the ledger of holds, the
// queue and the barrier.
//
// Pure: `step` is the only way to change it. No I/O, no thread, no clock, no randomness: time is an argument and
// effects are returned. The same inputs with the same times give the same actions, byte for byte (I14). Not
// thread-safe; one thread owns it.

#include "engine/action.hpp"
#include "engine/input.hpp"
#include "engine/publish/explain_snapshot.hpp"
#include "engine/publish/inspection.hpp"
#include "engine/publish/published_state.hpp"
#include "engine/time.hpp"
#include "model/cluster/cluster.hpp"
#include "solver/solve.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace echelon::engine {

// `Options::step_work` of the service: one to two microseconds each, so that an input waits 50 ms at most.
inline constexpr std::uint64_t service_step_work = 20'000;

struct Options {
    std::map<std::string, ProfileOptions, std::less<>> profiles;  // By schedulerName.
    Time barrier_timeout{50'000};
    std::uint64_t barrier_room = UINT64_MAX;  // Bind calls of members that may wait at the same time.
    Time settle{50};
    Time hold_lifetime{120'000};  // An uncommitted hold is released after this time.
    // How long seats of pods that don't exist yet are held, from the gang's first binding on (H5).
    Time placeholder_lifetime{600'000};
    // How long a node stays refused for a pod class, after kube-scheduler's filters said no (R3).
    Time refused_node_memory{300'000};
    Time claim_after{600'000};       // A gang without room reserves a domain after this; 0: never (Q5).
    Time claim_lifetime{1'800'000};  // How long a domain stays reserved.
    Time epoch{0};                   // Since 1970, when the engine's time is 0: to compare it with declared ends.
    PreemptionOptions preemption;
    solver::SolveOptions budget;
    model::Limits limits;
    bool writes_events = false;  // Events about gangs are sent to the API server.
    std::string identity;        // Names this echelon in commit records; empty: not needed.
    // Reads a clock around each solve, for metrics only: no decision depends on it. Empty: nothing is measured.
    std::function<std::chrono::nanoseconds()> stopwatch;
    std::uint64_t step_work = 0;  // Work limit of one step, in solver steps or work of equal cost; 0: none.
    bool async_searches = false;  // With `step_work`: long searches are actions (`StartSearch`).
    // Names of the `model::Synced` events that must come before anything is decided.
    std::vector<std::string> wait_for;
};

// The options of profiles that the model needs.
[[nodiscard]] model::Profiles model_profiles(const std::map<std::string, ProfileOptions, std::less<>>& profiles);

struct RunningState;

class Engine {
public:
    explicit Engine(Options options);
    ~Engine();
    Engine(Engine&&) noexcept;
    Engine& operator=(Engine&&) noexcept;

    // Processes one input. `now` never goes backwards.
    [[nodiscard]] std::vector<Action> step(const Input& input, Time now);
    // Processes several inputs that came together. Decisions are made once, after the last of them.
    [[nodiscard]] std::vector<Action> step(std::span<const Input> inputs, Time now);
    // When the next `Ticked` is needed; nullopt: not before another input.
    [[nodiscard]] std::optional<Time> wakes_at() const;
    // The published state after the last step. Cheap when little has changed.
    [[nodiscard]] std::shared_ptr<const PublishedState> published();
    // Everything that an explanation of the gang needs; nullopt: no such gang. Copies the snapshot and walks all pods.
    [[nodiscard]] std::optional<ExplainSnapshot> explain_snapshot(const model::GroupKey& root) const;
    // Every promised seat, by node and pod. Walks all gangs.
    [[nodiscard]] std::vector<HeldSeat> held_seats() const;
    // For the victims on each node: may kube-scheduler evict them for another pod (PR6)? Walks their gangs.
    [[nodiscard]] std::vector<bool> may_evict(std::span<const std::vector<std::string>> victims) const;
    // The topology as planning sees it. Copies the snapshot and all nodes.
    [[nodiscard]] TopologyView topology_view() const;
    // All facts, and what is promised beside them. Copies all of it.
    [[nodiscard]] RunningState running_state() const;
    // True if no commit is unfinished and no call waits: a draining process may exit.
    [[nodiscard]] bool is_idle() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace echelon::engine

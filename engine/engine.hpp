#pragma once

// What is PROMISED: one state machine per gang, the ledger of holds, the queue, the barrier.
//
// Pure: `step` is the only door. No I/O, no thread, no clock, no randomness: time is an argument and effects are
// returned. The same inputs with the same times give the same actions, byte for byte (I14). Not thread-safe; one thread
// owns it.

#include "engine/action.hpp"
#include "engine/input.hpp"
#include "engine/publish/evidence.hpp"
#include "engine/publish/picture.hpp"
#include "engine/publish/survey.hpp"
#include "engine/time.hpp"
#include "model/cluster/cluster.hpp"
#include "solver/solve.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace echelon::engine {

struct Options {
    std::map<std::string, ProfileOptions, std::less<>> profiles;  // By schedulerName.
    Time barrier_timeout{50'000};
    std::uint64_t barrier_room = UINT64_MAX;  // Bind calls of members that can wait at once.
    Time settle{50};
    Time hold_lifetime{120'000};  // A hold that isn't committed by then is given back.
    Time placeholder_lifetime{
        600'000};  // Of seats for pods that don't exist yet, from the gang's first binding on (H5).
    Time refused_node_memory{300'000};  // How long (shape, node) stays refused after kube-scheduler's filters said no.
    Time claim_after{600'000};          // A gang refused for want of room for so long claims a domain; 0: never (Q5).
    Time claim_lifetime{1'800'000};     // Then others may have the room again.
    PreemptionOptions preemption;
    solver::SolveOptions budget;
    model::Limits limits;
    bool tells = false;    // Events about gangs are written.
    std::string identity;  // Of this echelon, in commit records; empty: it needs none.
    // Reads a clock around each solve, for the figures alone: no decision depends on it. Empty: nothing is measured.
    std::function<std::chrono::nanoseconds()> stopwatch;
    std::uint64_t step_work = 0;  // Solver steps, or work that costs as much, for one step of the engine; 0: no bound.
    bool searches_apart = false;  // With `step_work`: long searches are actions, not part of a step (`StartSearch`).
    std::vector<std::string> wait_for;  // Names of `model::Synced` that must have come before anything is decided.
};

class Engine {
public:
    explicit Engine(Options options);
    ~Engine();
    Engine(Engine&&) noexcept;
    Engine& operator=(Engine&&) noexcept;

    // One input, its consequences. `now` never goes backwards.
    [[nodiscard]] std::vector<Action> step(const Input& input, Time now);
    // Several inputs that came together: decisions are made once, after the last of them.
    [[nodiscard]] std::vector<Action> step(std::span<const Input> inputs, Time now);
    // When a `Ticked` is wanted next; nullopt: never, unless something happens.
    [[nodiscard]] std::optional<Time> wakes_at() const;
    // The picture after the last step. Cheap when little changed.
    [[nodiscard]] std::shared_ptr<const Picture> picture();
    // What the verdict of a gang is founded on; nullopt: there is no such gang. Copies the snapshot and walks all pods.
    [[nodiscard]] std::optional<ExplainSnapshot> evidence(const model::GroupKey& root) const;
    // Every seat that is promised, by node and pod. Walks all gangs.
    [[nodiscard]] std::vector<HeldSeat> held_seats() const;
    // The topology as planning sees it. Copies the snapshot and all nodes.
    [[nodiscard]] Survey survey() const;
    // True when nothing committed is unfinished and no call waits: a draining process may end.
    [[nodiscard]] bool is_idle() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace echelon::engine

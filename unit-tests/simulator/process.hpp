#pragma once

// What does one `echelon serve` do in the simulation? An engine with a queue of inputs, a watch, writes under way, and
// callbacks that are answered from the last published state. It can be killed between any two actions, paused, drained
// and restarted. Not thread-safe. Inputs and actions of the engine are recorded, so that a run of the process can be
// replayed (I14).

#include "engine/engine.hpp"
#include "unit-tests/simulator/sabotage.hpp"
#include "unit-tests/simulator/watch.hpp"
#include "unit-tests/simulator/witness.hpp"
#include "unit-tests/simulator/world.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace echelon::simulator {

class Process {
public:
    // The answer of filter: some of the given names, or why none.
    struct FilterAnswer {
        std::vector<std::string> names;
        std::string refusal;
        bool is_error = false;
    };
    using Answered = std::function<void(const std::string& error)>;  // Empty: bound.

    Process(World& world, engine::Options options, Sabotage sabotage, std::string name);
    [[nodiscard]] const engine::Options& options() const { return options_; }

    void start(std::uint64_t staleness);
    void kill();
    // Dies after this number of further actions, even within a step.
    void kill_after(std::uint64_t actions) { actions_to_live_ = actions; }
    void drain();            // SIGTERM; dies when it is idle.
    void pause(Time pause);  // Does nothing, like a stopped process or machine.
    void skip(Time jump);    // Its clock jumps ahead.
    void lead(bool leads);
    void push(engine::Input input);

    [[nodiscard]] bool is_alive() const { return life_ != nullptr; }
    [[nodiscard]] FilterAnswer filter(const model::Pod& pod, const std::vector<std::string>& names);
    // `answered` is called once, unless the caller hangs up or the process dies first; 0 if the process isn't
    // listening.
    std::uint64_t bind(const model::PodRef& pod, const std::string& node, Answered answered);
    void hang_up(std::uint64_t call);
    [[nodiscard]] Witness* witness() { return life_ ? &life_->witness : nullptr; }
    [[nodiscard]] Watch* watch() { return life_ ? life_->watch.get() : nullptr; }
    [[nodiscard]] std::shared_ptr<const engine::PublishedState> published() const {
        return life_ ? life_->published : nullptr;
    }
    void expect_quiet();
    std::function<void()> died;  // Every connection to it is gone.
    // Replays the current run from its recording; false: it decided differently.
    [[nodiscard]] bool decides_alike() const;
    bool keeps_history = false;

private:
    struct Step {
        Time now{0};
        std::vector<engine::Input> inputs;
        std::uint64_t actions = 0;  // A hash of them.
    };
    struct Lead {
        std::uint64_t number = 0;         // In order over all processes.
        std::set<std::string> own_plans;  // GangPlans that were written or deleted under it.
    };
    struct Life {
        Life(World& world, const engine::Options& options, Sabotage sabotage, const std::string& name)
            : engine_under_test(options, sabotage),
              witness(world, options, name),
              published(engine_under_test.published()),
              lead(std::make_shared<Lead>(++world.leads)) {}
        SabotagedEngine engine_under_test;
        Witness witness;
        std::shared_ptr<const engine::PublishedState> published;
        std::unique_ptr<Watch> watch;
        std::vector<engine::Input> inbox;
        std::map<std::uint64_t, Answered> calls;
        std::map<std::string, Time> busy_until;  // Writes of one GangPlan go one after another.
        std::shared_ptr<Lead> lead;              // Shared with writes under way, which outlive the process.
        std::vector<Step> history;
        bool is_run_due = false;
        Time wake_asked = Time::max();
    };

    [[nodiscard]] Time now() const { return world_.clock.now() + skew_; }
    void run_soon(Time delay);
    void run();
    void work(std::vector<engine::Input> inputs);
    void ask_for_wake();
    void carry_out(const engine::Action& action);
    void send(const engine::StartWrite& write);
    // Carries out a write with the checks of `kube::PlanRecorder`.
    [[nodiscard]] model::Outcome carried_out(const model::Write& write, Lead& lead) const;
    [[nodiscard]] Time delay_of_write();
    void tell(const std::string& line) const { world_.tell(name_ + " " + line); }

    World& world_;
    engine::Options options_;  // A new identity for each life.
    const Sabotage sabotage_;
    const std::string name_;
    std::shared_ptr<Life> life_;
    std::uint64_t starts_ = 0;
    bool leads_ = false;
    bool is_draining_ = false;
    Time skew_{0};
    Time paused_until_{0};
    std::optional<std::uint64_t> actions_to_live_;
    std::uint64_t last_call_ = 0;
};

// One line, for traces and hashes.
[[nodiscard]] std::string shown(const engine::Input& input);
[[nodiscard]] std::string shown(const engine::Action& action);
[[nodiscard]] std::uint64_t hash_of(std::string_view text, std::uint64_t seed);

}  // namespace echelon::simulator

#pragma once

// One `echelon serve`, as the world sees it: an engine behind a queue of inputs, a watch, writes under way, callbacks
// answered from the last picture. It can be killed between any two actions, paused, drained and started again.
//
// Not thread-safe. What the engine is asked and what it answers is kept, so that a life can be lived again (I14).

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
    // What filter says: some of the names that came, or why none.
    struct Told {
        std::vector<std::string> names;
        std::string refusal;
        bool is_error = false;
    };
    using Answered = std::function<void(const std::string& error)>;  // Empty: bound.

    Process(World& world, engine::Options options, Sabotage sabotage, std::string name);

    void start(std::uint64_t staleness);
    void kill();
    // Dies after that many more actions have been carried out: between any two of one step.
    void kill_after(std::uint64_t actions) { actions_to_live_ = actions; }
    void drain();            // SIGTERM; dies when it is idle.
    void pause(Time pause);  // Stands still, as a stopped process or machine does.
    void skip(Time jump);    // Its clock jumps ahead.
    void lead(bool leads);
    void push(engine::Input input);

    [[nodiscard]] bool is_alive() const { return life_ != nullptr; }
    [[nodiscard]] bool wants_lead() const { return leads_; }
    [[nodiscard]] Told filter(const model::Pod& pod, const std::vector<std::string>& names);
    // `answered` is called once, unless the caller hangs up or the process dies first; 0 when nobody listens.
    std::uint64_t bind(const model::PodRef& pod, const std::string& node, Answered answered);
    void hang_up(std::uint64_t call);
    [[nodiscard]] Witness* witness() { return life_ ? &life_->witness : nullptr; }
    [[nodiscard]] Watch* watch() { return life_ ? life_->watch.get() : nullptr; }
    [[nodiscard]] std::shared_ptr<const engine::Picture> picture() const { return life_ ? life_->picture : nullptr; }
    void expect_quiet();
    std::function<void()> died;  // Every connection to it is gone.
    // Lives the present life again, from a recording of it; false: it decided otherwise.
    [[nodiscard]] bool decides_alike() const;
    bool keeps_history = false;

private:
    struct Step {
        Time now{0};
        std::vector<engine::Input> inputs;
        std::uint64_t actions = 0;  // A hash of them.
    };
    struct Life {
        Life(World& world, const engine::Options& options, Sabotage sabotage, const std::string& name)
            : suspect(options, sabotage), witness(world, options, name), picture(suspect.picture()) {}
        Suspect suspect;
        Witness witness;
        std::shared_ptr<const engine::Picture> picture;
        std::unique_ptr<Watch> watch;
        std::vector<engine::Input> inbox;
        std::map<std::uint64_t, Answered> calls;
        std::map<std::string, Time> busy_until;  // Writes of one GangPlan go one after another.
        // GangPlans that it has written or deleted under this lead; outlives it with what is on its way.
        std::shared_ptr<std::set<std::string>> own_plans = std::make_shared<std::set<std::string>>();
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
    // What the API server does, with the caution of `kube::PlanWriter`.
    [[nodiscard]] model::Outcome carried_out(const model::Write& write, std::set<std::string>& own_plans) const;
    [[nodiscard]] Time delay_of_write();
    void tell(const std::string& line) const { world_.tell(name_ + " " + line); }

    World& world_;
    const engine::Options options_;
    const Sabotage sabotage_;
    const std::string name_;
    std::shared_ptr<Life> life_;
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

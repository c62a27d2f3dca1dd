#pragma once

// How does one run go? From one seed: a cluster, its API server, one or two pairs of kube-scheduler and echelon, and
// faults; then a quiet time in which gangs must make progress.
//
// Deterministic: equal orders give equal runs, to the byte of the trace. Not thread-safe; runs share nothing.

#include "unit-tests/simulator/faults.hpp"
#include "unit-tests/simulator/process.hpp"
#include "unit-tests/simulator/scheduler.hpp"
#include "unit-tests/simulator/tenants.hpp"
#include "unit-tests/simulator/world.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace echelon::simulator {

struct Order {
    std::uint64_t seed = 1;
    std::uint64_t steps = 2000;             // About this many deliveries, two thirds of them under faults.
    std::set<std::uint32_t> left_out = {};  // Injections, by their number, that don't happen.
    std::uint32_t most = UINT32_MAX;        // Injections from this number on don't happen either.
    Sabotage sabotage = Sabotage::none;
    bool is_tracing = false;
    std::string watched = {};  // Only this invariant counts; empty: every one.
    bool lives_again = false;  // Every run of a process is replayed and compared (I14).
};

struct Injected {
    std::uint32_t number = 0;
    Fault fault = Fault::write_refused;
};

struct Report {
    std::optional<Violation> violation;
    std::uint64_t steps = 0;
    Time lasted{0};
    std::vector<Injected> injected;
    std::vector<std::string> trace;
    std::uint64_t members_bound = 0, commits = 0, gangs_bound = 0, gangs_waiting = 0;
};

[[nodiscard]] Report simulate(const Order& order);

// The same failure with as few injections as possible; `order.left_out` grows. At most `runs` runs.
[[nodiscard]] Order minimised(Order order, const Report& failed, std::uint32_t runs);

class Simulation {
public:
    explicit Simulation(const Order& order);
    [[nodiscard]] Report run();

private:
    struct Pair {
        std::unique_ptr<Process> process;
        std::unique_ptr<Scheduler> scheduler;
    };

    void set_up();
    void inject_next();
    void inject(Fault fault, Random& random);
    void inject_weather(Fault fault, Random& random);
    void inject_watch(Fault fault, Random& random);
    void inject_call(Fault fault, Random& random);
    void inject_lead(Fault fault, Random& random);
    void inject_node(Fault fault, Random& random);
    void inject_member(Fault fault, Random& random);
    void inject_process(Fault fault, Random& random);
    void lead(std::size_t pair);
    void start_later(Pair& pair, Random& random, std::uint64_t staleness);
    void change_node(const std::string& name, Random& random, Fault fault);
    void calm_down();
    void judge_the_end();
    void count_gangs(Report& report) const;
    [[nodiscard]] Pair& any_pair(Random& random) { return pairs_[random.below(pairs_.size())]; }
    [[nodiscard]] Process& leader() { return *pairs_[leader_].process; }

    const Order order_;
    World world_;
    OwnRefusals refusals_;
    std::vector<Pair> pairs_;
    std::size_t leader_ = 0;
    std::unique_ptr<Tenants> tenants_;
    std::vector<Injected> injected_;
    std::uint32_t last_number_ = 0;
    Time gap_{100};
    Time quiet_begins_{0};
};

// ---- The end of a run (the truth after a long quiet).

// I10: what the leader knows and has recorded equals the true state.
void check_i10_cache_truth(World& world, Process& leader);
// I11: everything that can be placed is bound.
void check_i11_liveness(World& world, Process& leader);
// I1: the record of a broken gang says so.
void check_i1_nothing_left_silently(World& world);
// P5: no gang waits for victims any more.
void check_p5_no_clearing_is_left(World& world);
// I7: every hold has a reason.
void check_i7_nothing_held(World& world, Process& leader);

}  // namespace echelon::simulator

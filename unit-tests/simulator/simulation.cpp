#include "unit-tests/simulator/simulation.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::simulator {

namespace {

constexpr Time quiet_lasts{25 * 60'000};       // Longer than every memory, back-off and flush.
constexpr std::uint64_t quiet_steps = 60'000;  // More is a hot loop.

// In a share of the runs a gang that waits long claims a domain (Q5), for a while that is over well before the end.
void let_claim(engine::Options& options, std::uint64_t seed) {
    Random random(mixed(seed ^ 0xc1a1));
    static const std::vector<std::int64_t> ages{20'000, 60'000, 120'000};
    static const std::vector<std::int64_t> lifetimes{30'000, 90'000, 240'000};
    options.claim_after = Time{0};
    if (!random.chance(300))
        return;
    options.claim_after = Time{random.one_of(ages)};
    options.claim_lifetime = Time{random.one_of(lifetimes)};
}

engine::Options options_of(Random& random) {
    engine::Options options;
    options.profiles[scheduler_name] = {.nominate = random.chance(750)};
    // Members come together only if the barrier waits longer than kube-scheduler's longest back-off, 10 s.
    static const std::vector<std::int64_t> barriers{15'000, 20'000, 50'000};
    static const std::vector<std::int64_t> lifetimes{20'000, 60'000, 120'000};
    options.barrier_timeout = Time{random.one_of(barriers)};
    options.hold_lifetime = Time{random.one_of(lifetimes)};
    options.refused_node_memory = Time{random.chance(500) ? 20'000 : 300'000};
    return options;
}

// In a share of the runs pods are evicted for more important gangs (P1).
void let_preempt(engine::Options& options, std::uint64_t seed) {
    Random random(mixed(seed ^ 0xe71c7));
    static const std::vector<std::int64_t> timeouts{10'000, 60'000, 300'000};
    if (!random.chance(300))
        return;
    options.profiles.at(scheduler_name).preempt = true;
    options.preemption.timeout = Time{random.one_of(timeouts)};
    options.preemption.most_victims = random.chance(200) ? 2 : 512;
    options.preemption.foreign = random.chance(300);
}

// In a third of the runs a step of the engine plans a gang or two, and the rest stays due; half of those search apart
// from their steps (BD4).
void limit_steps(engine::Options& options, std::uint64_t seed) {
    Random random(mixed(seed ^ 0x57e9));
    static const std::vector<std::int64_t> works{20, 100, 1'000};
    if (!random.chance(333))
        return;
    options.step_work = static_cast<std::uint64_t>(random.one_of(works));
    options.async_searches = random.chance(500);
}

// In a share of the runs late members may come after their room was given back (H5).
void let_come_too_late(engine::Options& options, std::uint64_t seed) {
    Random random(mixed(seed ^ 0x9ace));
    static const std::vector<std::int64_t> lifetimes{2'000, 20'000, 60'000};
    if (random.chance(400))
        options.placeholder_lifetime = Time{random.one_of(lifetimes)};
}

}  // namespace

Report simulate(const Order& order) {
    return Simulation(order).run();
}

Simulation::Simulation(const Order& order) : order_(order), world_(order.seed) {
    world_.is_tracing = order.is_tracing;
    world_.watched = order.watched;
    set_up();
}

void Simulation::set_up() {
    Random random(mixed(order_.seed ^ 0x5e7));
    auto options = options_of(random);
    let_claim(options, order_.seed);
    let_preempt(options, order_.seed);
    limit_steps(options, order_.seed);
    let_come_too_late(options, order_.seed);
    world_.api.has_devices = Random(mixed(order_.seed ^ 0xde71ce)).chance(200);
    options.wait_for.assign(stream_names.begin(), stream_names.begin() + world_.api.streams());
    world_.api.serves_plans = !random.chance(50);
    SchedulerHabits habits;
    // A client gives up five seconds after the barrier does, unless somebody configured it badly.
    habits.http_timeout = options.barrier_timeout + Time{random.chance(800) ? 5'000 : -500};
    habits.samples = options.profiles.at(scheduler_name).nominate && random.chance(400);
    habits.pops_from_backoff = random.chance(500);
    const std::size_t pairs = random.chance(350) ? 2 : 1;
    for (std::size_t at = 0; at < pairs; ++at) {
        auto& pair = pairs_.emplace_back();
        pair.process = std::make_unique<Process>(world_, options, order_.sabotage, fmt::format("echelon-{}", at));
        pair.process->keeps_history = order_.lives_again;
        pair.scheduler =
            std::make_unique<Scheduler>(world_, *pair.process, habits, refusals_, fmt::format("scheduler-{}", at));
        pair.process->died = [scheduler = pair.scheduler.get()] { scheduler->lose_neighbour(); };
    }
    world_.api.changed = [this](Stream stream) {
        for (auto& pair : pairs_) {
            if (auto* watch = pair.process->watch())
                watch->wake(stream);
            pair.scheduler->wake(stream);
        }
        if (stream != Stream::plans)
            return;
        const auto* gone = std::get_if<model::PlanGone>(&world_.api.history(stream).back());
        for (auto& [root, named] : world_.victims) {
            if (gone != nullptr && root.name == gone->ns + "/" + gone->name)
                named.epoch = -1;
        }
        const auto* seen = std::get_if<model::PlanSeen>(&world_.api.history(stream).back());
        if (seen == nullptr)
            return;
        world_.promises[seen->record.root].hear(seen->record);
        if (!world_.victims[seen->record.root].hear(seen->record, world_.writer, world_.api.truth()))
            world_.fail("P4",
                        fmt::format("the record of \"{}\" names more victims than before", seen->record.root.name));
        const auto phase = seen->record.phase;
        if (phase != model::Phase::committed && phase != model::Phase::bound)
            return;
        for (const auto& seat : seen->record.seats)
            world_.recorded[seen->record.root].insert(seat.uid);
    };
    tenants_ = std::make_unique<Tenants>(world_, order_.seed);
    tenants_->move_in(random);
    for (auto& pair : pairs_)
        pair.process->start(0);
    lead(0);
    static const std::vector<std::int64_t> gaps{30, 100, 400, 1500, 5000};
    gap_ = Time{random.one_of(gaps)};
    world_.clock.after(Time{random.between(0, 2000)}, [this] { inject_next(); });
}

void Simulation::lead(std::size_t pair) {
    leader_ = pair;
    for (std::size_t at = 0; at < pairs_.size(); ++at) {
        pairs_[at].process->lead(at == pair);
        pairs_[at].scheduler->lead(at == pair);
    }
}

void Simulation::inject_next() {
    if (world_.is_quiet)
        return;
    const auto number = last_number_++;
    Random random(mixed(order_.seed * 1'000'003 + number));
    std::uint32_t sum = 0;
    for (const auto& row : fault_rows)
        sum += row.weight;
    auto at = static_cast<std::uint32_t>(random.below(sum));
    std::size_t fault = 0;
    while (at >= fault_rows[fault].weight)
        at -= fault_rows[fault++].weight;
    const auto delay = Time{random.between(0, gap_.count() * 2)};
    if (number < order_.most && !order_.left_out.contains(number)) {
        injected_.push_back({number, static_cast<Fault>(fault)});
        world_.tell(fmt::format("{:>9} inject {} ({}): {}", world_.clock.now().count(), number,
                                fault_rows[fault].number, fault_rows[fault].name));
        inject(static_cast<Fault>(fault), random);
    }
    world_.clock.after(delay, [this] { inject_next(); });
}

Report Simulation::run() {
    const auto chaos_steps = order_.steps * 2 / 3;
    while (!world_.violation && !world_.clock.is_empty() && world_.steps < chaos_steps) {
        ++world_.steps;
        world_.clock.run_next();
    }
    calm_down();
    const auto end = world_.clock.now() + quiet_lasts;
    const auto most = world_.steps + quiet_steps;
    while (!world_.violation && !world_.clock.is_empty() && world_.clock.next() <= end) {
        ++world_.steps;
        world_.clock.run_next();
        if (world_.steps > most)
            world_.fail("I12", fmt::format("{} steps without any fault", quiet_steps));
    }
    if (!world_.violation)
        judge_the_end();
    Report report;
    report.violation = world_.violation;
    report.steps = world_.steps;
    report.lasted = world_.clock.now();
    report.injected = std::move(injected_);
    report.trace = std::move(world_.trace);
    count_gangs(report);
    return report;
}

void Simulation::calm_down() {
    if (world_.violation)
        return;
    world_.tell(fmt::format("{:>9} quiet", world_.clock.now().count()));
    world_.is_quiet = true;
    quiet_begins_ = world_.clock.now();
    world_.weather = {};
    refusals_.clear();
    lead(0);
    for (auto& pair : pairs_) {
        pair.scheduler->be_calm();
        pair.process->start(0);
        pair.process->expect_quiet();
    }
    tenants_->set_right();
}

void Simulation::judge_the_end() {
    auto& process = *pairs_[0].process;
    if (!process.is_alive())
        return world_.fail("I11", "the leader is dead in the end");
    check_i10_cache_truth(world_, process);
    check_i1_nothing_left_silently(world_);
    check_i7_nothing_held(world_, process);
    check_p5_no_clearing_is_left(world_);
    check_i11_liveness(world_, process);
    for (auto& pair : pairs_) {
        if (!pair.process->decides_alike())
            world_.fail("I14", "the same inputs led to other actions");
    }
}

void Simulation::count_gangs(Report& report) const {
    const auto& truth = world_.api.truth();
    for (const auto& root : roots_of(truth)) {
        const auto tree = tree_of(truth, root);
        ++(is_met(truth, tree, settled_counts(truth, tree)) ? report.gangs_bound : report.gangs_waiting);
    }
    for (const auto& pair : pairs_) {
        if (const auto published = pair.process->published()) {
            report.members_bound += published->stats.members_bound;
            report.commits += published->stats.commits;
        }
    }
}

}  // namespace echelon::simulator

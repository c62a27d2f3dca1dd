#pragma once

// What does the life of a gang cost the engine, from its first pod to its last binding? The API server and
// kube-scheduler are simulated at no cost.
//
// Every input is a separate step, after which the state is published. This is the worst case, since the service handles
// inputs in batches. Shared by the benchmark of the engine and the gates.

#include "engine/engine.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::bench {

inline constexpr int gpus_of_host = 8;  // GPUs of each node.

inline double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

inline model::Node host_number(int number) {
    model::Node node;
    node.name = fmt::format("n{:05}", number);
    node.uid = node.name;
    node.labels = {{"rack", fmt::format("r{}", number / 64)}, {"kubernetes.io/hostname", node.name}};
    node.allocatable = {{"cpu", 64'000}, {"pods", 110}, {"gpu", gpus_of_host}};
    return node;
}

inline model::Group group_named(const std::string& name, int minimum) {
    model::Group group;
    group.key = {"podgroup", "default/" + name};
    group.minimum = minimum;
    group.uid = name;
    group.api_version = "scheduling.k8s.io/v1alpha3";
    group.api_kind = "PodGroup";
    return group;
}

// Like those of the API server: of 36 characters, which begin at random.
inline std::string uid_of(std::string_view group, int number) {
    const auto hash = std::hash<std::string>()(fmt::format("{}-{}", group, number));
    return fmt::format("{:08x}-0000-4000-8000-{:012}", hash >> 32U, number);
}

inline model::Pod pod_of(const model::Group& group, int number, int gpus_each) {
    model::Pod pod;
    pod.uid = uid_of(group.uid, number);
    pod.ns = "default";
    pod.name = fmt::format("{}-{}", group.uid, number);
    pod.scheduler_name = "default-scheduler";
    pod.pod_class.requests = {{"cpu", 1000}, {"pods", 1}, {"gpu", gpus_each}};
    pod.gates = {model::gang_gate};
    pod.membership = model::Membership{group.key, {}, number, ""};
    return pod;
}

// A pod of no gang that fills a node.
inline model::Pod running_pod(int number) {
    auto pod = pod_of(group_named("runs", 1), number, gpus_of_host);
    pod.membership.reset();
    pod.gates.clear();
    pod.node = host_number(number).name;
    return pod;
}

// An input of a simulated life, for `repeat`. `is_measured`: it is one of the steps until the gang has its seats.
struct Recorded {
    engine::Time when{};
    engine::Input input;
    bool is_measured = false;
};

// `step_work`: as in the service (BD4); 0: everything that is due is planned in one step.
struct GangWorld {
    explicit GangWorld(int nodes, std::uint64_t step_work = 0) : engine(options(step_work)) {
        model::Topology topology;
        topology.name = "fabric";
        topology.source = model::TopologySource::configuration;
        topology.levels = {"rack", "kubernetes.io/hostname"};
        see(model::TopologySeen{topology});
        for (int number = 0; number < nodes; ++number)
            take(engine::Observed{model::NodeSeen{host_number(number)}});
    }

    static engine::Options options(std::uint64_t step_work) {
        engine::Options options;
        options.profiles["default-scheduler"] = {};
        options.wait_for = {"all"};
        options.step_work = step_work;
        return options;
    }

    void see(model::Event event) { take(engine::Observed{std::move(event)}); }
    void take(const engine::Input& input) {
        if (before_step)
            before_step();
        if (record != nullptr)
            record->push_back({now, input, measures_steps});
        const bool is_timed = measures_steps || before_step;
        const auto begin = is_timed ? processor_seconds() : 0;
        auto actions = engine.step(input, now);
        last = engine.published();
        if (is_timed) {
            const auto took = processor_seconds() - begin;
            longest = measures_steps ? std::max(longest, took) : longest;
            in_steps += took;
        }
        if (todo.empty()) {
            todo = std::move(actions);
        } else {
            todo.insert(todo.end(), std::make_move_iterator(actions.begin()), std::make_move_iterator(actions.end()));
        }
    }
    void pass(engine::Time time) {
        const auto end = now + time;
        settle();
        for (auto wake = engine.wakes_at(); wake && *wake <= end; wake = engine.wakes_at()) {
            now = std::max(now, *wake);
            take(engine::Ticked{});
            settle();
        }
        now = end;
    }
    void settle() {
        while (!todo.empty()) {
            for (const auto& action : std::exchange(todo, {})) {
                const auto* write = std::get_if<engine::StartWrite>(&action);
                if (write == nullptr)
                    continue;
                if (holds_back && holds_back(*write)) {
                    held_back.push_back(*write);
                } else {
                    finish(*write);
                }
            }
        }
    }
    // The API server has carried out the write.
    void finish(const engine::StartWrite& write) {
        model::Outcome outcome;
        if (const auto* read = std::get_if<model::ReadGroup>(&write.what))
            outcome.uid = read->name;
        if (const auto* bind = std::get_if<model::BindPod>(&write.what))
            change(bind->pod.uid, [&](model::Pod& pod) { pod.node = bind->node; });
        if (const auto* nominate = std::get_if<model::NominatePod>(&write.what))
            change(nominate->pod.uid, [&](model::Pod& pod) { pod.nominated_node = nominate->node; });
        if (const auto* ungate = std::get_if<model::UngatePod>(&write.what))
            change(ungate->pod.uid, [&](model::Pod& pod) { std::erase(pod.gates, model::gang_gate); });
        take(engine::Written{write.write, outcome});
    }
    template <typename Change>
    void change(const std::string& uid, const Change& how) {
        auto& pod = pods.at(uid);
        how(pod);
        see(model::PodSeen{pod});
    }
    void come(const model::Pod& pod) {
        pods[pod.uid] = pod;
        see(model::PodSeen{pod});
    }

    engine::Engine engine;
    std::shared_ptr<const engine::PublishedState> last;  // Published after the last step.
    engine::Time now{1000};
    std::vector<engine::Action> todo;
    std::map<std::string, model::Pod> pods;
    std::function<bool(const engine::StartWrite&)> holds_back;  // Writes that stay in `held_back`.
    std::vector<engine::StartWrite> held_back;
    std::vector<Recorded>* record = nullptr;  // If not null, each input is added to it.
    bool measures_steps = false;              // Reading the clock for each step costs as much as a small step.
    double longest = 0;                       // CPU seconds.
    std::function<void()> before_step;        // Not timed.
    double in_steps = 0;                      // CPU seconds of all timed steps.
};

// All members at the barrier, then bound. Returns the seconds of the longest step until they have their seats.
inline double live(GangWorld& world, int members, int gpus_each) {
    const auto group = group_named("train", members);
    world.see(model::GroupSeen{group});
    for (int number = 0; number < members; ++number)
        world.come(pod_of(group, number, gpus_each));
    world.measures_steps = true;
    while (world.engine.published()->stats.held_seats == 0 && world.engine.wakes_at()) {
        world.now = std::max(world.now, *world.engine.wakes_at());
        world.take(engine::Ticked{});
    }
    world.measures_steps = false;
    world.pass(engine::Time{2000});
    std::uint64_t call = 0;
    for (const auto& [uid, pod] : world.pods) {
        world.take(engine::Filtered{uid, engine::Filtered::Answer::pinned, 1, pod.nominated_node});
        world.take(engine::BindCalled{++call, {pod.ns, pod.name, uid}, pod.nominated_node});
    }
    world.pass(engine::Time{2000});
    return world.longest;
}

// The same inputs for a world that is as the recorded one was. The engine does the same, and nothing is simulated
// beside it. Returns the seconds of the longest step that was measured.
inline double repeat(GangWorld& world, const std::vector<Recorded>& inputs) {
    double longest = 0;
    for (const auto& [when, input, is_measured] : inputs) {
        const auto begin = is_measured ? processor_seconds() : 0;
        static_cast<void>(world.engine.step(input, when));
        world.last = world.engine.published();
        if (is_measured)
            longest = std::max(longest, processor_seconds() - begin);
    }
    return longest;
}

}  // namespace echelon::bench

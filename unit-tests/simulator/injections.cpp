// How each fault is brought about.

#include "unit-tests/simulator/simulation.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::simulator {

namespace {

constexpr std::uint64_t always = 1000;

std::vector<std::string> node_names(const View& view) {
    std::vector<std::string> names;
    for (const auto& [name, node] : view.nodes)
        names.push_back(name);
    return names;
}

model::PodRef ref_of(const model::Pod& pod) {
    return {pod.ns, pod.name, pod.uid};
}

}  // namespace

// One row for each fault: the function that injects it.
void Simulation::inject(Fault fault, Random& random) {
    if (fault <= Fault::write_slow)
        return inject_weather(fault, random);
    if (fault <= Fault::unknown_objects)
        return inject_watch(fault, random);
    if (fault == Fault::member_recreated || fault == Fault::list_shrinks || fault == Fault::bound_by_another)
        return inject_member(fault, random);
    if (fault <= Fault::bind_deleted)
        return inject_call(fault, random);
    if (fault <= Fault::lead_lost)
        return inject_lead(fault, random);
    if (fault <= Fault::node_relabelled || fault == Fault::node_added || fault == Fault::node_mended)
        return inject_node(fault, random);
    if (fault >= Fault::killed && fault <= Fault::clock_jump)
        return inject_process(fault, random);
    inject_member(fault, random);
}

void Simulation::inject_weather(Fault fault, Random& random) {
    Weather weather;
    const auto share = random.chance(300) ? always : static_cast<std::uint64_t>(random.between(100, 700));
    if (fault == Fault::write_refused)
        weather.refused = share;
    if (fault == Fault::write_lost)
        weather.lost = share;
    if (fault == Fault::write_forbidden)
        weather.rejected = share;
    if (fault == Fault::write_slow) {
        weather.slow = share;
        weather.slowness = Time{random.chance(300) ? 70'000 : 2'000};
    }
    weather.until = world_.clock.now() + Time{random.between(5, random.chance(300) ? 20'000 : 800)};
    world_.weather = weather;
}

void Simulation::inject_watch(Fault fault, Random& random) {
    auto& process = *any_pair(random).process;
    auto* watch = process.watch();
    if (watch == nullptr)
        return;
    const auto stream = static_cast<Stream>(random.below(world_.api.streams()));
    const auto pause = Time{random.between(0, random.chance(200) ? 8'000 : 400)};
    if (fault == Fault::watch_repeats) {
        watch->repeat(stream);
    } else if (fault == Fault::unknown_objects) {
        process.push(engine::Observed{model::PodGone{"nobody-0001"}});
        process.push(engine::Observed{model::NodeGone{"nowhere"}});
        process.push(engine::Observed{model::GroupGone{{"podgroup", "default/none"}, "none-0001"}});
        process.push(engine::Observed{model::PlanGone{"default", "none"}});
        process.push(engine::Written{std::uint64_t{1} << 50U, {}});
        process.push(engine::CallerGone{std::uint64_t{1} << 50U});
    } else {
        watch->interrupt(stream, fault == Fault::watch_silent ? pause * 4 : pause, fault == Fault::watch_relists);
    }
}

// Calls that no sound kube-scheduler makes; their answers are ignored.
void Simulation::inject_call(Fault fault, Random& random) {
    auto& process = leader();
    const auto names = node_names(world_.api.truth());
    const auto* pod = tenants_->any_member(random, true);
    if (fault == Fault::bind_deleted || pod == nullptr) {
        process.bind({"default", "g1-p0", "g1-p0-0000"}, names.empty() ? "n00" : random.one_of(names),
                     [](const auto&) {});
        return;
    }
    if (fault == Fault::filter_oddly) {
        static_cast<void>(process.filter(*pod, {}));
        if (!names.empty())
            static_cast<void>(process.filter(*pod, {random.one_of(names)}));
        static_cast<void>(process.filter(*pod, {"nowhere", "elsewhere"}));
        return;
    }
    auto ref = ref_of(*pod);
    const auto published = process.published();
    const auto* verdict = published ? published->verdict(pod->uid) : nullptr;
    auto node = verdict != nullptr && !verdict->node.empty() ? verdict->node : base::Text("n00");
    if (fault == Fault::bind_elsewhere)
        node = names.empty() || random.chance(100) ? "nowhere" : random.one_of(names);
    if (fault == Fault::bind_wrong_uid)
        ref.uid = random.chance(500) ? "" : pod->uid + "x";
    const auto call = process.bind(ref, node, [](const auto&) {});
    if (call != 0 && random.chance(500))
        world_.clock.after(Time{random.between(0, 5000)}, [&process, call] { process.hang_up(call); });
}

void Simulation::inject_lead(Fault fault, Random& random) {
    auto& pair = pairs_[leader_];
    if (fault == Fault::client_time_out)
        return pair.scheduler->time_out(random);
    if (fault == Fault::scheduler_restart)
        return pair.scheduler->restart();
    const auto next = (leader_ + 1) % pairs_.size();
    const auto moment = Time{random.between(1, 3000)};
    if (fault == Fault::lead_switch) {
        lead(next);
    } else if (fault == Fault::lead_overlap) {
        for (auto& other : pairs_) {
            other.process->lead(true);
            other.scheduler->lead(true);
        }
        world_.clock.after(moment, [this] { lead(leader_); });
    } else {
        for (auto& other : pairs_) {
            other.process->lead(false);
            other.scheduler->lead(false);
        }
        world_.clock.after(moment, [this] { lead(leader_); });
    }
}

void Simulation::inject_node(Fault fault, Random& random) {
    if (fault == Fault::node_added)
        return tenants_->add_node(random);
    if (fault == Fault::node_lost)
        return tenants_->lose_node(random);
    if (fault == Fault::node_relabelled)
        return tenants_->relabel(random);
    if (const auto* node = tenants_->any_node(random))
        change_node(std::string(node->name), random, fault);
}

void Simulation::change_node(const std::string& name, Random& random, Fault fault) {
    auto node = world_.api.truth().nodes.at(name);
    if (fault == Fault::node_unusable) {
        (random.chance(500) ? node.unschedulable : node.deleting) = random.chance(900);
        node.ready = random.chance(700);
    } else if (fault == Fault::node_tainted) {
        node.taints = {{"example.com/odd", "", model::TaintEffect::no_schedule}};
    } else if (fault == Fault::node_shrunk) {
        node.allocatable.set(gpu, random.between(0, 4));
    } else {
        node.unschedulable = false;
        node.deleting = false;
        node.ready = true;
        node.taints.clear();
        node.allocatable.set(gpu, 8);
    }
    world_.api.put(node);
}

void Simulation::inject_member(Fault fault, Random& random) {
    const auto* waiting = tenants_->any_member(random, true);
    const auto* running = tenants_->any_member(random, false);
    const auto* any = random.chance(500) && waiting != nullptr ? waiting : running;
    if (fault == Fault::group_cycle)
        return tenants_->close_a_cycle(random);
    if (fault == Fault::group_unreadable)
        return tenants_->spoil_a_group(random);
    if (fault == Fault::minimum_changed)
        return tenants_->change_minimum(random);
    if (fault == Fault::level_changed)
        return tenants_->change_level(random);
    if (fault == Fault::group_deleted)
        return tenants_->delete_group(random);
    if (fault == Fault::gang_deleted)
        return tenants_->delete_gang(random);
    if (fault == Fault::gang_created)
        return tenants_->add_gang(random);
    if (fault == Fault::plain_pods)
        return tenants_->add_plain_pods(random);
    if (fault == Fault::gate_opens)
        return tenants_->open_gates();
    if (fault == Fault::pods_beside) {
        for (auto count = random.between(1, 3); count > 0; --count)
            tenants_->add_pod_beside(random);
        return;
    }
    if (fault == Fault::plan_deleted) {
        if (!world_.api.truth().plans.empty())
            world_.api.remove_plan(std::string(world_.api.truth().plans.begin()->first));
        return;
    }
    if (fault == Fault::own_filters_refuse) {
        const auto* node = tenants_->any_node(random);
        if (any == nullptr || node == nullptr)
            return;
        const std::pair refusal(any->membership->leaf.name, node->name);
        refusals_.insert(refusal);
        world_.clock.after(Time{random.between(500, 60'000)}, [this, refusal] { refusals_.erase(refusal); });
        return;
    }
    if (any == nullptr)
        return;
    if (fault == Fault::bound_by_another) {
        const auto names = node_names(world_.api.truth());
        if (waiting == nullptr || names.empty())
            return;
        const auto node = random.one_of(names);
        if (claim_of(*waiting).empty() || (waiting->gates.empty() && world_.api.allocate(*waiting, node)))
            static_cast<void>(world_.api.carry_out(model::BindPod{ref_of(*waiting), node, ""}));
    } else if (fault == Fault::member_ends) {
        if (running == nullptr || running->is_finished())
            return;  // An end is final.
        auto ended = *running;
        ended.phase = random.chance(500) ? model::PodPhase::succeeded : model::PodPhase::failed;
        world_.api.put(ended);
    } else if (fault == Fault::list_shrinks) {
        if (auto* watch = leader().watch())
            watch->interrupt(Stream::pods, Time{random.between(0, 500)}, true);
        tenants_->delete_pod(any->uid, random);
    } else {
        if (fault == Fault::member_recreated)
            tenants_->remake(Time{random.between(0, 30)});
        tenants_->delete_pod(std::string(any->uid), random);
    }
}

void Simulation::start_later(Pair& pair, Random& random, std::uint64_t staleness) {
    world_.clock.after(Time{random.between(1, random.chance(300) ? 10'000 : 100)},
                       [process = pair.process.get(), staleness] { process->start(staleness); });
}

void Simulation::inject_process(Fault fault, Random& random) {
    auto& pair = random.chance(700) ? pairs_[leader_] : any_pair(random);
    if (fault == Fault::paused)
        return pair.process->pause(Time{random.between(100, random.chance(200) ? 70'000 : 3'000)});
    if (fault == Fault::clock_jump)
        return pair.process->skip(Time{random.between(1'000, random.chance(300) ? 3'600'000 : 60'000)});
    if (fault == Fault::drained) {
        pair.process->drain();
        // A process that ended is started again, as a kubelet does.
        const auto again = Time{random.between(1, 1000)};
        pair.process->died = [this, again, scheduler = pair.scheduler.get(), process = pair.process.get()] {
            scheduler->lose_neighbour();
            world_.clock.after(again, [process] { process->start(0); });
        };
        return;
    }
    const std::uint64_t staleness = fault == Fault::killed_stale ? random.below(12) : 0;
    const auto again = Time{random.between(1, random.chance(300) ? 10'000 : 100)};
    pair.process->died = [this, again, staleness, scheduler = pair.scheduler.get(), process = pair.process.get()] {
        scheduler->lose_neighbour();
        world_.clock.after(again, [process, staleness] { process->start(staleness); });
    };
    if (random.chance(400))
        return pair.process->kill();
    pair.process->kill_after(random.below(12));
}

}  // namespace echelon::simulator

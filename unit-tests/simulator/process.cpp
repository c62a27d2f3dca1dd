#include "unit-tests/simulator/process.hpp"

#include "kube/write/plan_precedence.hpp"
#include "replay/recording.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::simulator {

namespace {

using Kind = model::Outcome::Kind;

std::uint64_t hash_of_all(const std::vector<engine::Action>& actions) {
    std::uint64_t hash = 0;
    for (const auto& action : actions)
        hash = hash_of(shown(action), hash);
    return hash;
}

}  // namespace

Process::Process(World& world, engine::Options options, Sabotage sabotage, std::string name)
    : world_(world), options_(std::move(options)), sabotage_(sabotage), name_(std::move(name)) {}

void Process::start(std::uint64_t staleness) {
    if (life_ || world_.violation)
        return;
    tell("starts");
    is_draining_ = false;
    actions_to_live_.reset();
    options_.identity = fmt::format("{}-{}", name_, ++starts_);
    life_ = std::make_shared<Life>(world_, options_, sabotage_, name_);
    auto pace = WatchPace{};
    pace.lag_per_mille = 10;
    life_->watch = std::make_unique<Watch>(world_.clock, world_.api, world_.random, pace,
                                           [this](model::Event event) { push(engine::Observed{std::move(event)}); });
    model::Topology topology;
    topology.name = "fabric";
    topology.source = model::TopologySource::configuration;
    topology.levels = {block_key, rack_key, host_key};
    push(engine::LeadChanged{leads_});
    push(engine::Observed{model::TopologySeen{topology}});
    model::DeviceClass device_class;
    device_class.name = device;
    if (world_.api.has_devices) {
        push(engine::Observed{model::DeviceClassSeen{device_class}});
        for (std::int64_t devices = 1; devices <= most_devices; ++devices)
            push(engine::Observed{
                model::DeviceTemplateSeen{{"default", claim_template_of(devices), demand_of(devices)}}});
    }
    life_->watch->start(staleness);
    if (world_.is_quiet)
        expect_quiet();
}

void Process::kill() {
    if (!life_)
        return;
    tell("dies");
    life_.reset();
    actions_to_live_.reset();
    if (died)
        died();
}

void Process::drain() {
    if (!life_ || is_draining_)
        return;
    is_draining_ = true;
    push(engine::Draining{});
    // It ends when it has nothing unfinished, or is killed when its grace period is over.
    world_.clock.after(options_.barrier_timeout, [this, life = std::weak_ptr(life_)] {
        if (const auto same = life.lock(); same && same == life_)
            kill();
    });
}

void Process::pause(Time pause) {
    paused_until_ = std::max(paused_until_, world_.clock.now() + pause);
}

void Process::skip(Time jump) {
    skew_ += jump;
    if (life_)
        run_soon(Time{world_.random.between(0, 1000)});  // Its loop never sleeps longer than a second.
}

void Process::lead(bool leads) {
    if (std::exchange(leads_, leads) == leads)
        return;
    if (life_ && leads)
        life_->lead = std::make_shared<Lead>(++world_.leads);
    push(engine::LeadChanged{leads});
}

void Process::expect_quiet() {
    if (life_)
        life_->witness.expect_quiet(now());
}

void Process::push(engine::Input input) {
    if (!life_)
        return;
    life_->inbox.push_back(std::move(input));
    run_soon(Time{world_.random.chance(100) ? 1 : 0});
}

void Process::run_soon(Time delay) {
    if (std::exchange(life_->is_run_due, true))
        return;
    const auto when = std::max(world_.clock.now() + delay, paused_until_);
    world_.clock.at(when, [this, life = std::weak_ptr(life_)] {
        if (const auto same = life.lock(); same && same == life_)
            run();
    });
}

void Process::run() {
    life_->is_run_due = false;
    if (world_.clock.now() < paused_until_)
        return run_soon(Time{0});
    const auto life = life_;
    while (!life->inbox.empty() && life == life_) {
        // The loop takes all queued inputs; usually that is one.
        const auto most = world_.random.chance(700) ? 1 : 16;
        const auto count = std::min<std::size_t>(static_cast<std::size_t>(most), life->inbox.size());
        const auto end = life->inbox.begin() + static_cast<std::ptrdiff_t>(count);
        std::vector<engine::Input> batch(std::make_move_iterator(life->inbox.begin()), std::make_move_iterator(end));
        life->inbox.erase(life->inbox.begin(), end);
        work(std::move(batch));
    }
    if (life != life_)
        return;
    if (const auto wake = life->engine_under_test.wakes_at(); wake && *wake <= now())
        work({engine::Ticked{}});
    if (life == life_)
        ask_for_wake();
}

void Process::ask_for_wake() {
    const auto wake = life_->engine_under_test.wakes_at();
    if (!wake)
        return;
    const auto when = std::max(*wake - skew_, world_.clock.now() + Time{*wake <= now() ? 1 : 0});
    if (life_->wake_asked <= when && life_->wake_asked > world_.clock.now())
        return;
    life_->wake_asked = when;
    world_.clock.at(when, [this, life = std::weak_ptr(life_)] {
        if (const auto same = life.lock(); same && same == life_)
            run_soon(Time{0});
    });
}

void Process::work(std::vector<engine::Input> inputs) {
    const auto life = life_;
    if (world_.is_tracing) {
        for (const auto& input : inputs)
            tell(fmt::format("{:>9} < {}", world_.clock.now().count(), shown(input)));
    }
    auto actions = life->engine_under_test.step(inputs, now());
    life->published = life->engine_under_test.published();
    if (world_.is_tracing) {
        for (const auto& action : actions)
            tell(fmt::format("{:>9} > {}", world_.clock.now().count(), shown(action)));
    }
    life->witness.saw(inputs, actions, *life->published, life->engine_under_test.wakes_at(), now());
    if (keeps_history)
        life->history.push_back({now(), std::move(inputs), hash_of_all(actions)});
    for (const auto& action : actions) {
        if (actions_to_live_ && (*actions_to_live_)-- == 0)
            return kill();
        carry_out(action);
        if (life != life_)
            return;
    }
    if (is_draining_ && life->published->draining && life->engine_under_test.is_idle())
        kill();
}

void Process::carry_out(const engine::Action& action) {
    if (const auto* write = std::get_if<engine::StartWrite>(&action)) {
        send(*write);
    } else if (const auto* answer = std::get_if<engine::AnswerBind>(&action)) {
        auto found = life_->calls.find(answer->call);
        if (found == life_->calls.end())
            return;
        const auto answered = std::move(found->second);
        life_->calls.erase(found);
        world_.clock.after(Time{world_.random.between(0, 2)}, [answered, error = answer->error] { answered(error); });
    } else if (const auto* search = std::get_if<engine::StartSearch>(&action)) {
        constexpr int longest_search = 400;
        world_.clock.after(Time{world_.random.between(0, longest_search)},
                           [this, life = std::weak_ptr(life_), number = search->search] {
                               if (const auto same = life.lock(); same && same == life_)
                                   push(engine::SearchEnded{number});
                           });
    }
}

Time Process::delay_of_write() {
    const auto& weather = world_.weather;
    if (world_.clock.now() < weather.until && world_.random.chance(weather.slow))
        return Time{world_.random.between(0, weather.slowness.count())};
    return Time{world_.random.between(0, 3)};
}

void Process::send(const engine::StartWrite& write) {
    auto there = world_.clock.now() + delay_of_write();
    const auto lane = record_in(write.what);  // Writes of one GangPlan go one after another.
    if (!lane.empty())
        there = std::max(there, life_->busy_until[lane]);
    const auto back = there + delay_of_write();
    if (!lane.empty())
        life_->busy_until[lane] = back;
    if (std::holds_alternative<model::DeletePlan>(write.what))
        life_->lead->own_plans.insert(lane);  // Even if that fails.
    const bool is_bad = world_.clock.now() < world_.weather.until;
    const bool is_refused = is_bad && world_.random.chance(world_.weather.refused);
    const bool is_lost = is_bad && world_.random.chance(world_.weather.lost);
    const bool is_rejected = is_bad && world_.random.chance(world_.weather.rejected);
    // Writes under way arrive, even if the process has died.
    world_.clock.at(there, [=, this, lead = life_->lead, life = std::weak_ptr(life_)] {
        model::Outcome outcome{Kind::unknown, "503", "", ""};
        if (is_rejected && !is_refused)
            outcome = {Kind::rejected, "403", "", ""};
        if (!is_refused && !is_rejected) {
            outcome = carried_out(write.what, *lead);
            if (is_lost)
                outcome = {Kind::unknown, "connection lost", "", ""};
        }
        world_.clock.at(back, [this, life, id = write.write, outcome] {
            if (const auto same = life.lock(); same && same == life_)
                push(engine::Written{id, outcome});
        });
    });
}

model::Outcome Process::carried_out(const model::Write& write, Lead& lead) const {
    const auto name = record_in(write);
    const auto* apply = std::get_if<model::ApplyPlan>(&write);
    const auto& plans = world_.api.truth().plans;
    const auto there = plans.find(name);
    if (apply != nullptr && there != plans.end() && !lead.own_plans.contains(name) &&
        !kube::may_replace(there->second, apply->record))
        return {Kind::conflict, "a clearing that was not seen yet", "", ""};
    world_.writer = lead.number;
    auto outcome = world_.api.carry_out(write);
    if (!name.empty() && outcome.kind == Kind::done)
        lead.own_plans.insert(name);
    return outcome;
}

namespace {

model::PlainPod plain_pod(const model::Pod& pod) {
    return {.requests = pod.pod_class.requests,
            .priority = pod.priority,
            .active_deadline = pod.active_deadline,
            .is_exempt = false};
}

}  // namespace

Process::FilterAnswer Process::filter(const model::Pod& pod, const std::vector<std::string>& names) {
    FilterAnswer told;
    if (!life_) {
        told.is_error = true;
        return told;
    }
    using Answer = engine::Filtered::Answer;
    const auto report = [&](Answer answer, const std::string& node) {
        push(engine::Filtered{pod.uid, answer, static_cast<std::uint32_t>(names.size()), node, false});
    };
    const auto* verdict = life_->published->verdict(pod.uid);
    const bool is_ours = pod.scheduler_name == scheduler_name;
    if (is_ours && !life_->published->is_synced()) {
        told.is_error = true;
    } else if (!is_ours || (verdict == nullptr && !pod.membership)) {
        report(Answer::passed, "");
        std::ranges::copy_if(names, std::back_inserter(told.names), [&](const std::string& name) {
            const auto* promises = is_ours ? life_->published->promises.on(name) : nullptr;
            return promises == nullptr ||
                   !promises->room->keep_out(plain_pod(pod), engine::Protection::promised, now());
        });
        if (sabotage_ == Sabotage::holds_up_plain_pods)
            told.names.clear();
    } else if (verdict == nullptr || verdict->kind == engine::Verdict::Kind::refused) {
        report(Answer::refused, "");
        told.refusal = verdict != nullptr ? verdict->text : "waiting for members";
    } else if (std::ranges::find(names, verdict->node.str()) != names.end()) {
        report(Answer::pinned, verdict->node);
        told.names = {verdict->node};
    } else {
        if (!names.empty())
            report(Answer::missing, verdict->node);
        told.refusal = "planned node isn't offered";
        if (sabotage_ == Sabotage::offers_the_planned_node)
            told.names = {verdict->node};
    }
    for (const auto& name : told.names) {
        if (std::ranges::find(names, name) == names.end())
            world_.fail("I3", fmt::format("filter names \"{}\" for {}, which wasn't offered", name, pod.uid));
    }
    const auto is_held_up = [&](const std::string& name) {
        return std::ranges::find(told.names, name) == told.names.end() &&
               life_->published->promises.on(name) == nullptr;
    };
    if (!pod.membership && !told.is_error && std::ranges::any_of(names, is_held_up))
        world_.fail("I13", fmt::format("filter holds up {}, which is of no gang", pod.uid));
    return told;
}

std::uint64_t Process::bind(const model::PodRef& pod, const std::string& node, Answered answered) {
    if (!life_)
        return 0;
    const auto call = ++last_call_;
    life_->calls[call] = std::move(answered);
    push(engine::BindCalled{call, pod, node});
    return call;
}

void Process::hang_up(std::uint64_t call) {
    if (life_ && life_->calls.erase(call) > 0)
        push(engine::CallerGone{call});
}

bool Process::decides_alike() const {
    if (!life_)
        return true;
    const auto read_back = [](const replay::RecordingLine& line) { return replay::read_line(replay::to_line(line)); };
    const auto head = read_back(replay::RecordingHead{"", "", Time{0}, options_});
    if (!head)
        return false;
    SabotagedEngine again(std::get<replay::RecordingHead>(*head).options, sabotage_);
    return std::ranges::all_of(life_->history, [&](const Step& step) {
        const auto batch = read_back(replay::RecordedBatch{step.now, step.inputs, {}});
        if (!batch)
            return false;
        const auto actions = again.step(std::get<replay::RecordedBatch>(*batch).inputs, step.now);
        static_cast<void>(again.published());
        return hash_of_all(actions) == step.actions;
    });
}

}  // namespace echelon::simulator

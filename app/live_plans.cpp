#include "app/live_plans.hpp"

#include "app/engine_question.hpp"
#include "app/gang_decisions.hpp"
#include "app/left_out_pods.hpp"
#include "app/promised_room.hpp"
#include "base/quoted.hpp"
#include "kube/membership.hpp"
#include "report/report.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pthread.h>

namespace echelon::app {

namespace {

using PlanCall = server::Backend::PlanCall;
using PlanReply = server::Backend::PlanReply;

constexpr std::uint64_t most_searches = 10;    // Searches of full budget, for all gangs of a question together.
constexpr std::size_t most_yaml = 1UL << 20U;  // Bytes: beside the service memory is scarce.
constexpr std::string_view default_scheduler = "default-scheduler";

// As the API server does when it admits a pod.
void fill_in_priorities(std::vector<model::Event>& manifests, const std::map<std::string, std::string>& class_of,
                        const std::vector<model::Event>& running) {
    if (class_of.empty())
        return;
    std::map<std::string_view, const model::PriorityClassSeen*> classes;
    for (const auto& event : running) {
        if (const auto* seen = std::get_if<model::PriorityClassSeen>(&event))
            classes.emplace(seen->name, seen);
    }
    for (auto& event : manifests) {
        auto* seen = std::get_if<model::PodSeen>(&event);
        const auto named = seen == nullptr ? class_of.end() : class_of.find(seen->pod.uid);
        if (named == class_of.end())
            continue;
        if (const auto found = classes.find(named->second); found != classes.end()) {
            seen->pod.priority = found->second->value;
            seen->pod.preempts = seen->pod.preempts && found->second->preempts;
        }
    }
}

// Pods that name no scheduler are planned as if they were ours, as offline (Z2).
void take_for_ours(std::vector<model::Event>& manifests, const engine::Options& options, const std::string& ours) {
    if (ours.empty() || options.profiles.contains(default_scheduler))
        return;
    for (auto& event : manifests) {
        if (auto* seen = std::get_if<model::PodSeen>(&event);
            seen != nullptr && seen->pod.scheduler_name == default_scheduler)
            seen->pod.scheduler_name = ours;
    }
}

bool may_preempt(const engine::Options& options) {
    return std::ranges::any_of(options.profiles, [](const auto& profile) { return profile.second.preempt; });
}

// The gangs that the manifests are about.
std::set<model::GroupKey> roots_in(const std::vector<model::Event>& manifests, const model::Cluster& cluster) {
    std::set<model::GroupKey> roots;
    const auto add = [&](const model::GroupKey& group) { roots.insert(cluster.root_of(group)); };
    for (const auto& event : manifests) {
        if (const auto* group = std::get_if<model::GroupSeen>(&event)) {
            add(group->group.key);
        } else if (const auto* set = std::get_if<model::GroupSetSeen>(&event)) {
            for (const auto& each : set->set.groups)
                add(each.key);
            for (const auto& each : set->set.shared)
                add(each.key);
        } else if (const auto* seen = std::get_if<model::PodSeen>(&event)) {
            const auto* pod = cluster.pod(seen->pod.uid);
            if (const auto root = pod == nullptr ? std::nullopt : cluster.root_of(*pod))
                roots.insert(*root);
        }
    }
    std::erase_if(roots, [&](const model::GroupKey& root) { return !cluster.has_root(root); });
    return roots;
}

// Empty: no pod of the manifests shares its UID with an existing one. A manifest that was made from a running pod may
// have that of the running pod, and would take its place.
std::string shared_uid_in(const std::vector<model::Event>& manifests, const model::Cluster& cluster) {
    for (const auto& event : manifests) {
        const auto* seen = std::get_if<model::PodSeen>(&event);
        const auto* known = seen == nullptr ? nullptr : cluster.pod(seen->pod.uid);
        if (known != nullptr && known->full_name() != seen->pod.full_name()) {
            return fmt::format("pod {} has the metadata.uid of pod {}, which exists: leave it out",
                               seen->pod.full_name(), known->full_name());
        }
    }
    return {};
}

// The object that declares a part, if the root is one.
std::string named_with(const model::GroupKey& root) {
    const auto object = kube::object_of_part(root);
    return object ? object->name.str() : std::string();
}

// False: there is no such gang.
bool add_named(const std::string& gang, const model::Cluster& cluster, std::set<model::GroupKey>& roots) {
    bool is_found = gang.empty();
    for (auto& root : is_found ? std::vector<model::GroupKey>{} : cluster.roots()) {
        if (root.name != gang && (cluster.group(root) != nullptr || named_with(root) != gang))
            continue;
        is_found = true;
        roots.insert(std::move(root));
    }
    return is_found;
}

}  // namespace

std::string why_no_plan(const engine::PublishedState& published, bool leads) {
    if (!published.is_synced())
        return fmt::format("not in sync yet: {} of the API server are missing", fmt::join(published.unsynced, ", "));
    // Seats that a leader holds are known to the leader alone.
    return leads ? "" : "this echelon doesn't lead, and doesn't know all promised seats: ask the leader";
}

PlanReply planned_beside(engine::RunningState state, kube::Manifests manifests, const PlanCall& call,
                         const std::string& first_profile, const std::function<bool()>& is_over) {
    if (call.preempts && !may_preempt(state.options)) {
        return {400, "preempt=1 needs a profile with \"preempt: true\": without one disruption budgets aren't watched"};
    }
    fill_in_priorities(manifests.events, manifests.priority_classes, state.events);
    take_for_ours(manifests.events, state.options, first_profile);
    engine::Facts facts{.options = state.options,
                        .cluster = model::Cluster(engine::model_profiles(state.options.profiles), state.options.limits),
                        .now = state.now,
                        .unsynced = {}};
    for (auto& event : state.events) {
        static_cast<void>(facts.cluster.apply(event));
        if (!call.preempts)
            event = model::Synced{};  // Only victims that are spared come back. Facts need most of the memory.
    }
    if (auto fault = shared_uid_in(manifests.events, facts.cluster); !fault.empty())
        return {400, std::move(fault)};
    for (const auto& event : manifests.events)
        static_cast<void>(facts.cluster.apply(event));
    auto roots = roots_in(manifests.events, facts.cluster);
    if (!add_named(call.gang, facts.cluster, roots))
        return {404, fmt::format("no gang {}", base::quoted(call.gang))};
    const auto left_out = roots.empty()
                              ? left_out_pods(manifests.events, engine::model_profiles(state.options.profiles))
                              : std::vector<std::string>{};
    if (!left_out.empty())
        return {400, fmt::format("{}", fmt::join(left_out, "\n"))};
    if (roots.size() > most_planned_gangs) {
        return {400, fmt::format("the manifests have {} gangs; at most {} are planned for one request", roots.size(),
                                 most_planned_gangs)};
    }
    auto events = std::move(state.events);
    std::ranges::move(manifests.events, std::back_inserter(events));
    const auto budget = state.options.budget;
    DecisionOptions options{.budget = budget,
                            .steps_of_all = budget.steps * most_searches,
                            .explains = call.is_text,
                            .preempts = call.preempts,
                            .only = std::move(roots),
                            .is_over = is_over};
    GangDecisions decisions(std::move(facts), events, std::move(options), PromisedRoom(std::move(state)));
    const auto report = decisions.decide_all();
    if (!report)
        return {500, "internal error: " + report.error().sentence};
    return {200, call.is_text ? report::to_tree(*report, call.has_colour) : report::to_json(*report)};
}

LivePlans::LivePlans(EngineLoop& loop, Sources sources) : loop_(loop), sources_(std::move(sources)) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void LivePlans::end() {
    {
        const std::lock_guard lock(mutex_);
        is_ended_ = true;
    }
    thread_.request_stop();
    if (thread_.joinable())
        thread_.join();
}

void LivePlans::ask(PlanCall call, const Reply& reply) {
    if (auto reason = sources_.why_not(); !reason.empty())
        return reply({503, std::move(reason)});
    if (auto refusal = take(std::move(call), reply))
        reply(std::move(*refusal));
}

std::optional<PlanReply> LivePlans::take(PlanCall call, const Reply& reply) {
    const std::lock_guard lock(mutex_);
    if (is_ended_)
        return PlanReply{503, "echelon is shutting down"};
    if (is_busy_)
        return PlanReply{429, "another plan is being made, ask again"};
    is_busy_ = true;
    question_ = Question{std::move(call), reply};
    has_question_.notify_one();
    return std::nullopt;
}

void LivePlans::run(const std::stop_token& stop) {
    ::pthread_setname_np(::pthread_self(), "plans");
    while (true) {
        Question asked;
        {
            std::unique_lock lock(mutex_);
            if (!has_question_.wait(lock, stop, [this] { return question_.has_value(); }))
                return;
            asked = std::move(*question_);
            question_.reset();
        }
        auto reply = answer(std::move(asked.call), stop);
        {
            const std::lock_guard lock(mutex_);
            is_busy_ = false;  // After the reply the caller may ask for the next plan.
        }
        if (!stop.stop_requested())
            asked.reply(std::move(reply));
    }
}

PlanReply LivePlans::answer(PlanCall call, const std::stop_token& stop) {
    auto reading = sources_.reading();
    reading.faulty_nodes = kube::FaultyNodes::refused;  // As in `echelon plan`.
    auto manifests = kube::read_manifest_text(call.manifests, "the body", kube::Keep::events, reading, most_yaml);
    if (!manifests)
        return {400, manifests.error().sentence};
    call.manifests = {};
    auto state = ask_engine<engine::RunningState>(loop_, stop,
                                                  [](const engine::Engine& engine) { return engine.running_state(); });
    if (!state)
        return {503, "the engine's thread doesn't answer, ask again"};
    return planned_beside(std::move(*state), std::move(*manifests), call, sources_.first_profile(),
                          [&stop] { return stop.stop_requested(); });
}

}  // namespace echelon::app

#include "app/explainer.hpp"

#include "app/engine_question.hpp"
#include "model/gang/member_names.hpp"
#include "report/report.hpp"
#include "report/snapshot_report.hpp"
#include "report/status_report.hpp"
#include "report/topology_report.hpp"
#include "solver/explain/explain_tree.hpp"
#include "solver/preemption/victim_names.hpp"
#include "solver/solve.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <pthread.h>

namespace echelon::app {

namespace {

constexpr std::size_t most_waiting = 8;
constexpr std::string_view no_answer = "the engine's thread doesn't answer, ask again";

// Every member that has a node, by group.
std::vector<report::SeatRow> seats_in(const engine::ExplainSnapshot& input) {
    const auto& snapshot = input.snapshot;
    const auto hosts = snapshot.trees.front().host_depth();
    std::vector<report::SeatRow> rows;
    for (const auto& group : input.gang.groups) {
        for (auto m = group.first_member; group.is_leaf && m < group.last_member; ++m) {
            const auto& member = input.gang.members[m];
            if (member.state == model::Member::State::bound && member.node != model::nowhere) {
                rows.push_back({model::pod_of(input.gang, m).str(), group.key.name, snapshot.node_names[member.node],
                                snapshot.path(0, hosts, member.node)});
            }
        }
    }
    return rows;
}

// Gangs that would give up unbound seats on nodes of the plan.
std::set<std::string> yielding_on_nodes_of(const solver::Plan& plan, const engine::ExplainSnapshot& input) {
    std::set<model::NodeId> nodes;
    for (const auto& seat : plan.seats)
        nodes.insert(seat.node);
    std::set<std::string> gangs;
    for (const auto at : input.victims->yielding) {
        const auto& held = input.context.occupants[at];
        if (nodes.contains(held.node))
            gangs.insert(held.gang);
    }
    return gangs;
}

// Which pods and seats would have to go so that the gang fits; empty: unknown. Unbound seats of less important gangs go
// first.
std::vector<std::string> removals_to_fit(const engine::ExplainSnapshot& input) {
    if (!input.victims)
        return {};
    auto snapshot = input.snapshot;
    for (const auto at : input.victims->yielding) {
        const auto& held = input.context.occupants[at];
        for (std::size_t r = 0; r < snapshot.resources.size(); ++r)
            snapshot.room[r][held.node] += held.requests.of(snapshot.resources[r]);
    }
    const auto names_with = [&](const solver::Plan& plan, std::vector<std::string> names) {
        for (const auto& gang : yielding_on_nodes_of(plan, input)) {
            if (std::ranges::find(names, gang) == names.end())
                names.push_back(gang);
        }
        return names;
    };
    const auto answer = solver::solve(snapshot, input.gang, {});
    if (const auto* plan = std::get_if<solver::Plan>(&answer))
        return names_with(*plan, {});
    const auto& running = input.victims->running;
    const auto chosen =
        solver::preemption::choose_victims(snapshot, input.gang, running, {.most_pods = input.victims->most_pods});
    const auto* eviction = std::get_if<solver::preemption::Eviction>(&chosen);
    return eviction == nullptr ? std::vector<std::string>{}
                               : names_with(eviction->plan, solver::preemption::names_of(eviction->victims, running));
}

}  // namespace

server::Explained explained(const engine::ExplainSnapshot& input, bool has_colour) {
    report::GangReport report;
    report.gang = input.record.root.name;
    report.phase = model::to_string(input.record.phase);
    report.reason = input.refused;
    report.message = input.record.message;
    report.seats = seats_in(input);
    report.groups = input.record.groups;
    if (input.gang.groups.size() == report.groups.size())
        report.depths = report::depths_of(input.gang);
    if (input.refused) {
        report.explanation = solver::explain_tree(input.snapshot, input.gang, *input.refused, input.context);
        report.explanation->without = removals_to_fit(input);
    }
    server::Explained answer;
    answer.text = report::gang_tree(report, has_colour);
    if (report.explanation)
        answer.tree = std::move(*report.explanation);
    return answer;
}

Explainer::Explainer(EngineLoop& loop) : loop_(loop) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Explainer::end() {
    {
        const std::lock_guard lock(mutex_);
        is_ended_ = true;
    }
    thread_.request_stop();
    if (thread_.joinable())
        thread_.join();
}

base::Result<void> Explainer::ask(const model::GroupKey& root, bool has_colour, server::Backend::ExplainReply reply) {
    return queue([this, root, has_colour, reply = std::move(reply)](const std::stop_token& stop) {
        auto explained = answer(root, has_colour, stop);
        if (!stop.stop_requested())
            reply(std::move(explained));
    });
}

base::Result<void> Explainer::view(const server::Backend::StateQuery& query, ServiceFacts service,
                                   server::Backend::StateReply reply) {
    return queue([this, query, service = std::move(service), reply = std::move(reply)](const std::stop_token& stop) {
        auto text = shown(query, service, stop);
        if (!stop.stop_requested())
            reply(std::move(text));
    });
}

base::Result<void> Explainer::queue(Task task) {
    {
        const std::lock_guard lock(mutex_);
        if (is_ended_)
            return base::failure("echelon is shutting down");
        if (asked_.size() >= most_waiting)
            return base::failure("too many explanations are being made already, ask again");
        asked_.push_back(std::move(task));
    }
    has_asked_.notify_one();
    return {};
}

void Explainer::run(const std::stop_token& stop) {
    ::pthread_setname_np(::pthread_self(), "explainer");
    while (!stop.stop_requested()) {
        Task task;
        {
            std::unique_lock lock(mutex_);
            if (!has_asked_.wait(lock, stop, [this] { return !asked_.empty(); }))
                return;
            task = std::move(asked_.front());
            asked_.pop_front();
        }
        task(stop);
    }
}

base::Result<server::Explained> Explainer::answer(const model::GroupKey& root, bool has_colour,
                                                  const std::stop_token& stop) {
    const auto input = ask_engine<std::optional<engine::ExplainSnapshot>>(
        loop_, stop, [root](const engine::Engine& engine) { return engine.explain_snapshot(root); });
    if (!input)
        return base::failure(std::string(no_answer));
    if (!*input)
        return base::failure(fmt::format("gang \"{}\" has just gone", root.name));
    return explained(**input, has_colour);
}

base::Result<std::string> Explainer::shown(const server::Backend::StateQuery& query, const ServiceFacts& service,
                                           const std::stop_token& stop) {
    if (query.what == "status") {
        auto status = report::status_of(*loop_.published(), service.leads);
        status.unreadable = service.unreadable;
        status.not_served = service.not_served;
        return query.is_text ? report::status_text(status, query.has_colour) : report::status_json(status);
    }
    if (query.what == "holds") {
        const auto seats = ask_engine<std::vector<engine::HeldSeat>>(
            loop_, stop, [](const engine::Engine& engine) { return engine.held_seats(); });
        if (!seats)
            return base::failure(std::string(no_answer));
        return query.is_text ? report::holds_text(*seats, query.has_colour) : report::holds_json(*seats);
    }
    const auto topology = ask_engine<engine::TopologyView>(
        loop_, stop, [](const engine::Engine& engine) { return engine.topology_view(); });
    if (!topology)
        return base::failure(std::string(no_answer));
    if (query.what == "snapshot")
        return query.is_text ? report::snapshot_text(topology->snapshot, query.has_colour)
                             : report::snapshot_json(topology->snapshot);
    auto report = report::describe_topology(topology->snapshot, topology->nodes, topology->faults);
    report::add_unreadable(report, service.unreadable);
    return query.is_text ? report::to_tree(report) : report::to_json(report);
}

}  // namespace echelon::app

#include "cli/plan.hpp"

#include "base/natural_order.hpp"
#include "cli/offline.hpp"
#include "cli/terminal.hpp"
#include "engine/publish/evidence.hpp"
#include "model/cluster/cluster.hpp"
#include "solver/explain/explain_tree.hpp"
#include "solver/explain/outcome.hpp"
#include "solver/violations.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace echelon::cli {

namespace {

constexpr int all_placed = 0;
constexpr int our_error = 1;
constexpr int bad_input = 2;
constexpr int some_refused = 3;

// Seats in the order of the report: groups as they stand in the gang, pods in natural name order.
std::vector<report::SeatRow> seat_rows(const model::Snapshot& snapshot, const model::Gang& gang,
                                       const solver::Plan& plan) {
    const auto hosts = static_cast<std::uint32_t>(snapshot.trees.front().keys.size() - 1);
    std::vector<report::SeatRow> rows;
    for (const auto& group : gang.groups) {
        if (!group.is_leaf)
            continue;
        const auto first = rows.size();
        for (const auto& seat : plan.seats) {
            if (seat.member < group.first_member || seat.member >= group.last_member)
                continue;
            if (gang.members[seat.member].is_placeholder)
                continue;  // Said in the message (Z14).
            rows.push_back({gang.members[seat.member].pod, group.key.name, snapshot.node_names[seat.node],
                            snapshot.path(0, hosts, seat.node)});
        }
        std::ranges::sort(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(), base::NaturalLess{},
                          &report::SeatRow::pod);
    }
    return rows;
}

using Placed = std::vector<std::pair<std::string, std::string>>;  // UID, node.

std::vector<model::ExpectedPod> placed_pods(const Placed& placed) {
    std::vector<model::ExpectedPod> pods;
    pods.reserve(placed.size());
    for (const auto& [uid, node] : placed) {
        pods.push_back({uid, node});
    }
    return pods;
}

struct Decided {
    report::GangReport report;
    solver::Plan plan;  // Empty of a refused gang.
};

// Decides one gang, and takes the room of its seats.
base::Result<Decided> decide_gang(const model::Gang& gang, model::Snapshot& snapshot, Placed& placed,
                                  solver::SolveOptions budget) {
    report::GangReport report;
    report.gang = gang.name();
    report.depths = report::depths_of(gang);
    auto answer = solver::solve(snapshot, gang, budget);
    if (const auto* refusal = std::get_if<solver::Refusal>(&answer)) {
        report.reason = refusal->reason;
        report.message = refusal->sentence;
        report.groups = solver::outcome(snapshot, gang, {});
        return Decided{std::move(report), {}};
    }
    auto& plan = std::get<solver::Plan>(answer);
    if (const auto faults = solver::violations(snapshot, gang, plan); !faults.empty()) {
        return base::failure(
            fmt::format("the plan of gang \"{}\" doesn't pass the referee: {}", gang.name(), faults.front().sentence));
    }
    report.message = plan.message;  // Dropped wishes included.
    report.seats = seat_rows(snapshot, gang, plan);
    report.groups = solver::outcome(snapshot, gang, plan);
    for (const auto& seat : plan.seats) {
        snapshot.take(seat.node, gang.members[seat.member].shape);
        placed.emplace_back(gang.members[seat.member].uid, snapshot.node_names[seat.node]);
    }
    return Decided{std::move(report), std::move(plan)};
}

// Explains refusals: pods that run stand in the way of a gang, and the seats of gangs that were placed before it.
class Explanations {
public:
    Explanations(const model::Cluster& cluster, const model::Snapshot& snapshot)
        : around_(engine::surroundings_of(cluster, snapshot)) {}

    void add_to(report::GangReport& report, const model::Snapshot& snapshot, const model::Gang& gang) {
        if (report.reason && explained_ < most_explained) {
            report.explanation = solver::explain_tree(snapshot, gang, *report.reason, around_);
            ++explained_;
        }
    }

    // The gang keeps its seats for those that follow.
    void remember(const model::Snapshot& snapshot, const model::Gang& gang, const solver::Plan& plan) {
        for (const auto& seat : plan.seats) {
            const auto& member = gang.members[seat.member];
            around_.occupants.push_back({.kind = solver::Occupant::Kind::held,
                                         .pod = member.pod,
                                         .gang = gang.name(),
                                         .node = seat.node,
                                         .requests = snapshot.shapes[member.shape].requests,
                                         .priority = gang.priority});
        }
    }

private:
    static constexpr std::size_t most_explained = 16;  // Refused gangs; nobody reads more trees.

    solver::ClusterContext around_;
    std::size_t explained_ = 0;
};

}  // namespace

base::Result<report::PlanReport> decide(const std::vector<model::Event>& events, const config::Settings& settings,
                                        solver::SolveOptions budget, bool explains) {
    const auto cluster = cluster_of(events, settings);
    auto snapshot = cluster.snapshot();
    std::optional<Explanations> explanations;
    if (explains)
        explanations.emplace(cluster, snapshot);
    report::PlanReport report;
    Placed placed;
    for (const auto& root : cluster.roots()) {
        const auto begin = std::chrono::steady_clock::now();
        const auto gang = cluster.gang(root, snapshot, placed_pods(placed));
        auto decided = decide_gang(gang, snapshot, placed, budget);
        if (!decided)
            return std::unexpected(std::move(decided.error()));
        decided->report.milliseconds =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
        if (explanations) {
            explanations->add_to(decided->report, snapshot, gang);
            explanations->remember(snapshot, gang, decided->plan);
        }
        report.gangs.push_back(std::move(decided->report));
    }
    return report;
}

int plan(const PlanArguments& arguments) {
    const auto input = read_offline("plan", arguments.files, arguments.config_file);
    if (!input)
        return bad_input;
    for (const auto& kind : input->manifests.skipped_kinds) {
        fmt::print(stderr, "echelon plan: skipped {}, a kind it doesn't know\n", kind);
    }
    const bool is_json = arguments.format == ReportFormat::json;
    const auto report = decide(input->manifests.events, input->settings, {}, !is_json);
    if (!report) {
        fmt::print(stderr, "echelon plan: internal error: {}\n", report.error().sentence);
        return our_error;
    }
    if (!write_out(is_json ? report::to_json(*report) : report::to_tree(*report, wants_colour()))) {
        fmt::print(stderr, "echelon plan: the report can't be written to standard output\n");
        return our_error;
    }
    return report->is_all_placed() ? all_placed : some_refused;
}

}  // namespace echelon::cli

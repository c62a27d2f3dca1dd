#include "cli/plan.hpp"

#include "app/complaint.hpp"
#include "app/gang_decisions.hpp"
#include "app/left_out_pods.hpp"
#include "app/running_settings.hpp"
#include "app/settings_mapping.hpp"
#include "cli/offline.hpp"
#include "cli/terminal.hpp"

#include <cstdio>
#include <utility>

namespace echelon::cli {

namespace {

constexpr int all_placed = 0;
constexpr int our_error = 1;
constexpr int bad_input = 2;
constexpr int some_refused = 3;

}  // namespace

base::Result<report::PlanReport> decide(const std::vector<model::Event>& events, const config::Settings& settings,
                                        solver::SolveOptions budget, bool explains, Preemption preemption) {
    engine::Facts facts{.options = {}, .cluster = cluster_of(events, settings), .unsynced = {}};
    facts.options.preemption = app::preemption_of(settings);
    facts.options.limits = app::model_limits(settings);
    app::DecisionOptions options{.budget = budget, .explains = explains, .preempts = preemption == Preemption::on};
    app::GangDecisions decisions(std::move(facts), events, std::move(options));
    return decisions.decide_all();
}

int plan(const PlanArguments& arguments) {
    const auto input = read_offline("plan", arguments.files, arguments.config_file, kube::FaultyNodes::refused);
    if (!input)
        return bad_input;
    for (const auto& kind : input->manifests.skipped_kinds) {
        app::complain("echelon plan: skipped {}, a kind it doesn't know", kind);
    }
    for (const auto& sentence : app::left_out_pods(input->manifests.events, offline_profiles(input->settings))) {
        app::complain("echelon plan: {}; name it in --config", sentence);
    }
    const bool is_json = arguments.format == ReportFormat::json;
    const auto report = decide(input->manifests.events, input->settings, {input->settings.solver_steps}, !is_json,
                               arguments.preempts ? Preemption::on : Preemption::off);
    if (!report) {
        app::complain("echelon plan: internal error: {}", report.error().sentence);
        return our_error;
    }
    if (!write_out(is_json ? report::to_json(*report) : report::to_tree(*report, wants_colour()))) {
        app::complain("echelon plan: the report can't be written to standard output");
        return our_error;
    }
    return report->is_all_placed() ? all_placed : some_refused;
}

}  // namespace echelon::cli

#pragma once

// `echelon plan`: places gangs offline, from manifests. It uses the decoder, model and solver of the service, and no
// clock: only `milliseconds` depends on the machine.

#include "base/result.hpp"
#include "config/settings.hpp"
#include "model/facts/event.hpp"
#include "report/report.hpp"
#include "solver/solve.hpp"

#include <string>
#include <vector>

namespace echelon::cli {

enum class ReportFormat : std::uint8_t { tree, json };

struct PlanArguments {
    std::vector<std::string> files;  // FILE, DIR or "-".
    std::string config_file;         // Empty: none.
    ReportFormat format = ReportFormat::tree;
    bool preempts = false;
};

// Whether a gang that finds no room may have pods of lower priority evicted (U5).
enum class Preemption : std::uint8_t { off, on };

// Decides the gangs one after another (Q14, Q2). A placed gang keeps its seats while later gangs are decided. An error
// means that a plan didn't pass the referee: nothing of the report may be used. `explains`: adds the tree behind each
// refusal, as of the decision; `milliseconds` leaves that out.
[[nodiscard]] base::Result<report::PlanReport> decide(const std::vector<model::Event>& events,
                                                      const config::Settings& settings = {},
                                                      solver::SolveOptions budget = {}, bool explains = false,
                                                      Preemption preemption = Preemption::off);

// Exit status: 0 every gang placed, 3 at least one refused, 2 bad input or arguments, 1 an error of ours.
[[nodiscard]] int plan(const PlanArguments& arguments);

}  // namespace echelon::cli

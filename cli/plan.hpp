#pragma once

// `echelon plan`: place gangs offline, from manifests. The same decoder, model and solver as the service, and no clock:
// only `milliseconds` depends on the machine.

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

// Decides the gangs one after another (Q14, Q2); a placed one keeps its seats for those that follow. An error means
// that the solver broke a promise: its plan didn't pass the referee, and nothing of the report may be used. `explains`:
// each refusal with the tree behind it, as of the moment of its decision; not part of `milliseconds`.
[[nodiscard]] base::Result<report::PlanReport> decide(const std::vector<model::Event>& events,
                                                      const config::Settings& settings = {},
                                                      solver::SolveOptions budget = {}, bool explains = false,
                                                      Preemption preemption = Preemption::off);

// Exit status: 0 every gang placed, 3 at least one refused, 2 bad input or arguments, 1 an error of ours.
[[nodiscard]] int plan(const PlanArguments& arguments);

}  // namespace echelon::cli

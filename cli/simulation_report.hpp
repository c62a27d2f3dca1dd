#pragma once

// What does `echelon simulate` print? The SimulationReport as JSON for programs, as tables for people, and a line for
// each start and end of a pod.
//
// Pure. Equal reports print equal bytes.

#include "simulate/report.hpp"
#include "simulate/simulation.hpp"

#include <string>
#include <string_view>

namespace echelon::cli {

// The `SimulationReport` of echelon.sh/v1alpha1, with a line feed at the end.
[[nodiscard]] std::string to_json(const simulate::Report& report, double milliseconds);
[[nodiscard]] std::string to_text(const simulate::Report& report, double milliseconds);

// The file of placements: header and one line, each with a line feed.
inline constexpr std::string_view placements_header = "time,event,job,pod,node,devices\n";
void append_line(std::string& text, const simulate::PodEvent& event);

}  // namespace echelon::cli

#pragma once

// What did a simulated trace come to? The figures of a SimulationReport; docs/simulate.md says what each means.
//
// Plain values.

#include "simulate/trace.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace echelon::simulate {

struct AllocatedFigures {
    double mean = 0;
    std::optional<double> while_gangs_wait;  // Absent: no gang ever waits.
    double last = 0;
    std::vector<double> over_time;  // Means over spans of equal length; for the text.
};

struct WaitFigures {
    double mean = 0;
    double p50 = 0;
    double p90 = 0;
    double p99 = 0;
    double max = 0;
};

struct DomainFigures {
    double mean = 0;
    double last = 0;
};

struct Report {
    std::uint64_t arrived = 0;
    std::uint64_t placed = 0;
    std::uint64_t finished = 0;
    std::uint64_t waiting = 0;
    std::map<std::string, std::uint64_t> refused;  // By reason.
    Seconds end = 0;
    std::map<std::string, AllocatedFigures> allocated;  // By resource.
    double blocked = 0;
    std::optional<WaitFigures> wait;                                          // Absent: no job was placed.
    std::vector<std::pair<std::string, std::optional<WaitFigures>>> by_pods;  // "1", "2-8" ...
    std::vector<std::pair<std::string, DomainFigures>> whole_domains;         // By level key, widest first.
    std::vector<std::pair<std::string, DomainFigures>> largest_gang;
    std::uint64_t evicted = 0;
    std::uint64_t decisions = 0;
};

}  // namespace echelon::simulate

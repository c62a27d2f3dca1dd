#pragma once

// What does a configuration file say to `echelon simulate` alone?
//
// Plain values. The service knows nothing of them.

#include <string_view>

namespace echelon::config {

enum class StockScoring { least_allocated, most_allocated };

struct SimulationSettings {
    StockScoring scoring = StockScoring::least_allocated;  // Of the stand-in for kube-scheduler.
    bool packs = false;                                    // `scores: pack` of the first profile.

    bool operator==(const SimulationSettings&) const = default;
};

// Requires: `parse` has accepted the text, or it is empty.
[[nodiscard]] SimulationSettings simulation_settings(std::string_view yaml);

}  // namespace echelon::config

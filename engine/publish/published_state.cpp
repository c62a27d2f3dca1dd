#include "engine/publish/published_state.hpp"

namespace echelon::engine {

std::string_view to_string(SolveResult result) {
    constexpr std::array<std::string_view, solve_result_count> names = {"placed", "infeasible", "budget_exhausted",
                                                                        "stale"};
    return names[static_cast<std::size_t>(result)];
}

std::string_view to_string(WaitResult result) {
    constexpr std::array<std::string_view, wait_result_count> names = {"released", "timeout", "client_gone", "aborted"};
    return names[static_cast<std::size_t>(result)];
}

std::string_view to_string(ClearingResult result) {
    constexpr std::array<std::string_view, clearing_result_count> names = {"placed",    "cheaper", "refused",
                                                                           "timed_out", "changed", "gone"};
    return names[static_cast<std::size_t>(result)];
}

}  // namespace echelon::engine

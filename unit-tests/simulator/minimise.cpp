// Fewer injections, the same violation: first whole halves are left out, then smaller and smaller parts.

#include "unit-tests/simulator/simulation.hpp"

#include <algorithm>

namespace echelon::simulator {

Order minimised(Order order, const Report& failed, std::uint32_t runs) {
    if (!failed.violation)
        return order;
    std::vector<std::uint32_t> left;
    for (const auto& injection : failed.injected)
        left.push_back(injection.number);
    order.is_tracing = false;
    order.most = left.empty() ? 0 : left.back() + 1;  // A shorter run would have time for others.
    const auto still_fails = [&](const std::set<std::uint32_t>& left_out) {
        auto attempt = order;
        attempt.left_out = left_out;
        const auto report = simulate(attempt);
        return report.violation && report.violation->invariant == failed.violation->invariant;
    };
    std::size_t part = (left.size() + 1) / 2;
    while (part > 0 && !left.empty() && runs > 0) {
        bool has_shrunk = false;
        for (std::size_t at = 0; at < left.size() && runs > 0; --runs) {
            auto left_out = order.left_out;
            const auto end = std::min(at + part, left.size());
            left_out.insert(left.begin() + static_cast<std::ptrdiff_t>(at),
                            left.begin() + static_cast<std::ptrdiff_t>(end));
            if (still_fails(left_out)) {
                order.left_out = left_out;
                left.erase(left.begin() + static_cast<std::ptrdiff_t>(at),
                           left.begin() + static_cast<std::ptrdiff_t>(end));
                has_shrunk = true;
            } else {
                at = end;
            }
        }
        if (part == 1 && !has_shrunk)
            break;
        part = part == 1 ? 1 : (part + 1) / 2;
    }
    return order;
}

}  // namespace echelon::simulator

#include "solver/preemption/victim_names.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include <fmt/format.h>

namespace echelon::solver::preemption {

std::vector<std::string> names_of(const std::vector<Victim>& victims, const model::RunningGangs& running) {
    std::map<std::string, std::int64_t> pods;
    std::vector<std::string> names;
    for (const auto& victim : victims) {
        if (victim.gang.empty()) {
            names.push_back(victim.pod);
        } else {
            ++pods[victim.gang];
        }
    }
    std::vector<std::string> gangs;
    for (const auto& [name, count] : pods) {
        const auto gang = std::ranges::find(running.gangs, name, &model::RunningGang::name);
        const bool is_whole = gang != running.gangs.end() && std::ssize(gang->pods) == count;
        gangs.push_back(is_whole ? name : fmt::format("{} {} of {}", count, count == 1 ? "pod" : "pods", name));
    }
    gangs.insert(gangs.end(), names.begin(), names.end());
    return gangs;
}

}  // namespace echelon::solver::preemption

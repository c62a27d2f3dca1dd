#include "solver/preemption/candidates.hpp"

#include "model/facts/usage.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace echelon::solver::preemption {
namespace {

using model::RunningGang;
using model::RunningPod;

std::vector<std::int64_t> amounts_of(const RunningPod& pod, const model::Snapshot& snapshot) {
    std::vector<std::int64_t> amounts;
    amounts.reserve(snapshot.resources.size());
    for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
        amounts.push_back(model::freed(snapshot.room[r][pod.node], pod.requests.of(snapshot.resources[r])));
    }
    return amounts;
}

}  // namespace

bool Loss::is_less_than(const Loss& other) const {
    const auto figures = [](const Loss& of) { return std::tuple(of.priority, of.roots, of.pods.size(), -of.started); };
    return figures(*this) != figures(other) ? figures(*this) < figures(other) : pods < other.pods;
}

Candidates::Candidates(const model::RunningGangs& running, const model::Snapshot& snapshot, std::int64_t priority)
    : running_(running), numbered_gangs_(running.gangs.size()), on_node_(snapshot.node_count()) {
    number_pods(snapshot, priority);
    add_units();
}

const RunningPod& Candidates::facts(PodNumber number) const {
    return gang_of(number).pods[pods_[number].index];
}

void Candidates::number_pods(const model::Snapshot& snapshot, std::int64_t priority) {
    for (std::uint32_t g = 0; g < running_.gangs.size(); ++g) {
        const RunningGang& gang = running_.gangs[g];
        if (gang.priority >= priority) {
            continue;
        }
        for (std::uint32_t p = 0; p < gang.pods.size(); ++p) {
            pods_.push_back({.gang = g,
                             .index = p,
                             .node = gang.pods[p].node,
                             .amounts = amounts_of(gang.pods[p], snapshot),
                             .units = {}});
        }
        numbered_gangs_[g].numbers.resize(gang.pods.size());
        numbered_gangs_[g].kept_minimum = keeps_minimum(gang, {});
    }
    std::ranges::sort(pods_, [this](const CandidatePod& a, const CandidatePod& b) {
        const RunningPod& one = running_.gangs[a.gang].pods[a.index];
        const RunningPod& other = running_.gangs[b.gang].pods[b.index];
        return std::tie(one.pod, one.uid) < std::tie(other.pod, other.uid);
    });
    for (PodNumber number = 0; number < pods_.size(); ++number) {
        numbered_gangs_[pods_[number].gang].numbers[pods_[number].index] = number;
    }
}

void Candidates::add_units() {
    std::vector<std::uint8_t> is_kept(pods_.size(), 0);
    for (std::uint32_t g = 0; g < running_.gangs.size(); ++g) {
        if (numbered_gangs_[g].numbers.empty()) {
            continue;
        }
        for (const Unit& unit : units_of(running_.gangs[g])) {
            CandidateUnit candidate{.gang = g, .priority = running_.gangs[g].priority, .pods = {}, .fells_root = false};
            std::vector<std::uint8_t> lost(running_.gangs[g].pods.size(), 0);
            bool has_protected = false;
            for (const std::uint32_t pod : unit) {
                candidate.pods.push_back(numbered_gangs_[g].numbers[pod]);
                candidate.started += running_.gangs[g].pods[pod].started;
                lost[pod] = 1;
                has_protected = has_protected || running_.gangs[g].pods[pod].is_protected;
            }
            std::ranges::sort(candidate.pods);
            candidate.fells_root = numbered_gangs_[g].kept_minimum && !keeps_minimum(running_.gangs[g], lost);
            if (is_allowed({.priority = 0, .roots = 0, .pods = candidate.pods, .started = 0})) {
                units_.push_back(std::move(candidate));
            } else if (!has_protected) {
                for (const PodNumber number : candidate.pods) {
                    is_kept[number] = 1;
                }
            }
        }
    }
    std::ranges::sort(units_, {}, &CandidateUnit::pods);
    for (UnitNumber u = 0; u < units_.size(); ++u) {
        for (const PodNumber pod : units_[u].pods) {
            pods_[pod].units.push_back(u);
        }
    }
    for (PodNumber number = 0; number < pods_.size(); ++number) {
        if (!pods_[number].units.empty()) {
            on_node_[pods_[number].node].push_back(number);
        } else {
            kept_by_budgets_ += is_kept[number];
        }
    }
}

Loss Candidates::loss_of(std::span<const UnitNumber> units) const {
    std::vector<std::pair<std::uint32_t, UnitNumber>> by_gang;
    by_gang.reserve(units.size());
    for (const UnitNumber u : units) {
        by_gang.emplace_back(units_[u].gang, u);
    }
    std::ranges::sort(by_gang);
    Loss loss;
    for (std::size_t at = 0; at < by_gang.size();) {
        const std::uint32_t g = by_gang[at].first;
        const RunningGang& gang = running_.gangs[g];
        const std::size_t first = at;
        while (at < by_gang.size() && by_gang[at].first == g) {
            ++at;
        }
        loss.priority = std::max(loss.priority, gang.priority);
        if (at == first + 1) {  // What is lost with a single unit is known already.
            const CandidateUnit& only = units_[by_gang[first].second];
            loss.pods.insert(loss.pods.end(), only.pods.begin(), only.pods.end());
            loss.roots += only.fells_root ? 1 : 0;
            loss.started += only.started;
            continue;
        }
        std::vector<std::uint8_t> lost(gang.pods.size(), 0);
        for (std::size_t i = first; i < at; ++i) {
            for (const PodNumber pod : units_[by_gang[i].second].pods) {
                lost[pods_[pod].index] = 1;
            }
        }
        spread_loss(gang, lost);
        for (std::uint32_t pod = 0; pod < lost.size(); ++pod) {
            if (lost[pod] != 0) {
                loss.pods.push_back(numbered_gangs_[g].numbers[pod]);
                loss.started += gang.pods[pod].started;
            }
        }
        loss.roots += numbered_gangs_[g].kept_minimum && !keeps_minimum(gang, lost) ? 1 : 0;
    }
    std::ranges::sort(loss.pods);
    return loss;
}

bool Candidates::is_allowed(const Loss& loss) const {
    std::map<std::uint32_t, std::int64_t> evictions;  // By budget.
    for (const PodNumber number : loss.pods) {
        const RunningPod& pod = facts(number);
        if (pod.is_protected) {
            return false;
        }
        for (const std::uint32_t budget : pod.budgets) {
            if (++evictions[budget] > running_.budgets[budget].allowed) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace echelon::solver::preemption

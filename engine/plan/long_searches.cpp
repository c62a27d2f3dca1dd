#include "engine/plan/long_searches.hpp"

#include <utility>
#include <variant>

namespace echelon::engine {

namespace {

// If the cluster changes faster than searches end, a short one runs within the step, where nothing changes.
constexpr std::uint32_t most_overtaken = 3;

}  // namespace

void LongSearches::begin(const GangState& gang) {
    const auto planning = plannings_.find(gang.root());
    if (planning == plannings_.end())
        return;
    if (takes(gang)) {
        planning->second.next = 0;
    } else {
        plannings_.erase(planning);  // The gang has changed since.
    }
}

bool LongSearches::takes(const GangState& gang) const {
    return gang.due().defers_until && work_.searches_apart(gang);
}

LongSearches::Result LongSearches::next(const GangState& gang, const model::Snapshot& snapshot,
                                        const model::Gang& wanted, solver::SolveOptions budget) {
    auto& planning = plannings_[gang.root()];
    const auto at = planning.next++;
    if (at < planning.searches.size()) {
        if (planning.open && at + 1 == planning.searches.size())
            return {};
        auto& search = planning.searches[at];
        auto answer = search.task->answer_in(snapshot, wanted);
        if (answer && (std::holds_alternative<solver::Plan>(*answer) || is_current(search, gang)))
            return {.answer = std::move(answer),
                    .has_missed_room = search.freed_room_count != queue_.freed_room_count(),
                    .took = search.task->took()};
        planning.searches.resize(at);
        if (++planning.overtaken > most_overtaken)
            return {.answer = solver::solve(snapshot, wanted, work_.short_budget())};
    }
    start(planning, gang, snapshot, wanted, budget);
    return {};
}

bool LongSearches::is_current(const Search& search, const GangState& gang) const {
    return search.freed_room_count == queue_.freed_room_count() && search.changes == gang.due().changes;
}

void LongSearches::start(Planning& planning, const GangState& gang, const model::Snapshot& snapshot,
                         const model::Gang& wanted, solver::SolveOptions budget) {
    work_.add_snapshots(1);
    auto task = std::make_shared<LongSearch>(snapshot, wanted, budget, facts_.options.stopwatch);
    planning.searches.push_back(
        {.task = task, .freed_room_count = queue_.freed_room_count(), .changes = gang.due().changes});
    planning.open = ++last_search_;
    outbox_.search(last_search_, std::move(task));
}

std::optional<model::GroupKey> LongSearches::on_ended(std::uint64_t search) {
    for (auto& [root, planning] : plannings_) {
        if (planning.open == search) {
            planning.open.reset();
            return root;
        }
    }
    return std::nullopt;
}

}  // namespace echelon::engine

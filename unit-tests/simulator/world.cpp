#include "unit-tests/simulator/world.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::simulator {

void Promise::hear(const model::PlanRecord& record) {
    const auto before = std::exchange(phase, record.phase);
    if (phase != model::Phase::committed)
        return;
    if (before != model::Phase::committed || commits.empty())
        commits.emplace_back();
    for (const auto& seat : record.seats) {
        if (!seat.bound || (before == model::Phase::bound && !seat.ran_before))  // Then it goes on with more groups.
            commits.back().insert(seat.uid);
    }
}

void World::fail(std::string_view invariant, std::string sentence) {
    if (!watched.empty() && invariant != watched)
        return;
    tell(fmt::format("{:>9} VIOLATION {}: {}", clock.now().count(), invariant, sentence));
    if (!violation)
        violation = Violation{std::string(invariant), std::move(sentence), steps, clock.now()};
}

bool NamedVictims::hear(const model::PlanRecord& record, std::uint64_t by, const View& truth) {
    std::set<std::string> named;
    for (const auto& victim : record.victims) {
        if (record.phase == model::Phase::clearing)
            ever.insert(victim.uid);
        if (truth.pod(victim.uid) != nullptr)
            named.insert(victim.uid);
    }
    if (by < writer)
        return true;
    writer = by;
    if (record.phase != model::Phase::clearing) {
        epoch = -1;  // The next one is another clearing, even at the same epoch: the GangPlan may be a new one.
        return true;
    }
    const bool is_within = epoch != record.epoch || std::ranges::includes(last, named);
    epoch = record.epoch;
    last = std::move(named);
    return is_within;
}

}  // namespace echelon::simulator

#include "solver/preemption/narrowing.hpp"

#include <algorithm>
#include <utility>

namespace echelon::solver::preemption {
namespace {

constexpr std::size_t window_of_set = 4;   // Units of the set that one exchange may remove.
constexpr std::size_t window_of_pool = 5;  // Units that it may add instead.
constexpr std::size_t most_rounds = 12;

using Units = std::vector<UnitNumber>;

// Finds a minimal set by halves (QuickXplain, Junker 2004).
class Minimiser {
public:
    explicit Minimiser(const Terms& terms) : terms_(terms) {}

    // The part of `from` that `base` needs to suffice. `is_new`: `base` has grown since it was last tried.
    Units reduce(const Units& base, bool is_new, std::span<const UnitNumber> from) {
        if (is_new && terms_.suffices(base)) {
            return {};
        }
        if (from.size() <= 1) {
            return {from.begin(), from.end()};
        }
        const auto first = from.first(from.size() / 2);
        const auto second = from.subspan(from.size() / 2);
        const Units of_second = reduce(joined(base, first), true, second);
        Units of_first = reduce(joined(base, of_second), !of_second.empty(), first);
        of_first.insert(of_first.end(), of_second.begin(), of_second.end());
        return of_first;
    }

private:
    static Units joined(Units one, std::span<const UnitNumber> other) {
        one.insert(one.end(), other.begin(), other.end());
        return one;
    }

    const Terms& terms_;
};

bool holds(std::span<const UnitNumber> units, UnitNumber unit) {
    return std::ranges::find(units, unit) != units.end();
}

// `count` units of a list from `start`, wrapping at its end.
Units window(std::span<const UnitNumber> from, std::size_t start, std::size_t count) {
    Units some;
    for (std::size_t i = 0; i < std::min(count, from.size()); ++i) {
        some.push_back(from[(start + i) % from.size()]);
    }
    return some;
}

}  // namespace

Units minimal_set(const Terms& terms, std::span<const UnitNumber> by_preference) {
    return Minimiser(terms).reduce({}, true, by_preference);
}

Units without_surplus(const Terms& terms, Units units) {
    const auto alone = [&](UnitNumber u) { return terms.candidates.loss_of(std::span(&u, 1)); };
    std::ranges::sort(units, [&](UnitNumber a, UnitNumber b) { return alone(b).is_less_than(alone(a)); });
    for (std::size_t at = 0; at < units.size();) {
        Units fewer = units;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at));
        if (terms.suffices(fewer)) {
            units = std::move(fewer);
        } else {
            ++at;
        }
    }
    std::ranges::sort(units);
    return units;
}

LeastSet improved(const Terms& terms, LeastSet set, std::span<const UnitNumber> pool) {
    std::size_t since_success = 0;
    for (std::size_t round = 0; since_success < most_rounds && !terms.budget.is_over(); ++round) {
        Units others;
        std::ranges::copy_if(pool, std::back_inserter(others), [&](UnitNumber u) { return !holds(set.units, u); });
        const Units out = window(set.units, round * window_of_set, window_of_set);
        Units open = window(others, round / 2 * window_of_pool, window_of_pool);
        open.insert(open.end(), out.begin(), out.end());
        Units fixed;
        std::ranges::copy_if(set.units, std::back_inserter(fixed), [&](UnitNumber u) { return !holds(out, u); });
        auto better = least_set(terms, fixed, open, {.below = set.loss}).least;
        ++since_success;
        if (better) {
            set = std::move(*better);
            since_success = 0;
        }
    }
    return set;
}

}  // namespace echelon::solver::preemption

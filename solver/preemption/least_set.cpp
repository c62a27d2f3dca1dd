#include "solver/preemption/least_set.hpp"

#include <algorithm>
#include <utility>

namespace echelon::solver::preemption {
namespace {

using Mask = std::uint32_t;  // One bit for each open unit.

struct Choice {
    Mask mask = 0;
    Loss loss;
};

class Enumeration {
public:
    Enumeration(const Terms& terms, std::span<const UnitNumber> fixed, std::span<const UnitNumber> open)
        : terms_(terms), fixed_(fixed.begin(), fixed.end()), open_(open) {}

    LeastAnswer run(const LossBounds& bounds) {
        if (!suffices(everything())) {
            return {.least = std::nullopt, .is_certain = !terms_.budget.is_over()};
        }
        for (const Choice& choice : choices(bounds)) {
            if (terms_.budget.is_over()) {
                return {.least = std::nullopt, .is_certain = false};
            }
            if (is_refuted(choice.mask)) {
                continue;
            }
            if (suffices(choice.mask)) {
                return {.least = LeastSet{.units = units_of(choice.mask), .loss = choice.loss}, .is_certain = true};
            }
            refute(choice.mask);
        }
        return {.least = std::nullopt, .is_certain = !terms_.budget.is_over()};
    }

private:
    [[nodiscard]] Mask everything() const { return (Mask{1} << open_.size()) - 1; }

    [[nodiscard]] std::vector<UnitNumber> units_of(Mask mask) const {
        std::vector<UnitNumber> units = fixed_;
        for (std::size_t i = 0; i < open_.size(); ++i) {
            if ((mask >> i & 1U) != 0) {
                units.push_back(open_[i]);
            }
        }
        return units;
    }

    [[nodiscard]] std::vector<Choice> choices(const LossBounds& bounds) const {
        std::vector<Choice> all;
        for (Mask mask = 0; mask <= everything() && !terms_.budget.is_over(); ++mask) {
            Loss loss = terms_.loss_of(units_of(mask));
            const bool is_of_interest = std::cmp_greater_equal(loss.pods.size(), bounds.least_pods) &&
                                        (!bounds.below || loss.is_less_than(*bounds.below));
            if (is_of_interest && terms_.accepts(loss)) {
                all.push_back({.mask = mask, .loss = std::move(loss)});
            }
        }
        std::ranges::sort(all, [](const Choice& a, const Choice& b) {
            return a.loss != b.loss ? a.loss.is_less_than(b.loss) : a.mask < b.mask;
        });
        return all;
    }

    [[nodiscard]] bool suffices(Mask mask) const { return terms_.suffices(units_of(mask)); }

    [[nodiscard]] bool is_refuted(Mask mask) const {
        return std::ranges::any_of(refuted_, [mask](Mask large) { return (mask & ~large) == 0; });
    }

    void refute(Mask mask) {
        for (std::size_t i = 0; i < open_.size(); ++i) {
            const Mask larger = mask | Mask{1} << i;
            if (larger != mask && !suffices(larger)) {
                mask = larger;
            }
        }
        refuted_.push_back(mask);
    }

    const Terms& terms_;
    std::vector<UnitNumber> fixed_;
    std::span<const UnitNumber> open_;
    std::vector<Mask> refuted_;  // Sets that do not suffice, each as large as it can be.
};

}  // namespace

LeastAnswer least_set(const Terms& terms, std::span<const UnitNumber> fixed, std::span<const UnitNumber> open,
                      const LossBounds& bounds) {
    return Enumeration(terms, fixed, open).run(bounds);
}

}  // namespace echelon::solver::preemption

#include "model/cluster/budget_lookup.hpp"

#include "model/facts/eligibility.hpp"

#include <algorithm>

namespace echelon::model {

namespace {

bool selects(const DisruptionBudget& budget, const LabelViews& labels) {
    return std::ranges::all_of(*budget.selector, [&labels](const Requirement& requirement) {
        const auto label = std::ranges::lower_bound(labels, requirement.key, {}, &LabelViews::value_type::first);
        const bool is_there = label != labels.end() && label->first == requirement.key;
        return holds(requirement, is_there ? std::optional(label->second) : std::nullopt);
    });
}

}  // namespace

BudgetLookup::BudgetLookup(const std::map<std::string, DisruptionBudget>& budgets) {
    for (const auto& [name, budget] : budgets) {
        if (!budget.selector)
            continue;
        const auto in = std::ranges::find(*budget.selector, Requirement::Operator::in, &Requirement::op);
        if (in == budget.selector->end()) {
            others_.push_back(&budget);
            continue;
        }
        for (const auto& value : in->values)
            by_label_[{in->key, value}].push_back(&budget);
    }
}

std::optional<BudgetLookup::Found> BudgetLookup::selecting(const LabelViews& labels) const {
    Found found;
    std::size_t parts = 0;
    const auto look_at = [&](const Found& budgets) {
        return std::ranges::all_of(budgets, [&](const DisruptionBudget* budget) {
            parts += 1 + budget->selector->size();
            if (parts <= most_parts && selects(*budget, labels))
                found.push_back(budget);
            return parts <= most_parts;
        });
    };
    if (!look_at(others_))
        return std::nullopt;
    for (const auto& label : labels) {
        if (const auto here = by_label_.find(label); here != by_label_.end() && !look_at(here->second))
            return std::nullopt;
    }
    return found;
}

}  // namespace echelon::model

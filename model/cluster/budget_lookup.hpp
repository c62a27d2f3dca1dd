#pragma once

// Which disruption budgets of a namespace select a pod?
//
// A budget is looked at only for pods with one of the labels that it asks for, and for every pod if it asks for none.
// The work for each pod is bounded, whatever budgets its namespace has (BD2). Lives for one call. Pure.

#include "model/facts/disruption_budget.hpp"
#include "model/facts/pod_term.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::model {

class BudgetLookup {
public:
    // Budgets and their requirements that are looked at for one pod.
    static constexpr std::size_t most_parts = 256;

    // Requires: the budgets outlive it.
    explicit BudgetLookup(const std::map<std::string, DisruptionBudget>& budgets);

    using Found = std::vector<const DisruptionBudget*>;
    // In no order; nullopt: too many might. `labels` are sorted by key.
    [[nodiscard]] std::optional<Found> selecting(const LabelViews& labels) const;

private:
    std::map<std::pair<std::string_view, std::string_view>, Found> by_label_;
    Found others_;  // Their selectors ask for no particular label.
};

}  // namespace echelon::model

#pragma once

// Which members of a gang may a term of pod affinity select? An index by label, so that only candidates are tested.
//
// Pure. Lives for one call: it points into the labels.

#include "model/facts/pod_term.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::model {

class LabelledMembers {
public:
    void add(const LabelViews& labels, std::size_t member) {
        for (const auto& [key, value] : labels) {
            by_value_[{key, value}].push_back(member);
        }
        all_.push_back(member);
    }

    // The labels of all members, each once; sorted.
    [[nodiscard]] auto labels() const { return std::views::keys(by_value_); }
    // Calls `look` for each member that the term may select, in order, until it returns true.
    bool any_of(const PodTerm& term, const auto& look) const {
        const auto listed = std::ranges::find(term.labels, Requirement::Operator::in, &Requirement::op);
        if (listed == term.labels.end())
            return std::ranges::any_of(all_, look);
        std::vector<std::size_t> found;  // A key has one value, so that no member comes twice.
        for (const auto& value : listed->values) {
            if (const auto here = by_value_.find({listed->key, value}); here != by_value_.end())
                found.insert(found.end(), here->second.begin(), here->second.end());
        }
        std::ranges::sort(found);
        return std::ranges::any_of(found, look);
    }

private:
    std::map<std::pair<std::string_view, std::string_view>, std::vector<std::size_t>> by_value_;
    std::vector<std::size_t> all_;
};

}  // namespace echelon::model

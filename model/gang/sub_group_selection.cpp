#include "model/gang/sub_group_selection.hpp"

#include "model/facts/eligibility.hpp"

#include <algorithm>

namespace echelon::model {

namespace {

std::optional<std::string_view> value_of(const LabelViews& labels, std::string_view key) {
    const auto label = std::ranges::find(labels, key, &LabelViews::value_type::first);
    return label == labels.end() ? std::nullopt : std::optional(label->second);
}

// "value,value": a label value has no comma. nullopt: one has no value.
std::optional<std::string> values_of(const LabelViews& labels, const std::vector<std::string>& keys) {
    std::string joined;
    for (const auto& key : keys) {
        const auto value = value_of(labels, key).value_or("");
        if (value.empty())
            return std::nullopt;
        if (!joined.empty())
            joined += ',';
        joined += value;
    }
    return joined;
}

}  // namespace

std::string selector_key(std::string_view name) {
    return ":" + std::string(name);
}

std::optional<SelectedLeaf> select_leaf(const Group& group, const LabelViews& labels) {
    for (const auto& sorting : group.sorts) {
        const auto holds_here = [&labels](const Requirement& requirement) {
            return holds(requirement, value_of(labels, requirement.key));
        };
        if (!std::ranges::all_of(sorting.labels, holds_here))
            continue;
        if (sorting.selector && !std::ranges::all_of(*sorting.selector, holds_here))
            continue;
        const auto values = values_of(labels, sorting.keys);
        if (!values)
            continue;
        SelectedLeaf found{.leaf = sorting.leaf, .is_made = !sorting.is_declared};
        if (!sorting.keys.empty())
            found.leaf.key.name += "/" + *values;
        return found;
    }
    return std::nullopt;
}

}  // namespace echelon::model

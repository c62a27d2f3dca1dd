#include "model/gang/sub_group_selection.hpp"

#include "model/facts/eligibility.hpp"

#include <algorithm>
#include <utility>

namespace echelon::model {

namespace {

std::optional<std::string_view> value_of(const LabelViews& labels, std::string_view key) {
    const auto label = std::ranges::find(labels, key, &LabelViews::value_type::first);
    return label == labels.end() ? std::nullopt : std::optional(label->second);
}

// "value,value", which is unique since label values have no comma. nullopt: a key has no value.
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

std::string name_mark() {
    return selector_key("name");
}

bool bears(const SubGroupSelector& selector, std::string_view mark) {
    return selector.keys.size() == 1 && selector.keys.front() == selector_key(mark);
}

bool is_by_rank(const SubGroupSelector& selector) {
    return bears(selector, "rank");
}

bool is_across_children(const SubGroupSelector& selector) {
    return bears(selector, "rank-across-children");
}

bool is_after(const SubGroupSelector& selector) {
    return bears(selector, "after");
}

bool is_of_parts(const SubGroupSelector& selector) {
    return selector.parts.end > 0;
}

}  // namespace

std::string selector_key(std::string_view name) {
    return ":" + std::string(name);
}

SubGroupSelector selector_by_name(const GroupKey& leaf, std::vector<std::string> names) {
    std::ranges::sort(names);
    SubGroupSelector selector;
    selector.labels.push_back({.key = name_mark(), .op = Requirement::Operator::in, .values = std::move(names)});
    selector.leaf.key = leaf;
    selector.is_declared = true;
    return selector;
}

const std::vector<std::string>* selected_names(const SubGroupSelector& selector) {
    const bool is_by_name = selector.labels.size() == 1 && selector.labels.front().key == name_mark();
    return is_by_name ? &selector.labels.front().values : nullptr;
}

SubGroupSelector selector_by_rank() {
    SubGroupSelector selector;
    selector.keys.push_back(selector_key("rank"));
    return selector;
}

bool is_cut_by_rank(const Group& group) {
    return std::ranges::any_of(group.sorts, is_by_rank);
}

SubGroupSelector selector_across_children() {
    SubGroupSelector selector;
    selector.keys.push_back(selector_key("rank-across-children"));
    return selector;
}

bool is_cut_across_children(const Group& group) {
    return std::ranges::any_of(group.sorts, is_across_children);
}

SubGroupSelector selector_after(const std::string& kind, std::vector<std::string> names) {
    SubGroupSelector selector;
    selector.keys.push_back(selector_key("after"));
    selector.leaf.key.kind = kind;
    Requirement named{.key = selector_key("name"), .op = Requirement::Operator::in, .values = std::move(names)};
    selector.selector = std::vector<Requirement>{std::move(named)};  // All copies share it.
    return selector;
}

std::vector<GroupKey> ends_before(const Group& group) {
    std::vector<GroupKey> ended;
    for (const auto& selector : group.sorts) {
        if (!is_after(selector) || !selector.selector)
            continue;
        for (const auto& name : selector.selector->front().values)
            ended.push_back({selector.leaf.key.kind, name});
    }
    return ended;
}

SubGroupSelector selector_of_parts(Group leaf, PartNumbers numbers) {
    SubGroupSelector selector;
    selector.leaf = std::move(leaf);
    selector.parts = numbers;
    return selector;
}

std::optional<Parts> parts_of(const Group& group) {
    const auto found = std::ranges::find_if(group.sorts, is_of_parts);
    if (found == group.sorts.end())
        return std::nullopt;
    return Parts{.leaf = found->leaf, .numbers = found->parts};
}

bool selects_by_labels(const Group& group) {
    return std::ranges::any_of(group.sorts, [](const auto& selector) {
        return selected_names(selector) == nullptr && !is_by_rank(selector) && !is_across_children(selector) &&
               !is_after(selector) && !is_of_parts(selector);
    });
}

std::optional<SelectedLeaf> select_leaf(const Group& group, const LabelViews& labels) {
    for (const auto& sorting : group.sorts) {
        if (is_of_parts(sorting))
            continue;
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
            found.leaf.key.name = found.leaf.key.name + "/" + *values;
        return found;
    }
    return std::nullopt;
}

}  // namespace echelon::model

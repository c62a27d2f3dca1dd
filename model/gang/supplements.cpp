#include "model/gang/supplements.hpp"

#include "base/quoted.hpp"
#include "model/facts/topology.hpp"
#include "model/gang/sub_group_selection.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace echelon::model {

namespace {

// Without the whole cluster, which is no constraint.
void add_missing(std::vector<std::string>& levels, const std::vector<std::string>& more) {
    for (const auto& level : more) {
        if (level != whole_cluster_level && std::ranges::find(levels, level) == levels.end())
            levels.push_back(level);
    }
}

// How members are sorted into the groups below.
void supplement_sorts(Group& group, const Group& from) {
    if (is_cut_by_rank(from) && !is_cut_by_rank(group))
        group.sorts.push_back(selector_by_rank());
    if (is_cut_across_children(from) && !is_cut_across_children(group))
        group.sorts.push_back(selector_across_children());
    if (const auto parts = parts_of(from); parts && !parts_of(group))
        group.sorts.push_back(selector_of_parts(parts->leaf, parts->numbers));
}

// How many members start together, come late and have ended. Requires: the group states its numbers.
void supplement_members(Group& group, const Group& from) {
    group.minimum = std::max(*group.minimum, from.minimum.value_or(0));
    group.start_set = group.start_set ? group.start_set : from.start_set;
    group.take_late_template(from);
    group.described_by = group.described_by ? group.described_by : from.described_by;
    group.ended = std::max(group.ended, from.ended);
    const auto known = ends_before(group);
    for (const auto& ended : ends_before(from)) {
        if (std::ranges::find(known, ended) == known.end())
            group.sorts.push_back(selector_after(ended.kind, {ended.name}));
    }
}

// True if the addition is about some of the group's pods only.
bool is_about_a_part(const Group& group, const Group& addition, const std::vector<std::string_view>& dividing) {
    return std::ranges::find(dividing, addition.about->label) != dividing.end() ||
           (addition.expected && group.minimum && *group.minimum > *addition.expected);
}

// Adds what `from` says; the object's own value wins if only one can hold. A supplement about a part of the group says
// nothing about late pods, ended pods and required levels of the whole.
void supplement(Group& group, const Group& from, bool is_of_a_part) {
    group.policy.needs_pods = group.policy.needs_pods || from.policy.needs_pods;
    if (!is_of_a_part)
        add_missing(group.required, from.required);
    if (group.preferred.empty())
        group.preferred = from.preferred;
    group.multiples.insert(from.multiples.begin(), from.multiples.end());
    supplement_sorts(group, from);
    if (group.topology.empty() && group.topology_group.empty()) {
        group.topology = from.topology;
        group.topology_group = from.topology_group;
    }
    group.anchor = group.anchor ? group.anchor : from.anchor;
    group.expected = group.expected ? group.expected : from.expected;
    const bool says_numbers = from.expected || (from.start_set && group.expected);
    if (says_numbers && group.minimum && !is_of_a_part)
        supplement_members(group, from);
    if (group.problem.empty() && from.policy.unsized_slices.empty())
        group.problem = from.problem;
    group.warnings.insert(group.warnings.end(), from.warnings.begin(), from.warnings.end());
}

// Pods of the widest slices; 0: there are none.
std::int64_t size_of_slices(const Group& group) {
    std::int64_t widest = 0;
    for (const auto& [level, size] : group.multiples)
        widest = std::max(widest, size);
    return widest;
}

// True if both speak of one API group's topology.
bool are_of_one_api(const Group& object, const Group& addition) {
    return !object.topology_group.empty() && object.topology_group == addition.topology_group;
}

// True if both state levels of one API group's topology and differ (Z30).
bool contradicts(const Group& object, const Group& addition) {
    const auto says_level = [](const Group& group) { return !group.required.empty() || !group.preferred.empty(); };
    const bool has_other_level = says_level(object) && says_level(addition) &&
                                 (object.required != addition.required || object.preferred != addition.preferred);
    const bool has_other_slices =
        !object.multiples.empty() && !addition.multiples.empty() && object.multiples != addition.multiples;
    const bool has_other_size = object.policy.slice_size != 0 && !addition.multiples.empty() &&
                                object.policy.slice_size != size_of_slices(addition);
    return are_of_one_api(object, addition) && (has_other_level || has_other_slices || has_other_size);
}

// Slices whose size only the object may state. Called once all supplements are in: other pods may state it, too.
void size_slices(const Group& object, const Group& addition, Group& whole) {
    const auto& level = addition.policy.unsized_slices;
    if (level.empty() || whole.multiples.contains(level) || !whole.problem.empty())
        return;
    if (object.policy.slice_size == 0 || !whole.multiples.empty()) {
        whole.problem = addition.problem;
        return;
    }
    whole.multiples[level] = object.policy.slice_size;
    if (!is_cut_by_rank(whole))
        whole.sorts.push_back(selector_by_rank());
}

// Slices of consecutive ranks that pods ask for must divide the pods that their object counts (Z11).
void check_slices(const Group& object, const std::vector<const Group*>& additions, Group& whole) {
    const auto cuts = [&object](const Group* addition) {
        return are_of_one_api(object, *addition) &&
               (is_cut_by_rank(*addition) || !addition->policy.unsized_slices.empty());
    };
    const auto size = size_of_slices(whole);
    if (size == 0 || !whole.problem.empty() || !object.minimum || std::ranges::none_of(additions, cuts))
        return;
    if (*object.minimum % size != 0) {
        whole.problem =
            "slices of " + std::to_string(size) + " pods don't divide the " + std::to_string(*object.minimum) + " pods";
    }
}

// Level and label of what parts of the group require, each for itself.
using LevelsOfParts = std::set<std::pair<std::string, std::string>>;

void warn_about(const LevelsOfParts& levels, Group& whole) {
    for (const auto& [level, label] : levels) {
        if (std::ranges::find(whole.required, level) != whole.required.end())
            continue;
        whole.warnings.push_back("required level " + base::quoted(level) + " is of parts of the group, by label " +
                                 base::quoted(label) + ": it is left to the affinity of their pods");
    }
}

}  // namespace

Group supplemented(const Group& group, const std::vector<const Group*>& additions,
                   const std::vector<std::string_view>& dividing) {
    Group whole = group;
    LevelsOfParts of_parts;
    const Group* before = nullptr;
    for (const auto* addition : additions) {
        if (addition == before)
            continue;  // It says the same of another part.
        const bool is_of_a_part = is_about_a_part(whole, *addition, dividing);
        supplement(whole, *addition, is_of_a_part);
        for (const auto& level : addition->required) {
            if (is_of_a_part)
                of_parts.emplace(level, addition->about->label);
        }
        if (whole.problem.empty() && contradicts(group, *addition))
            whole.problem = "its pods ask for other levels than its object";
        const bool is_of_one_voice = before == nullptr || group.topology_group.empty() ||
                                     group.topology_group != addition->topology_group ||
                                     !contradicts(*before, *addition);
        if (whole.problem.empty() && !is_of_one_voice)
            whole.problem = "its pods ask for unlike levels";
        before = addition;
    }
    for (const auto* addition : additions)
        size_slices(group, *addition, whole);
    check_slices(group, additions, whole);
    warn_about(of_parts, whole);
    return whole;
}

}  // namespace echelon::model

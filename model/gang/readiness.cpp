#include "model/gang/readiness.hpp"

#include "base/quoted.hpp"

#include <algorithm>
#include <iterator>

namespace echelon::model {

namespace {

// How many members of a group count.
struct Reach {
    bool is_enough = false;     // For the minimum.
    std::int64_t children = 0;  // Composite: children with enough members.
    std::int64_t pods = 0;      // In the group, or in the children that have enough.
};

// Members that exist, without those that ran before if only waiting members count.
std::int64_t counted(const GroupFacts& group) {
    return group.existing() - group.earlier_members();
}

// What could be placed of a leaf if there were room for everything.
Reach of_existing(const GroupFacts& leaf) {
    const auto pods = leaf.existing() + leaf.placeholders();
    return {.is_enough = pods >= leaf.needed() && counted(leaf) >= leaf.at_start(), .pods = pods};
}

Reach of_bound(const GroupFacts& leaf) {
    const auto pods = std::ranges::count_if(leaf.pods, [](const PodFacts& row) {
        return row.status == MemberStatus::bound || row.status == MemberStatus::finished;
    });
    return {.is_enough = pods >= leaf.minimum(), .pods = pods};
}

// [group] `of_leaf(leaf)`: what counts there.
std::vector<Reach> reach_of(const GangFacts& facts, Reach (*of_leaf)(const GroupFacts& leaf)) {
    std::vector<Reach> reach(facts.groups.size());
    for (std::size_t index = facts.groups.size(); index-- > 0;) {  // Pre-order, hence children before parents.
        const auto& group = facts.groups[index];
        auto& here = reach[index];
        if (group.group() == nullptr)
            continue;
        if (group.is_leaf()) {
            here = of_leaf(group);
            continue;
        }
        for (const auto child : group.children) {
            if (reach[child].is_enough) {
                here.pods += reach[child].pods;
                ++here.children;
            }
        }
        here.is_enough = here.children >= group.minimum() && here.pods >= group.floor() &&
                         (here.children > 0 || group.group()->minimum.has_value());
    }
    return reach;
}

std::string count_of(std::int64_t number, std::string_view noun) {
    return std::to_string(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

std::string more_that_wait(std::int64_t number, std::string_view what) {
    return number == 0 ? "" : ", " + std::to_string(number) + " more wait " + std::string(what);
}

// Pods of the leaf that are no members of it now.
std::string others_of(const GroupFacts& group) {
    const auto waits = [&group](bool is_behind_gate) {
        return std::ranges::count_if(group.pods, [is_behind_gate](const PodFacts& row) {
            return row.status == MemberStatus::gated && row.pod->has_foreign_gate() == is_behind_gate;
        });
    };
    std::string text = more_that_wait(waits(true), "behind a scheduling gate");
    text += more_that_wait(waits(false), "for " + group.missing_claim);
    const auto earlier = std::ranges::count_if(group.pods, [](const PodFacts& row) {
        const bool has_node = row.pod->node.empty() || row.node != nowhere;
        return row.status == MemberStatus::lost && member_status_of(*row.pod, has_node) != MemberStatus::lost;
    });
    if (earlier > 0)
        text += ", " + std::to_string(earlier) + " more of an earlier run";
    return text;
}

std::string leaf_sentence(const GroupFacts& group) {
    if (counted(group) < group.at_start()) {
        return "group " + base::quoted(group.branch.key.name) + " has " + std::to_string(counted(group)) + " of " +
               count_of(group.at_start(), "pod") + " that the others wait for";
    }
    auto text = "group " + base::quoted(group.branch.key.name) + " has " + std::to_string(counted(group)) +
                " of at least " + count_of(group.minimum(), "pod");
    if (group.earlier_members() > 0)
        text += " waiting (running pods do not count)";
    return text + others_of(group);
}

std::string composite_sentence(const GangFacts& facts, const std::vector<Reach>& reach, std::size_t index) {
    const auto& group = facts.groups[index];
    const auto name = "group " + base::quoted(group.branch.key.name);
    if (group.children.empty())
        return name + " has no groups below it yet";
    if (reach[index].children >= group.minimum()) {
        return name + " has " + std::to_string(reach[index].pods) + " of at least " + count_of(group.floor(), "pod");
    }
    const auto uncounted = group.uncounted_children();
    auto text = name + " has " + std::to_string(reach[index].children - uncounted) + " of at least " +
                count_of(group.minimum() - uncounted, "group") + " with enough pods";
    const auto lacking = std::ranges::find_if(group.children, [&](auto child) { return !reach[child].is_enough; });
    if (lacking == group.children.end())
        return text;
    const auto& child = facts.groups[*lacking];
    if (child.is_leaf() && child.group() != nullptr)
        return text + ", " + leaf_sentence(child).substr(std::string_view("group ").size());
    return text;
}

}  // namespace

std::string readiness_problem(const GangFacts& facts) {
    const auto& root = facts.root();
    const auto name = "group " + base::quoted(root.branch.key.name);
    if (root.group() == nullptr)
        return name + " doesn't exist yet";
    for (const auto& group : facts.groups) {
        if (!group.missing_listed_group.empty())
            return "group " + base::quoted(group.missing_listed_group) +
                   ", which is listed beside others, doesn't exist yet";
    }
    if (root.group()->parent && !facts.is_cycle)
        return name + ": parent " + base::quoted(root.group()->parent->name) + " doesn't exist yet";
    const auto reach = reach_of(facts, of_existing);
    const auto exists = [](const GroupFacts& group) { return group.existing() > 0 || group.gone() > 0; };
    const auto has_late_members = [](const GroupFacts& group) {
        return group.group() != nullptr && group.group()->start_set.has_value();
    };
    if (std::ranges::any_of(facts.groups, has_late_members) && std::ranges::none_of(facts.groups, exists))
        return name + " has no pod yet";
    if (reach.front().is_enough)
        return {};
    return root.is_leaf() ? leaf_sentence(root) : composite_sentence(facts, reach, 0);
}

namespace {

// Leaf: what it declares, created or not, without those that are gone.
std::int64_t declared_pods(const GroupFacts& group) {
    return std::max(group.group()->expected.value_or(0) - group.gone(), group.minimum());
}

// Late members count only once one of them has come: the start set is planned without them.
std::int64_t missing_from(const GroupFacts& group) {
    if (!group.is_leaf())  // Each missing child has at least one member.
        return std::max<std::int64_t>(0, group.minimum() - std::ssize(group.children));
    const bool is_starting = group.at_start() > 0 && group.existing() <= group.at_start();
    const auto declared = is_starting ? group.at_start() : declared_pods(group);
    return std::max<std::int64_t>(0, declared - group.existing());
}

}  // namespace

bool is_minimum_bound(const GangFacts& facts) {
    return reach_of(facts, of_bound).front().is_enough;
}

std::optional<std::int64_t> missing_members(const GangFacts& facts) {
    const auto* root = facts.root().group();
    if (root == nullptr || root->parent)
        return std::nullopt;
    std::int64_t missing = 0;
    std::int64_t existing = 0;
    for (const auto& group : facts.groups) {
        if (group.group() == nullptr || !group.missing_listed_group.empty())
            return std::nullopt;
        missing += missing_from(group);
        existing += group.is_leaf() ? group.existing() + group.placeholders() : 0;
    }
    return std::max(missing, facts.root().floor() - existing);
}

bool has_stated_size(const GangFacts& facts) {
    return std::ranges::all_of(facts.groups, [](const GroupFacts& group) {
        const bool states_size = group.group() != nullptr && group.group()->expected.has_value();
        return !group.is_leaf() || (states_size && group.existing() <= declared_pods(group));
    });
}

}  // namespace echelon::model

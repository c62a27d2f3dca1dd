#include "kube/dialects/gang_object.hpp"

#include "base/counted.hpp"
#include "kube/core/pod_constraints.hpp"
#include "kube/core/priority_class.hpp"
#include "kube/dialects/group_reading.hpp"
#include "kube/dialects/label_gang.hpp"
#include "kube/json/quoted_text.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;
using model::Requirement;
using Requirements = std::vector<Requirement>;

constexpr Bound selector_bound{64, "requirements that a podSelector may have"};
constexpr std::size_t longest_name = 1024;  // Bytes of a group's name, with the names of the groups around it.
constexpr std::string_view replica_label = "echelon.sh/replica";

void read_disruption_mode(const Field& holder, Group& group) {
    if (!holder.at("disruptionMode").exists())
        return;
    const std::string mode = holder.text("disruptionMode");
    if (mode == "all") {
        group.disruption = model::DisruptionMode::all;
    } else if (mode == "single") {
        group.disruption = model::DisruptionMode::single;
    } else {
        complain(group,
                 fmt::format("{}.disruptionMode is {}, which is neither single nor all", holder.path(), shown(mode)));
    }
}

// A level that binds. "" when absent; an empty one is a fault, since no level would bind then.
std::string binding_level(const Field& holder, std::string_view name) {
    return holder.at(name).exists() ? holder.required_text(name) : "";
}

// maxPerDomain, in groups or in pods.
void read_most_per_domain(const Field& holder, bool of_groups, Group& group) {
    const Field most = holder.at("maxPerDomain");
    for (const auto& [level, count] : most.members(level_bound)) {
        if (const auto number = of_groups ? most.groups(level, 1) : most.pods(level, 1))
            group.most_per_domain[std::string(level)] = *number;
    }
}

// The fields that the root and every group have in common.
void read_common_fields(const Field& holder, const std::string& topology, Group& group) {
    const Bound most_groups = group_bound(holder.limits());
    const auto groups = std::ssize(holder.at("groups").items(most_groups));
    const bool has_groups = groups > 0;
    group.minimum = has_groups ? holder.groups("minimum", 0) : holder.pods("minimum", 0);
    if (has_groups && group.minimum.value_or(0) > groups) {
        complain(group, fmt::format("{}.minimum is {}, more than its {}", holder.path(), *group.minimum,
                                    base::counted(groups, "group")));
    }
    group.topology = topology;
    if (std::string level = binding_level(holder, "requiredTopology"); !level.empty())
        group.required.push_back(std::move(level));
    if (std::string level = holder.text("preferredTopology"); !level.empty())
        group.preferred.push_back(std::move(level));
    const Field multiples = holder.at("topologyMultiples");
    for (const auto& [level, count] : multiples.members(level_bound)) {
        if (const auto multiple = multiples.pods(level, 1); multiple && *multiple > 1)
            group.multiples[std::string(level)] = *multiple;
    }
    if (!holder.at("replicas").exists())  // Otherwise it counts replicas, and `read_group` reads it.
        read_most_per_domain(holder, has_groups, group);
    group.paired = binding_level(holder, "pairedTopology");
    if (!group.paired.empty() && !has_groups)
        complain(group, fmt::format("{}.pairedTopology is for groups of groups", holder.path()));
    group.kind = has_groups ? GroupKind::composite : GroupKind::leaf;
    read_disruption_mode(holder, group);
    const auto floor = holder.pods("minimumPods", 0);
    group.expected = holder.pods("expectedPods", 0);
    group.start_set = holder.pods("startPods", 0);
    if (floor && !has_groups)
        complain(group, fmt::format("{}.minimumPods is for groups of groups; use minimum here", holder.path()));
    group.floor = floor.value_or(0);
    if (has_groups && (group.expected || group.start_set))
        complain(group, fmt::format("{} has groups: state expectedPods and startPods on its groups", holder.path()));
    if (group.start_set && !group.expected)
        complain(group, fmt::format("{}.startPods needs expectedPods", holder.path()));
}

// Reads the groups of one object. The recursion is as deep as the tree, which is bounded.
class Reader {
public:
    Reader(model::GroupSet& set, std::string topology) : set_(set), topology_(std::move(topology)) {}

    // The groups below `parent`, for pods that match all of `path`. `depth`: of the parent; the root has 1.
    void read_groups(const Field& list, const GroupKey& parent, const Requirements& path, std::int64_t depth) {
        if (const Bound bound = depth_bound(list.limits()); list.exists() && depth + 1 > bound.most)
            return list.excessive(beyond(depth + 1, bound));
        std::set<std::string> names;
        for (const Field& item : list.items(group_bound(list.limits()))) {
            std::string name = item.required_text("name");
            if (parent.name.size() + name.size() > longest_name) {
                return item.excessive(
                    "name", fmt::format("the names down to it are longer than {} bytes together", longest_name));
            }
            if (!names.insert(name).second)
                item.wrong("name", fmt::format("{} is given twice", shown(name)));
            if (!name.empty() && !is_part_of_name(name))
                complain(root(), fmt::format("{}.name is {}, which isn't a label value", item.path(), shown(name)));
            read_group(item, parent, name, path, depth + 1);
        }
    }

private:
    void read_group(const Field& item, const GroupKey& parent, const std::string& name, const Requirements& path,
                    std::int64_t depth) {
        if (!can_add_group(item))
            return;
        const GroupKey key{"gang-group", parent.name + "/" + name};
        const auto replicas = item.groups("replicas", 0);
        const auto least = item.groups("minimumReplicas", 0);
        if (!replicas) {
            if (least)
                complain(root(), fmt::format("{}.minimumReplicas needs replicas", item.path()));
            return read_one(item, key, parent, {.name = name, .path = path, .selector = {}}, depth);
        }
        if (const Bound bound = depth_bound(item.limits()); depth + 1 > bound.most)
            return item.excessive("replicas", beyond(depth + 1, bound));
        Group all;
        all.key = key;
        all.kind = GroupKind::composite;
        all.parent = parent;
        all.minimum = least.value_or(*replicas);
        all.topology = topology_;
        read_most_per_domain(item, true, all);
        if (*all.minimum > *replicas) {
            complain(root(),
                     fmt::format("{}.minimumReplicas is {}, but there are {}", item.path(), *all.minimum, *replicas));
        }
        set_.groups.push_back(std::move(all));
        std::string label = item.text("replicaLabel");
        if (label.empty())
            label = replica_label;
        Selection selection{.name = name, .path = path, .selector = selector_of(item)};
        selection.path.push_back({.key = label, .op = Requirement::Operator::in, .values = {{}}});
        for (std::int64_t index = 0; index < *replicas && can_add_group(item); ++index) {
            selection.path.back().values.front() = std::to_string(index);
            read_one(item, {"gang-replica", fmt::format("{}/{}", key.name, index)}, key, selection, depth + 1);
        }
    }

    // Which pods belong to a group? Those that meet the requirements of all groups around it, and either its
    // podSelector, which its replicas share, or the label with its name.
    struct Selection {
        std::string name;
        Requirements path;
        base::Shared<Requirements> selector;
    };

    static base::Shared<Requirements> selector_of(const Field& item) {
        const Field selector = item.at("podSelector");
        return selector.exists() ? base::Shared(read_label_selector(selector, selector_bound))
                                 : base::Shared<Requirements>();
    }

    void read_one(const Field& item, GroupKey key, const GroupKey& parent, const Selection& selection,
                  std::int64_t depth) {
        if (!can_add_group(item))
            return;
        Group group;
        group.key = std::move(key);
        group.parent = parent;
        read_common_fields(item, topology_, group);
        if (!group.problem.empty())
            complain(root(), std::exchange(group.problem, {}));
        const Field selector = item.at("podSelector");
        if (group.kind == GroupKind::composite) {
            if (selector.exists())
                complain(root(), fmt::format("{} has both groups and a podSelector", item.path()));
            const GroupKey own = group.key;
            set_.groups.push_back(std::move(group));
            return read_groups(item.at("groups"), own, selection.path, depth);
        }
        model::SubGroupSelector selector_of_leaf;
        selector_of_leaf.labels = selection.path;
        if (selector.exists()) {
            selector_of_leaf.selector = selection.selector ? selection.selector : selector_of(item);
        } else {
            selector_of_leaf.labels.push_back(
                {.key = std::string(group_label), .op = Requirement::Operator::in, .values = {selection.name}});
        }
        selector_of_leaf.leaf = group;
        selector_of_leaf.is_declared = true;
        root().sorts.push_back(std::move(selector_of_leaf));
        set_.groups.push_back(std::move(group));
    }

    // False: the object has too many groups, which is noted as a fault.
    bool can_add_group(const Field& item) {
        const Bound bound = group_bound(item.limits());
        const bool is_full = std::cmp_greater_equal(set_.groups.size(), bound.most);
        if (is_full)
            item.excessive(fmt::format("with it there are more than the {} {}", bound.most, bound.what));
        return !is_full;
    }

    Group& root() { return set_.groups.front(); }

    model::GroupSet& set_;
    std::string topology_;
};

// A bare number could outrank every PriorityClass that an administrator restricts, so it must be allowed.
void read_priority(const Field& spec, Group& root) {
    root.priority = spec.integer("priority", least_int32, most_int32);
    if (root.priority && !spec.limits().free_priority) {
        complain(root, fmt::format("{}.priority: {} is a bare number, which needs limits.freePriority in echelon's "
                                   "configuration; priorityClassName doesn't",
                                   spec.path(), *root.priority));
        root.priority.reset();
    }
    root.priority_class = spec.text("priorityClassName");
    root.preempts = read_preempts(spec);
}

}  // namespace

model::GroupSet read_gang_object(const Field& object, const Metadata& metadata) {
    const Field spec = object.at("spec");
    const std::string topology = spec.text("topologyName");
    Group root;
    root.key = {std::string(gang_object_root), metadata.full_name()};
    read_identity(object, metadata, root);
    read_common_fields(spec, topology, root);
    read_priority(spec, root);
    root.timeout = spec.count("timeoutSeconds", 1, hold_bound(spec.limits()));
    model::GroupSet out{.owner = root.key, .uid = metadata.uid, .created = metadata.created};
    out.groups.push_back(std::move(root));
    Reader(out, topology).read_groups(spec.at("groups"), out.owner, {}, 1);
    return out;
}

}  // namespace echelon::kube

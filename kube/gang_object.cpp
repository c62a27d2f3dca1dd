#include "kube/gang_object.hpp"

#include "kube/group_reading.hpp"
#include "kube/label_gang.hpp"
#include "kube/pod_constraints.hpp"
#include "kube/shown.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
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

constexpr std::size_t most_groups = 4096;
constexpr std::string_view replica_label = "echelon.sh/replica";

// What a root and every group of it may state.
void read_wishes(const Field& holder, const std::string& topology, Group& group) {
    group.minimum = holder.integer("minimum", 0, most_int32);
    group.topology = topology;
    if (std::string level = holder.text("requiredTopology"); !level.empty())
        group.required.push_back(std::move(level));
    if (std::string level = holder.text("preferredTopology"); !level.empty())
        group.preferred.push_back(std::move(level));
    const Field multiples = holder.at("topologyMultiples");
    for (const auto& [level, count] : multiples.members()) {
        if (const auto multiple = multiples.integer(level, 1, most_int32); multiple && *multiple > 1)
            group.multiples[std::string(level)] = *multiple;
    }
    const bool has_groups = !holder.at("groups").items().empty();
    group.kind = has_groups ? GroupKind::composite : GroupKind::leaf;
    const auto floor = holder.integer("minimumPods", 0, most_int32);
    group.expected = holder.integer("expectedPods", 0, most_int32);
    group.start_set = holder.integer("startPods", 0, most_int32);
    if (floor && !has_groups)
        complain(group, fmt::format("{}.minimumPods is for groups of groups, minimum says it here", holder.path()));
    group.floor = floor.value_or(0);
    if (has_groups && (group.expected || group.start_set))
        complain(group, fmt::format("{} has groups: expectedPods and startPods are theirs to state", holder.path()));
    if (group.start_set && !group.expected)
        complain(group, fmt::format("{}.startPods needs expectedPods", holder.path()));
}

// Walks the groups of one object.
class Reader {
public:
    Reader(model::GroupSet& set, std::string topology) : set_(set), topology_(std::move(topology)) {}

    // The groups below `parent`, for pods that all of `path` takes.
    void read_groups(const Field& list, const GroupKey& parent, const Requirements& path) {
        std::vector<std::string> names;
        for (const Field& item : list.items()) {
            std::string name = item.required_text("name");
            if (std::ranges::find(names, name) != names.end())
                item.wrong("name", fmt::format("{} is given twice", shown(name)));
            read_group(item, parent, name, path);
            names.push_back(std::move(name));
        }
    }

private:
    void read_group(const Field& item, const GroupKey& parent, const std::string& name, const Requirements& path) {
        const GroupKey key{"gang-group", parent.name + "/" + name};
        const auto replicas = item.integer("replicas", 0, most_int32);
        const auto least = item.integer("minimumReplicas", 0, most_int32);
        if (!replicas) {
            if (least)
                complain(root(), fmt::format("{}.minimumReplicas needs replicas", item.path()));
            return read_one(item, key, parent, name, path);
        }
        Group all;
        all.key = key;
        all.kind = GroupKind::composite;
        all.parent = parent;
        all.minimum = least.value_or(*replicas);
        if (*all.minimum > *replicas) {
            complain(root(),
                     fmt::format("{}.minimumReplicas is {}, but there are {}", item.path(), *all.minimum, *replicas));
        }
        set_.groups.push_back(std::move(all));
        std::string label = item.text("replicaLabel");
        if (label.empty())
            label = replica_label;
        for (std::int64_t index = 0; index < *replicas && has_room(); ++index) {
            Requirements inside = path;
            inside.push_back({.key = label, .op = Requirement::Operator::in, .values = {std::to_string(index)}});
            read_one(item, {"gang-replica", fmt::format("{}/{}", key.name, index)}, key, name, inside);
        }
    }

    void read_one(const Field& item, GroupKey key, const GroupKey& parent, const std::string& name, Requirements path) {
        Group group;
        group.key = std::move(key);
        group.parent = parent;
        read_wishes(item, topology_, group);
        if (!group.problem.empty())
            complain(root(), std::exchange(group.problem, {}));
        const Field selector = item.at("podSelector");
        if (group.kind == GroupKind::composite) {
            if (selector.exists())
                complain(root(), fmt::format("{} has both groups and a podSelector", item.path()));
            const GroupKey own = group.key;
            set_.groups.push_back(std::move(group));
            return read_groups(item.at("groups"), own, path);
        }
        if (selector.exists()) {
            std::ranges::move(read_label_selector(selector), std::back_inserter(path));
        } else {
            path.push_back({.key = std::string(group_label), .op = Requirement::Operator::in, .values = {name}});
        }
        model::Sorting sorting;
        sorting.labels = std::move(path);
        sorting.leaf = group;
        sorting.is_declared = true;
        root().sorts.push_back(std::move(sorting));
        set_.groups.push_back(std::move(group));
    }

    // False: the object makes too many groups of itself, which is its problem.
    bool has_room() {
        const bool is_full = set_.groups.size() >= most_groups;
        if (is_full)
            complain(root(), fmt::format("it makes more than {} groups", most_groups));
        return !is_full;
    }

    Group& root() { return set_.groups.front(); }

    model::GroupSet& set_;
    std::string topology_;
};

void read_priority(const Field& spec, Group& root) {
    root.priority = spec.integer("priority", std::numeric_limits<std::int32_t>::min(), most_int32);
    root.priority_class = spec.text("priorityClassName");
    const std::string policy = spec.text("preemptionPolicy");
    if (policy == "Never") {
        root.preempts = false;
    } else if (policy == "PreemptLowerPriority") {
        root.preempts = true;
    } else if (!policy.empty()) {
        spec.wrong("preemptionPolicy", fmt::format("must be Never or PreemptLowerPriority, not {}", shown(policy)));
    }
}

}  // namespace

model::GroupSet read_gang_object(const Field& object, const Metadata& metadata) {
    const Field spec = object.at("spec");
    const std::string topology = spec.text("topologyName");
    Group root;
    root.key = {std::string(gang_object_root), metadata.full_name()};
    read_identity(object, metadata, root);
    read_wishes(spec, topology, root);
    read_priority(spec, root);
    root.timeout = spec.integer("timeoutSeconds", 1, most_int32);
    model::GroupSet out{.owner = root.key, .uid = metadata.uid, .created = metadata.created};
    out.groups.push_back(std::move(root));
    Reader(out, topology).read_groups(spec.at("groups"), out.owner, {});
    return out;
}

}  // namespace echelon::kube

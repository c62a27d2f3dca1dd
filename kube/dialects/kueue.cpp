#include "kube/dialects/kueue.hpp"

#include "kube/dialects/group_reading.hpp"
#include "kube/json/foreign_json.hpp"
#include "kube/json/quoted_text.hpp"
#include "model/facts/topology.hpp"
#include "model/gang/sub_group_selection.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;
using nlohmann::json;

constexpr std::string_view required_key = "kueue.x-k8s.io/podset-required-topology";
constexpr std::string_view preferred_key = "kueue.x-k8s.io/podset-preferred-topology";
constexpr std::string_view unconstrained_key = "kueue.x-k8s.io/podset-unconstrained-topology";
constexpr std::string_view slice_key = "kueue.x-k8s.io/podset-slice-required-topology";
constexpr std::string_view slice_size_key = "kueue.x-k8s.io/podset-slice-size";
constexpr std::string_view slices_key = "kueue.x-k8s.io/podset-slice-required-topology-constraints";
constexpr std::string_view group_key = "kueue.x-k8s.io/podset-group-name";
constexpr std::size_t most_slices = 3;

GroupKey root_key(std::string name) {
    return {"kueue-workload", std::move(name)};
}

GroupKey leaf_key(const std::string& root, const std::string& part) {
    return {"kueue-podset", root + "/" + part};
}

void add_slices(const std::string& level, std::int64_t size, std::optional<std::int64_t> count, Group& leaf) {
    if (count && *count % size != 0)
        complain(leaf, fmt::format("slices of {} pods don't divide the {} pods", size, *count));
    leaf.multiples[level] = size;
    if (!model::is_cut_by_rank(leaf))
        leaf.sorts.push_back(model::selector_by_rank());
}

void read_plain_slices(const Field& annotations, std::optional<std::int64_t> count, Group& leaf, std::string* unsized) {
    const auto level = level_in(annotations, slice_key, leaf);
    const auto size = read_count(annotations, slice_size_key, 1, leaf);
    if (level && size) {
        add_slices(*level, *size, count, leaf);
    } else if (level && !annotations.has(slice_size_key) && unsized != nullptr) {
        *unsized = *level;
    } else if (level && !annotations.has(slice_size_key)) {
        complain(leaf, fmt::format("the annotation {} needs {}", slice_key, slice_size_key));
    }
}

// Slices within slices. False: the list can't be read.
bool read_nested_slices(const json& list, std::optional<std::int64_t> count, Group& leaf) {
    if (!list.is_array() || list.empty() || list.size() > most_slices)
        return false;
    std::optional<std::int64_t> above = count;
    for (const json& entry : list) {
        const json* size = part_of(entry, "size");
        const std::string level = text_in(entry, "topology");
        if (!is_level_key(level) || size == nullptr || !size->is_number_integer() || *size < 1 || *size > most_int32)
            return false;
        if (leaf.multiples.contains(level))
            return false;
        add_slices(level, size->get<std::int64_t>(), above, leaf);
        above = size->get<std::int64_t>();
    }
    return true;
}

void read_slices(const Field& annotations, std::optional<std::int64_t> count, Group& leaf, std::string* unsized) {
    if (!annotations.has(slices_key))
        return read_plain_slices(annotations, count, leaf, unsized);
    if (annotations.has(slice_key))
        return complain(leaf, fmt::format("the annotations {} and {} exclude each other", slice_key, slices_key));
    const std::string text = annotations.text(slices_key, annotation_bound(annotations.limits()));
    const base::Result<json> list = parse_foreign(text, annotations.limits());
    if (!list || !read_nested_slices(*list, count, leaf)) {
        complain(leaf, fmt::format("the annotation {} is {}, which {}", slices_key, shown(text),
                                   list ? "can't be read" : list.error().sentence));
    }
}

// The admitted count by PodSet.
std::map<std::string, std::int64_t> admitted_counts(const Field& status) {
    std::map<std::string, std::int64_t> counts;
    const Field assignments = status.at("admission").at("podSetAssignments");
    for (const Field& assignment : assignments.items(group_bound(status.limits()))) {
        if (const auto count = assignment.pods("count", 0))
            counts[assignment.text("name")] = *count;
    }
    return counts;
}

// Kueue deactivates an admitted Workload once all its admissions together have lasted this long.
std::int64_t end_of(const Field& object) {
    constexpr std::int64_t longest = 1'000'000'000'000;  // Seconds.
    const auto most = object.at("spec").integer("maximumExecutionTimeSeconds", 1, longest);
    const Field status = object.at("status");
    // As Kueue spells it.
    const auto past = status.integer("accumulatedPastExexcutionTimeSeconds", 0, longest).value_or(0);
    for (const Field& condition : status.at("conditions").items(group_bound(object.limits()))) {
        if (most && condition.text("type") == "Admitted" && condition.text("status") == "True") {
            const auto since = condition.seconds("lastTransitionTime");
            return since > 0 ? since + std::max<std::int64_t>(0, *most - past) : 0;
        }
    }
    return 0;
}

// The PodSets of a leader and its workers, which are placed together.
struct Pair {
    Group group;
    std::vector<std::size_t> leaves;
};

void check_pair(const Pair& pair, const std::vector<Group>& leaves, Group& root) {
    const auto& name = pair.group.key.name;
    const auto is_single = [&leaves](std::size_t leaf) { return leaves[leaf].minimum == 1; };
    if (pair.leaves.size() != 2 || std::ranges::none_of(pair.leaves, is_single)) {
        return complain(root, fmt::format("the PodSet group {} isn't a leader of one pod and its workers",
                                          shown(name.substr(root.key.name.size() + 1))));
    }
    const Group& one = leaves[pair.leaves.front()];
    const Group& other = leaves[pair.leaves.back()];
    if (one.required != other.required || one.preferred != other.preferred) {
        complain(root, fmt::format("the PodSets {} and {} are one group, but ask for unlike levels",
                                   shown(one.key.name), shown(other.key.name)));
    }
}

// Moves the request of both PodSets to the composite over them.
void join_pair(Pair& pair, std::vector<Group>& leaves, Group& root) {
    check_pair(pair, leaves, root);
    for (const std::size_t index : pair.leaves) {
        leaves[index].parent = pair.group.key;
        pair.group.required =
            leaves[index].required;  // Kept on the leaf as well, since the pods' annotations must agree with it (Z30).
        pair.group.preferred = std::exchange(leaves[index].preferred, {});
    }
}

}  // namespace

bool is_unconstrained(const Field& annotations) {
    return annotations.text(unconstrained_key) == "true";
}

Group supplement_without_level(const GroupKey& key) {
    Group group;
    group.key = key;
    group.only_supplements = true;
    group.topology_group = kueue_group;
    group.required.emplace_back(model::whole_cluster_level);
    return group;
}

bool read_kueue_topology_request(const Field& annotations, std::optional<std::int64_t> count, Group& group,
                                 std::string* unsized) {
    const auto has = [&annotations](std::string_view key) { return annotations.has(key); };
    const int ways =
        (has(required_key) ? 1 : 0) + (has(preferred_key) ? 1 : 0) + (is_unconstrained(annotations) ? 1 : 0);
    if (ways == 0 && !has(slice_key) && !has(slices_key))
        return false;
    if (ways > 1) {
        complain(group, fmt::format("of the annotations {}, {} and {} only one may be given", required_key,
                                    preferred_key, unconstrained_key));
    }
    read_required_level(annotations, required_key, group);
    read_preferred_level(annotations, preferred_key, group);
    read_slices(annotations, count, group, unsized);
    return true;
}

namespace {

// The topology request of a PodSet in one place: the annotations of the template, or the field `topologyRequest`.
struct TopologyRequest {
    Group group;
    bool is_unconstrained = false;  // It explicitly requests no level.
    std::string unsized;            // A level of slices without a size.

    [[nodiscard]] bool states_level() const {
        return is_unconstrained || !group.required.empty() || !group.preferred.empty();
    }
    [[nodiscard]] bool states_slices() const { return !group.multiples.empty(); }
};

TopologyRequest request_in_annotations(const Field& annotations, std::optional<std::int64_t> count) {
    TopologyRequest out;
    read_kueue_topology_request(annotations, count, out.group, &out.unsized);
    out.is_unconstrained = is_unconstrained(annotations);
    return out;
}

// `request`: spec.podSets[].topologyRequest, which Kueue fills from the annotations.
TopologyRequest request_in_field(const Field& request, std::optional<std::int64_t> count) {
    TopologyRequest out;
    const auto level = [&](const Field& parent, std::string_view key) {
        std::string name = parent.text(key);
        if (name.empty() || is_level_key(name))
            return name;
        complain(out.group, fmt::format("{}.{} is {}, which isn't a label key", parent.path(), key, shown(name)));
        return std::string();
    };
    if (std::string required = level(request, "required"); !required.empty())
        out.group.required.push_back(std::move(required));
    if (std::string preferred = level(request, "preferred"); !preferred.empty())
        out.group.preferred.push_back(std::move(preferred));
    out.is_unconstrained = request.flag("unconstrained", false);
    if (out.group.required.size() + out.group.preferred.size() + (out.is_unconstrained ? 1U : 0U) > 1)
        complain(out.group,
                 fmt::format("{} asks for more than one of required, preferred and unconstrained", request.path()));
    const std::string slice = level(request, "podSetSliceRequiredTopology");
    const auto size = request.pods("podSetSliceSize", 1);
    if (size && !slice.empty())
        add_slices(slice, *size, count, out.group);
    out.unsized = size ? std::string() : slice;
    std::optional<std::int64_t> above = count;
    for (const Field& inner : request.at("podsetSliceRequiredTopologyConstraints").items()) {
        const std::string topology = level(inner, "topology");
        const auto pods = inner.pods("size", 1);
        if (topology.empty() || !pods || out.group.multiples.contains(topology)) {
            complain(out.group, fmt::format("{} isn't a slice of a level of its own", inner.path()));
            continue;
        }
        add_slices(topology, *pods, above, out.group);
        above = pods;
    }
    return out;
}

// True if both places state a level, or slices, and not the same.
bool differ(const TopologyRequest& one, const TopologyRequest& other) {
    const bool has_other_level =
        one.states_level() && other.states_level() &&
        (one.is_unconstrained != other.is_unconstrained || one.group.required != other.group.required ||
         one.group.preferred != other.group.preferred);
    return has_other_level ||
           (one.states_slices() && other.states_slices() && one.group.multiples != other.group.multiples);
}

// Takes the size of slices from the other place. `what`: the problem if that place has no size either.
void fill_in_slice_size(TopologyRequest& request, const TopologyRequest& other, std::string_view what) {
    if (request.unsized.empty())
        return;
    if (const auto known = other.group.multiples.find(request.unsized); known != other.group.multiples.end()) {
        add_slices(request.unsized, known->second, std::nullopt, request.group);
    } else {
        complain(request.group, std::string(what));
    }
}

// Reads the topology request of a PodSet from both places, which must agree (Z30).
void read_topology_requests(const Field& pod_set, const Field& annotations, Group& leaf) {
    leaf.topology_group = kueue_group;
    const Field request = pod_set.at("topologyRequest");
    TopologyRequest in_template = request_in_annotations(annotations, leaf.minimum);
    TopologyRequest in_field = request_in_field(request, leaf.minimum);
    const TopologyRequest original = in_template;
    fill_in_slice_size(in_template, in_field, fmt::format("the annotation {} needs {}", slice_key, slice_size_key));
    fill_in_slice_size(in_field, original,
                       fmt::format("{}.podSetSliceRequiredTopology needs podSetSliceSize", request.path()));
    for (const TopologyRequest* place : {&in_template, &in_field}) {
        if (!place->group.problem.empty())
            complain(leaf, place->group.problem);
    }
    if (differ(in_template, in_field))
        complain(leaf, fmt::format("{} and the annotations of its template ask for unlike levels", request.path()));
    const TopologyRequest& levels = in_template.states_level() ? in_template : in_field;
    leaf.required = levels.group.required;
    leaf.preferred = levels.group.preferred;
    const TopologyRequest& slices = in_template.states_slices() ? in_template : in_field;
    leaf.multiples = slices.group.multiples;
    leaf.sorts = slices.group.sorts;
    leaf.warnings = std::move(in_template.group.warnings);
}

// The name of the PodSet group, from either place.
std::string pod_set_group_name(const Field& pod_set, const Field& annotations) {
    std::string name = annotations.text(group_key);
    return name.empty() ? pod_set.at("topologyRequest").text("podSetGroupName") : name;
}

}  // namespace

model::GroupSet read_kueue_workload(const Field& object, const Metadata& metadata) {
    Group root;
    root.key = root_key(metadata.full_name());
    root.kind = GroupKind::composite;
    root.policy.needs_pods = true;
    read_identity(object, metadata, root);
    const auto admitted = admitted_counts(object.at("status"));
    model::GroupSet out{.owner = root.key, .uid = metadata.uid, .created = metadata.created};
    std::vector<Group> leaves;
    std::map<std::string, Pair> pairs;
    std::set<std::string> names;
    const auto ends = end_of(object);
    for (const Field& item : object.at("spec").at("podSets").items(group_bound(object.limits()))) {
        Group leaf;
        const std::string name = item.required_text("name");
        leaf.key = leaf_key(root.key.name, name);
        leaf.parent = root.key;
        const auto declared = item.pods("count", 0).value_or(1);
        const auto found = admitted.find(name);
        leaf.minimum = found == admitted.end() ? declared : found->second;
        leaf.expected = leaf.minimum;
        leaf.ends = ends;
        if (!names.insert(name).second) {
            item.wrong("name", fmt::format("{} is given twice", shown(name)));
            continue;
        }
        const Field annotations = item.at("template").at("metadata").at("annotations");
        read_topology_requests(item, annotations, leaf);
        if (is_unconstrained(annotations) || item.at("topologyRequest").flag("unconstrained", false))
            out.shared.push_back(supplement_without_level(leaf.key));
        if (std::string group = pod_set_group_name(item, annotations); !group.empty()) {
            Pair& pair = pairs[group];
            pair.group.key = {"kueue-podset-group", root.key.name + "/" + group};
            pair.group.kind = GroupKind::composite;
            pair.group.parent = root.key;
            pair.leaves.push_back(leaves.size());
        }
        leaves.push_back(std::move(leaf));
    }
    for (auto& [name, pair] : pairs) {
        join_pair(pair, leaves, root);
        out.groups.push_back(std::move(pair.group));
    }
    out.groups.insert(out.groups.begin(), std::move(root));
    std::ranges::move(leaves, std::back_inserter(out.groups));
    return out;
}

std::optional<model::Membership> kueue_membership(const Metadata& pod) {
    const std::string workload = pod.annotations.text("kueue.x-k8s.io/workload");
    const std::string part = pod.labels.text("kueue.x-k8s.io/podset");
    if (workload.empty() || part.empty())
        return std::nullopt;
    model::Membership out;
    out.leaf = leaf_key(pod.ns + "/" + workload, part);
    return out;
}

std::optional<model::Membership> kueue_pod_group_membership(const Metadata& pod) {
    constexpr std::string_view total_key = "kueue.x-k8s.io/pod-group-total-count";
    const std::string name = pod.labels.text("kueue.x-k8s.io/pod-group-name");
    if (name.empty())
        return std::nullopt;
    Group leaf;
    leaf.key = {"kueue-pod-group", pod.ns + "/" + name};
    leaf.minimum = read_count(pod.annotations, total_key, 1, leaf);
    leaf.expected = leaf.minimum;
    if (!pod.annotations.has(total_key))
        complain(leaf, fmt::format("the annotation {} is missing", total_key));
    read_kueue_topology_request(pod.annotations, leaf.minimum, leaf);
    model::Membership out;
    out.leaf = leaf.key;
    out.declared.push_back(std::move(leaf));
    return out;
}

std::optional<std::int64_t> kueue_rank(const Metadata& pod) {
    auto rank = count_in(pod.labels.text("kueue.x-k8s.io/pod-group-pod-index"), 0);
    if (const std::string label = pod.annotations.text("kueue.x-k8s.io/pod-group-pod-index-label");
        !rank && !label.empty()) {
        rank = count_in(pod.labels.text(label), 0);
    }
    const auto offset = count_in(pod.annotations.text("kueue.x-k8s.io/pod-index-offset"), 0);
    if (rank && offset && *rank >= *offset)
        rank = *rank - *offset;
    return rank;
}

}  // namespace echelon::kube

#include "kube/dialects/koordinator.hpp"

#include "base/go_duration.hpp"
#include "kube/dialects/digest.hpp"
#include "kube/dialects/group_reading.hpp"
#include "kube/json/foreign_json.hpp"
#include "kube/json/quoted_text.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

using model::Group;
using model::GroupKey;
using nlohmann::json;

constexpr std::string_view leaf_kind = "koordinator-podgroup";
constexpr std::string_view root_kind = "koordinator-gang-group";
constexpr std::string_view minimum_key = "gang.scheduling.koordinator.sh/min-available";
constexpr std::string_view minimum_label = "pod-group.scheduling.sigs.k8s.io/min-available";
constexpr std::string_view total_key = "gang.scheduling.koordinator.sh/total-number";
constexpr std::string_view groups_key = "gang.scheduling.koordinator.sh/groups";
constexpr std::string_view topology_key = "gang.scheduling.koordinator.sh/network-topology-spec";
constexpr std::string_view mode_key = "gang.scheduling.koordinator.sh/mode";
constexpr std::string_view policy_key = "gang.scheduling.koordinator.sh/match-policy";
constexpr std::string_view waiting_key = "gang.scheduling.koordinator.sh/waiting-time";
constexpr std::string_view policy_alias = "pod-group.scheduling.sigs.k8s.io/match-policy";
constexpr std::size_t longest_joined_name = 512;  // In bytes; two names of maximum length may exceed it.
constexpr std::size_t most_layers = 64;           // In one gatherStrategy; a topology has at most 16 levels.

GroupKey leaf_key(std::string name) {
    return {std::string(leaf_kind), std::move(name)};
}

// One entry of gatherStrategy; false: it can't be read.
bool read_gather(const json& entry, Group& group) {
    const auto word = [&entry](std::string_view key) {
        const json* text = part_in_any_case(entry, key);
        return text != nullptr && text->is_string() ? text->get<std::string>() : std::string();
    };
    const std::string layer = word("layer");
    const std::string strategy = word("strategy");
    if (layer.empty() || std::cmp_greater(layer.size(), word_bound.most) ||
        (strategy != "MustGather" && strategy != "PreferGather"))
        return false;
    (strategy == "MustGather" ? group.required : group.preferred).push_back(layer);
    if (const json* multiple = part_in_any_case(entry, "podCountMultiple");
        multiple != nullptr && !multiple->is_null()) {
        if (!multiple->is_number_integer() || *multiple < 0 || *multiple > most_int32)
            return false;
        if (const auto count = multiple->get<std::int64_t>(); count > 1)
            group.multiples[layer] = count;
    }
    return true;
}

void read_topology(const Field& annotations, Group& group) {
    const std::string text = annotations.text(topology_key, annotation_bound(annotations.limits()));
    if (text.empty())
        return;
    const base::Result<json> spec = parse_foreign(text, annotations.limits());
    if (!spec)
        return complain(
            group, fmt::format("the annotation {} is {}, which {}", topology_key, shown(text), spec.error().sentence));
    bool is_read = spec->is_object();
    if (const json* entries = part_in_any_case(*spec, "gatherStrategy")) {
        if (entries->is_array() && entries->size() > most_layers) {
            return complain(group, fmt::format("the annotation {} has {} entries in gatherStrategy, more than {}",
                                               topology_key, entries->size(), most_layers));
        }
        is_read = entries->is_array() &&
                  std::ranges::all_of(*entries, [&group](const json& entry) { return read_gather(entry, group); });
    }
    if (!is_read)
        complain(group, fmt::format("the annotation {} is {}, which can't be read", topology_key, shown(text)));
}

// `once-satisfied` and `waiting-and-running`: waiting and running pods count, and pods that are gone don't (KP2).
// `only-waiting`: running pods don't count (KP3, KP4).
void read_policy(const Field& annotations, Group& group) {
    const std::string_view key = annotations.text(policy_key).empty() ? policy_alias : policy_key;
    const std::string policy = annotations.text(key);
    if (policy.empty())
        return;
    group.policy.counts_only_waiting = policy == "only-waiting";
    if (!group.policy.counts_only_waiting && policy != "once-satisfied" && policy != "waiting-and-running")
        complain(group, fmt::format("the annotation {} is {}, which isn't a match policy", key, shown(policy)));
}

// Reads the time-out, unless the spec states one. Ignores 0 and negative values, as Koordinator does.
void read_waiting_time(const Field& annotations, Group& group) {
    const std::string text = annotations.text(waiting_key);
    if (text.empty())
        return;
    const auto nanoseconds = base::nanoseconds_of_go_duration(text);
    if (!nanoseconds) {
        return complain(group,
                        fmt::format("the annotation {} is {}, which isn't a duration", waiting_key, shown(text)));
    }
    if (!group.timeout && *nanoseconds > 0)
        set_timeout(base::rounded_up(*nanoseconds, 1'000'000'000), fmt::format("the annotation {}", waiting_key),
                    annotations.limits(), group);
}

// Both modes are the same here: holds are kept when a sibling fails.
void read_mode(const Field& annotations, Group& group) {
    const std::string mode = annotations.text(mode_key);
    if (!mode.empty() && mode != "Strict" && mode != "NonStrict")
        group.warnings.push_back(fmt::format("the annotation {} is {}, taken for Strict", mode_key, shown(mode)));
}

// The sorted names ("namespace/name") of gangs that belong together; empty: there is only this one.
std::vector<std::string> read_gang_list(const Field& annotations, Group& group) {
    std::vector<std::string> names;
    const std::string text = annotations.text(groups_key, annotation_bound(annotations.limits()));
    if (text.empty())
        return names;
    const base::Result<json> list = parse_foreign(text, annotations.limits());
    if (const Bound bound = group_bound(annotations.limits()); list && std::cmp_greater(list->size(), bound.most)) {
        complain(group, fmt::format("the annotation {}: {}", groups_key,
                                    beyond(static_cast<std::int64_t>(list->size()), bound, " entries")));
        return names;
    }
    if (!list && list.error().sentence.starts_with("nests")) {
        complain(group,
                 fmt::format("the annotation {} is {}, which {}", groups_key, shown(text), list.error().sentence));
        return names;
    }
    const auto is_name = [](const json& name) {
        return name.is_string() && std::cmp_less_equal(name.get_ref<const std::string&>().size(), word_bound.most) &&
               std::ranges::count(name.get_ref<const std::string&>(), '/') == 1;
    };
    if (!list || !list->is_array() || !std::ranges::all_of(*list, is_name)) {
        complain(group, fmt::format("the annotation {} is {}, which isn't a JSON list of \"namespace/name\"",
                                    groups_key, shown(text)));
        return names;
    }
    for (const json& name : *list) {
        names.push_back(name.get<std::string>());
    }
    names.push_back(group.key.name);  // Added if the list lacks it (Z12).
    std::ranges::sort(names);
    const auto repeated = std::ranges::unique(names);
    names.erase(repeated.begin(), repeated.end());
    if (names.size() == 1)
        names.clear();
    return names;
}

// The name of the root: the whole list if it is short, else its first names, the number of others, and a digest. Names
// are copied and compared often, so they are short; the digest keeps them unique.
std::string root_name(const std::vector<std::string>& names) {
    std::string whole = fmt::format("{}", fmt::join(names, ","));
    if (whole.size() <= longest_joined_name)
        return whole;
    std::string shown = names.front();
    std::size_t count = 1;
    for (; shown.size() + 1 + names[count].size() <= longest_joined_name / 2; ++count)
        shown += "," + names[count];
    return fmt::format("{},+{}-{}", shown, names.size() - count, digest_of(whole));
}

std::optional<Group> root_over(const std::vector<std::string>& names) {
    if (names.empty())
        return std::nullopt;
    Group root;
    root.key = {std::string(root_kind), root_name(names)};
    root.kind = model::GroupKind::composite;
    root.policy.inherits_widest_child_level = true;
    for (const std::string& name : names) {
        root.listed.push_back(leaf_key(name));
    }
    return root;
}

// Reads the other annotations of a PodGroup or a pod into its leaf, which already has its minimum. Returns the leaf's
// parent, if it has one.
std::optional<Group> read_annotations(const Field& annotations, Group& leaf) {
    if (!annotations.text(total_key).empty()) {
        if (const auto total = read_count(annotations, total_key, 0, leaf))
            leaf.expected = std::max(*total, leaf.minimum.value_or(0));
    }
    read_mode(annotations, leaf);
    read_policy(annotations, leaf);
    read_waiting_time(annotations, leaf);
    read_topology(annotations, leaf);
    std::optional<Group> root = root_over(read_gang_list(annotations, leaf));
    if (root)
        leaf.parent = root->key;
    return root;
}

std::optional<model::Membership> member_of(const Metadata& pod, std::string name) {
    if (name.empty())
        return std::nullopt;
    model::Membership out;
    out.leaf = leaf_key(pod.ns + "/" + std::move(name));
    return out;
}

}  // namespace

model::GroupSet read_koordinator_group(const Field& object, const Metadata& metadata) {
    Group leaf;
    leaf.key = leaf_key(metadata.full_name());
    read_identity(object, metadata, leaf);
    const Field spec = object.at("spec");
    leaf.minimum = spec.pods("minMember", 1);
    if (const auto annotated = read_count(metadata.annotations, minimum_key, 1, leaf); !leaf.minimum)
        leaf.minimum = annotated;
    read_timeout(spec, leaf);
    std::optional<Group> root = read_annotations(metadata.annotations, leaf);
    model::GroupSet out{.owner = leaf.key, .uid = metadata.uid, .created = metadata.created};
    out.groups.push_back(std::move(leaf));
    if (root)
        out.shared.push_back(std::move(*root));
    return out;
}

std::optional<model::Membership> koordinator_membership(const Metadata& pod) {
    return member_of(pod, pod.labels.text("pod-group.scheduling.sigs.k8s.io"));
}

bool states_koordinator_minimum(const Metadata& pod) {
    return !pod.labels.text(minimum_label).empty() || pod.annotations.has(minimum_key);
}

std::optional<model::Membership> koordinator_annotated_membership(const Metadata& pod) {
    std::string name = pod.labels.text("pod-group.scheduling.sigs.k8s.io/name");
    if (name.empty())
        name = pod.annotations.text("gang.scheduling.koordinator.sh/name");
    std::optional<model::Membership> out = member_of(pod, std::move(name));
    if (!out)
        return out;
    Group leaf;
    leaf.key = out->leaf;
    leaf.policy.oldest_pod_decides = true;
    leaf.minimum = pod.labels.text(minimum_label).empty() ? read_count(pod.annotations, minimum_key, 1, leaf)
                                                          : read_count(pod.labels, minimum_label, 1, leaf);
    std::optional<Group> root = read_annotations(pod.annotations, leaf);
    out->declared.push_back(std::move(leaf));
    if (root)
        out->declared.push_back(std::move(*root));
    return out;
}

}  // namespace echelon::kube

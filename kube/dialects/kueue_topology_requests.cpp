// The topology requests of Kueue: in annotations, and in the field of a PodSet.

#include "kube/dialects/group_reading.hpp"
#include "kube/dialects/kueue.hpp"
#include "kube/json/foreign_json.hpp"
#include "kube/json/quoted_text.hpp"
#include "model/gang/sub_group_selection.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

using model::Group;
using nlohmann::json;

constexpr std::string_view required_key = "kueue.x-k8s.io/podset-required-topology";
constexpr std::string_view preferred_key = "kueue.x-k8s.io/podset-preferred-topology";
constexpr std::string_view unconstrained_key = "kueue.x-k8s.io/podset-unconstrained-topology";
constexpr std::string_view slice_key = "kueue.x-k8s.io/podset-slice-required-topology";
constexpr std::string_view slice_size_key = "kueue.x-k8s.io/podset-slice-size";
constexpr std::string_view slices_key = "kueue.x-k8s.io/podset-slice-required-topology-constraints";
constexpr std::size_t most_slices = 3;

void add_slices(const std::string& level, std::int64_t size, std::optional<std::int64_t> count, Group& leaf) {
    if (count && *count % size != 0)
        complain(leaf, fmt::format("slices of {} pods don't divide the {} pods", size, *count));
    leaf.multiples[level] = size;
    if (!model::is_cut_by_rank(leaf))
        leaf.sorts.push_back(model::selector_by_rank());
}

std::string missing_size() {
    return fmt::format("the annotation {} needs {}", slice_key, slice_size_key);
}

void read_plain_slices(const Field& annotations, std::optional<std::int64_t> count, Group& leaf, std::string* unsized) {
    const auto level = level_in(annotations, slice_key, leaf);
    const auto size = read_count(annotations, slice_size_key, 1, leaf);
    if (level && size) {
        add_slices(*level, *size, count, leaf);
    } else if (level && !annotations.has(slice_size_key) && unsized != nullptr) {
        *unsized = *level;
    } else if (level && !annotations.has(slice_size_key)) {
        complain(leaf, missing_size());
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

}  // namespace

bool is_unconstrained(const Field& annotations) {
    return annotations.text(unconstrained_key) == "true";
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

void leave_slice_size_open(const std::string& level, Group& request) {
    if (level.empty() || !request.problem.empty())
        return;
    request.problem = missing_size();
    request.policy.unsized_slices = level;
}

namespace {

// The topology request of a PodSet in one place: the annotations of the template, or the field `topologyRequest`.
struct TopologyRequest {
    Group group;
    bool is_unconstrained = false;  // It explicitly requests no level.
    std::string unsized;            // A level of slices without a size.
    std::int64_t size = 0;          // Of plain slices, with or without a level; 0: not stated.

    [[nodiscard]] bool states_level() const {
        return is_unconstrained || !group.required.empty() || !group.preferred.empty();
    }
    [[nodiscard]] bool states_slices() const { return !group.multiples.empty(); }
};

TopologyRequest request_in_annotations(const Field& annotations, std::optional<std::int64_t> count) {
    TopologyRequest out;
    read_kueue_topology_request(annotations, count, out.group, &out.unsized);
    out.is_unconstrained = is_unconstrained(annotations);
    out.size = read_count(annotations, slice_size_key, 1, out.group).value_or(0);
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
    out.size = size.value_or(0);
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

// True if both places state a level, slices or their size, and not the same.
bool differ(const TopologyRequest& one, const TopologyRequest& other) {
    const bool has_other_level =
        one.states_level() && other.states_level() &&
        (one.is_unconstrained != other.is_unconstrained || one.group.required != other.group.required ||
         one.group.preferred != other.group.preferred);
    const bool has_other_size = one.size != 0 && other.size != 0 && one.size != other.size;
    return has_other_level || has_other_size ||
           (one.states_slices() && other.states_slices() && one.group.multiples != other.group.multiples);
}

// The size of slices of this level, if this place knows it; 0: it doesn't.
std::int64_t slice_size_at(const std::string& level, const TopologyRequest& place) {
    const auto known = place.group.multiples.find(level);
    if (known != place.group.multiples.end())
        return known->second;
    return place.states_slices() ? 0 : place.size;
}

// Takes the size of slices from the other place. `what`: the problem if that place has no size either.
void fill_in_slice_size(TopologyRequest& request, const TopologyRequest& other, std::optional<std::int64_t> count,
                        std::string_view what) {
    if (request.unsized.empty())
        return;
    if (const auto size = slice_size_at(request.unsized, other); size > 0) {
        add_slices(request.unsized, size, count, request.group);
    } else {
        complain(request.group, std::string(what));
    }
}

}  // namespace

void read_topology_requests(const Field& pod_set, const Field& annotations, Group& leaf) {
    leaf.topology_group = kueue_group;
    const Field request = pod_set.at("topologyRequest");
    TopologyRequest in_template = request_in_annotations(annotations, leaf.minimum);
    TopologyRequest in_field = request_in_field(request, leaf.minimum);
    const TopologyRequest original = in_template;
    fill_in_slice_size(in_template, in_field, leaf.minimum, missing_size());
    fill_in_slice_size(in_field, original, leaf.minimum,
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
    if (leaf.multiples.empty())
        leaf.policy.slice_size = std::max(in_template.size, in_field.size);
    leaf.warnings = std::move(in_template.group.warnings);
}

}  // namespace echelon::kube

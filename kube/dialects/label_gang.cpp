#include "kube/dialects/label_gang.hpp"

#include "kube/dialects/gang_object.hpp"
#include "kube/dialects/group_reading.hpp"
#include "kube/json/quoted_text.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

using model::Group;
using model::GroupKind;

constexpr const char* label_gang_root = "label-gang";  // Kind of the root's key.
constexpr const char* most_per_domain_key = "echelon.sh/group-max-per-domain";
constexpr const char* paired_key = "echelon.sh/gang-paired-topology";

void read_minimum(const Metadata& pod, std::string_view key, Group& group) {
    if (!pod.annotations.has(key))
        return complain(group, fmt::format("the annotation {} is missing", key));
    const std::string text = pod.annotations.text(key);
    group.minimum = count_in(text);
    if (!group.minimum) {
        return complain(group,
                        fmt::format("the annotation {} is {}, which isn't a number from 1 on", key, shown(text)));
    }
    if (const Bound bound = member_bound(pod.annotations.limits()); *group.minimum > bound.most) {
        complain(group, fmt::format("the annotation {}: {}", key, beyond(*group.minimum, bound)));
        group.minimum.reset();
    }
}

// "KEY=n", several of them joined by commas.
void read_most_per_domain(const Metadata& pod, Group& leaf) {
    if (!pod.annotations.has(most_per_domain_key))
        return;
    const std::string text = pod.annotations.text(most_per_domain_key, annotation_bound(pod.annotations.limits()));
    const Bound bound = member_bound(pod.annotations.limits());
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find(',', from), text.size());
        const std::string_view entry = std::string_view(text).substr(from, end - from);
        const std::size_t sign = entry.find('=');
        const std::string level(entry.substr(0, sign));
        const auto most = sign == std::string_view::npos ? std::nullopt : count_in(entry.substr(sign + 1));
        if (!most || !is_level_key(level)) {
            return complain(leaf, fmt::format("the annotation {} is {}, which isn't KEY=n with a label key and a "
                                              "number from 1 on",
                                              most_per_domain_key, shown(text)));
        }
        if (*most > bound.most)
            return complain(leaf, fmt::format("the annotation {}: {}", most_per_domain_key, beyond(*most, bound)));
        if (!leaf.most_per_domain.emplace(level, *most).second) {
            return complain(leaf, fmt::format("the annotation {} is {}, which names a level twice", most_per_domain_key,
                                              shown(text)));
        }
        if (std::ssize(leaf.most_per_domain) > level_bound.most) {
            return complain(leaf, fmt::format("the annotation {}: {}", most_per_domain_key,
                                              beyond(std::ssize(leaf.most_per_domain), level_bound)));
        }
        from = end + 1;
    }
}

void read_paired_level(const Metadata& pod, bool has_groups, Group& root) {
    std::optional<std::string> level = level_in(pod.annotations, paired_key, root);
    if (level && !has_groups) {
        complain(root, fmt::format("the annotation {} needs the label {}", paired_key, group_label));
    } else if (level) {
        root.paired = std::move(*level);
    }
}

// Annotations of groups on a member without a group label: a required level is a problem, others are warnings.
void refuse_group_annotations(const Metadata& pod, Group& leaf) {
    if (pod.annotations.has("echelon.sh/group-required-topology")) {
        complain(leaf,
                 fmt::format("the annotation echelon.sh/group-required-topology needs the label {}", group_label));
    }
    for (const char* key : {"echelon.sh/group-minimum", "echelon.sh/group-preferred-topology"}) {
        if (pod.annotations.has(key)) {
            leaf.warnings.push_back(
                fmt::format("the annotation {} has no effect without the label {}", key, group_label));
        }
    }
}

// A pod without any annotation of the gang refers to a Gang object.
bool names_gang_object(const Metadata& pod) {
    constexpr std::array keys = {"echelon.sh/gang-minimum",
                                 "echelon.sh/gang-required-topology",
                                 "echelon.sh/gang-preferred-topology",
                                 "echelon.sh/group-minimum",
                                 "echelon.sh/group-required-topology",
                                 "echelon.sh/group-preferred-topology",
                                 paired_key,
                                 most_per_domain_key};
    return std::ranges::none_of(keys, [&pod](const char* key) { return pod.annotations.has(key); });
}

void check_label_value(std::string_view key, std::string_view value, Group& group) {
    if (!is_part_of_name(value))
        complain(group, fmt::format("the label {} is {}, which isn't a label value", key, shown(value)));
}

// A pod that names the Gang object `name`.
model::Membership object_membership(const std::string& name) {
    model::Membership out;
    out.leaf = {std::string(gang_object_root), name};
    // If other members of this name declare a gang by labels, this one disagrees with them.
    Group no_declaration = supplement_to({label_gang_root, name});
    no_declaration.problem = "a member has none of the annotations that other members have";
    out.declared.push_back(std::move(no_declaration));
    // Until the object exists, the pod is in the gang by labels; if there is none, in a gang without a minimum.
    Group absent;
    absent.key = out.leaf;
    absent.parent = model::GroupKey{label_gang_root, name};
    absent.problem = "the annotation echelon.sh/gang-minimum is missing, and there is no Gang of this name";
    out.declared.push_back(std::move(absent));
    return out;
}

}  // namespace

std::optional<model::Membership> label_membership(const Metadata& pod) {
    const std::string gang = pod.labels.text(gang_label);
    if (gang.empty())
        return std::nullopt;
    if (names_gang_object(pod))
        return object_membership(pod.ns + "/" + gang);
    const std::string group = pod.labels.text(group_label);

    Group root;
    root.key = {label_gang_root, pod.ns + "/" + gang};
    root.kind = group.empty() ? GroupKind::leaf : GroupKind::composite;
    check_label_value(gang_label, gang, root);
    read_minimum(pod, "echelon.sh/gang-minimum", root);
    read_required_level(pod.annotations, "echelon.sh/gang-required-topology", root);
    read_preferred_level(pod.annotations, "echelon.sh/gang-preferred-topology", root);

    read_paired_level(pod, !group.empty(), root);

    model::Membership out;
    if (group.empty()) {
        refuse_group_annotations(pod, root);
        read_most_per_domain(pod, root);
        out.leaf = root.key;
    } else {
        Group leaf;
        leaf.key = {"label-group", root.key.name + "/" + group};
        leaf.parent = root.key;
        check_label_value(group_label, group, leaf);
        read_minimum(pod, "echelon.sh/group-minimum", leaf);
        read_required_level(pod.annotations, "echelon.sh/group-required-topology", leaf);
        read_preferred_level(pod.annotations, "echelon.sh/group-preferred-topology", leaf);
        read_most_per_domain(pod, leaf);
        out.leaf = leaf.key;
        out.declared.push_back(std::move(leaf));
    }
    out.declared.push_back(std::move(root));
    return out;
}

}  // namespace echelon::kube

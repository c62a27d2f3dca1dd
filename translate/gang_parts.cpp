#include "translate/gang_parts.hpp"

#include "base/natural_order.hpp"
#include "base/quoted.hpp"
#include "model/gang/faults.hpp"
#include "model/gang/sub_group_selection.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace echelon::translate {

namespace {

using model::GangFacts;
using model::Group;
using model::GroupFacts;

std::string_view namespace_in(std::string_view full_name) {
    return full_name.substr(0, full_name.find('/'));
}

// The part of a key's name below `above`; in a list of names each loses its namespace.
std::string below(std::string_view name, std::string_view above) {
    if (name.size() > above.size() + 1 && name.starts_with(above) && name[above.size()] == '/')
        name.remove_prefix(above.size() + 1);
    const std::string ns_prefix = std::string(namespace_in(above)) + "/";
    std::string out;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find(',', at), name.size());
        std::string_view part = name.substr(at, end - at);
        if (part.starts_with(ns_prefix))
            part.remove_prefix(ns_prefix.size());
        out += (out.empty() ? "" : ".") + std::string(part);
        at = end + 1;
    }
    std::ranges::replace(out, '/', '-');
    return out;
}

void check_group(const GroupFacts& group, Translation& out) {
    const Group* declared = group.group();
    if (declared == nullptr)
        return refuse(out, fmt::format("{} isn't in the input, but is named there", titled(group)));
    if (!group.missing_listed_group.empty()) {
        return refuse(out, fmt::format("{} lists {}, which isn't in the input", titled(group),
                                       base::quoted(group.missing_listed_group)));
    }
    if (!group.is_leaf() && group.children.empty())
        return refuse(out, fmt::format("{} has no groups, or only its pods tell of them", titled(group)));
    if (!group.is_leaf() && declared->fewest > static_cast<std::int64_t>(group.children.size())) {
        return refuse(out, fmt::format("{} needs {} groups, of which {} are in the input", titled(group),
                                       declared->fewest, group.children.size()));
    }
    for (const std::string& warning : declared->warnings)
        out.losses.push_back(fmt::format("{}: {}", titled(group), warning));
    if (declared->basic)
        out.losses.push_back(fmt::format("{}: policy basic becomes a minimum of 1", titled(group)));
}

void check_names(const GangFacts& facts, Translation& out) {
    std::set<std::string> names;
    for (const GroupFacts& group : facts.groups) {
        if (const std::string name = path_name(facts, group); !names.insert(name).second)
            refuse(out, fmt::format("two of its groups would be called {}", base::quoted(name)));
    }
}

void check_priority(const GangFacts& facts, const TargetFeatures& can, Translation& out) {
    const Group& root = *facts.root().group();
    if (root.preempts && !can.preemption)
        out.losses.emplace_back("its preemption policy is lost, pods keep their own");
    const bool has_class = !root.priority_class.empty();
    if ((!has_class && !root.priority) || (has_class && !root.priority && can.priority_class) ||
        (root.priority && can.priority_number)) {
        return;
    }
    const auto value = model::stated_priority(root, *facts.classes);
    bool is_on_pods = value.has_value();
    std::size_t pods = 0;
    for (const GroupFacts& group : facts.groups) {
        pods += group.pods.size();
        is_on_pods = is_on_pods && std::ranges::all_of(group.pods, [&](const model::PodFacts& row) {
                         return row.pod->priority == *value;
                     });
    }
    if (is_on_pods && pods > 0)
        return;
    out.losses.push_back(has_class ? fmt::format("its priority class {} is lost, pods keep their own priority",
                                                 base::quoted(root.priority_class))
                                   : fmt::format("its priority {} is lost, pods keep their own", *value));
}

// Without these features a unit may lose single pods, and a protected group may be evicted.
void check_eviction(const GangFacts& facts, const GroupFacts& group, const TargetFeatures& can, Translation& out) {
    const Group& declared = *group.group();
    if (declared.disruption == model::DisruptionMode::all && !can.disruption)
        out.losses.push_back(fmt::format("{}: disruption mode all is lost", titled(group)));
    if (is_protected(facts, group) && !can.protection)
        out.losses.push_back(fmt::format("{}: that its pods are not evicted is lost", titled(group)));
}

// What only Grove's labels express: ranks. Labels of other controllers stay on the pod.
void check_marks(const GroupFacts& leaf, const TargetFeatures& can, Translation& out) {
    if (leaf.branch.key.kind != "grove-podgroup" || leaf.pods.empty())
        return;
    const auto name = [](const model::PodFacts& row) { return std::string_view(row.pod->name); };
    if (!can.ranks && !std::ranges::is_sorted(leaf.pods, base::NaturalLess{}, name))
        out.losses.push_back(fmt::format("{}: the order of its pods is lost, they go by name", titled(leaf)));
}

void check_leaf(const GroupFacts& leaf, const TargetFeatures& can, Translation& out) {
    const Group& group = *leaf.group();
    const auto seen = std::max(static_cast<std::int64_t>(leaf.pods.size()), leaf.minimum());
    if (group.start_set && !can.late_members) {
        out.losses.push_back(fmt::format("{}: that pods come later, for which room is kept, is lost", titled(leaf)));
    } else if (!can.expected && group.expected && *group.expected > seen) {
        out.losses.push_back(
            fmt::format("{}: the expected number of pods, {}, is lost", titled(leaf), *group.expected));
    }
    if (can.late_members && group.start_set && group.late_pod_class &&
        (leaf.pods.empty() || leaf.pods.front().pod->pod_class != *group.late_pod_class)) {
        out.losses.push_back(
            fmt::format("{}: what its later pods ask for is lost, room is kept as for the first ones", titled(leaf)));
    }
    if (model::is_cut_by_rank(group) && !group.multiples.empty())
        out.losses.push_back(
            fmt::format("{}: that its slices are of consecutive ranks is lost, any pods make one", titled(leaf)));
    if (group.policy.counts_only_waiting && !can.counts_only_waiting)
        out.losses.push_back(fmt::format("{}: the rule that running pods do not count is lost", titled(leaf)));
    if (group.anchor) {
        out.losses.push_back(fmt::format("{}: that its gang goes into the domain of {} is lost", titled(leaf),
                                         base::quoted(group.anchor->name)));
    }
    const auto stays = [](const model::PodFacts& row) { return row.pod->is_protected; };
    if (!can.pod_protection && std::ranges::any_of(leaf.pods, stays))
        out.losses.push_back(fmt::format("{}: that some of its pods are never evicted is lost", titled(leaf)));
    check_marks(leaf, can, out);
}

}  // namespace

std::string namespace_of(const GangFacts& facts) {
    std::string ns(namespace_in(facts.root().branch.key.name));
    for (const GroupFacts& group : facts.groups) {
        const bool is_elsewhere = std::ranges::any_of(group.pods, [&](const auto& row) { return row.pod->ns != ns; });
        if (is_elsewhere || namespace_in(group.branch.key.name) != ns)
            return {};
    }
    return ns;
}

std::string gang_name(const GangFacts& facts) {
    const std::string& name = facts.root().branch.key.name;
    return below(name, namespace_in(name));
}

std::string part_name(const GangFacts& facts, const GroupFacts& group) {
    if (is_rest(group))
        return "rest";
    return below(group.branch.key.name, facts.groups[group.branch.parent].branch.key.name);
}

std::string path_name(const GangFacts& facts, const GroupFacts& group) {
    if (group.branch.depth == 1)
        return gang_name(facts);
    const GroupFacts& parent = facts.groups[group.branch.parent];
    const std::string own = part_name(facts, group);
    return parent.branch.depth == 1 ? own : path_name(facts, parent) + "-" + own;
}

std::vector<const GroupFacts*> leaves_of(const GangFacts& facts) {
    std::vector<const GroupFacts*> leaves;
    for (const GroupFacts& group : facts.groups) {
        if (group.is_leaf())
            leaves.push_back(&group);
    }
    return leaves;
}

bool is_rest(const GroupFacts& group) {
    return group.branch.depth > 1 && group.is_leaf() && group.branch.key.kind.ends_with("-rest");
}

bool needs_all(const GroupFacts& composite) {
    return composite.minimum() >= static_cast<std::int64_t>(composite.children.size());
}

std::int64_t minimum_without_rest(const GangFacts& facts, const GroupFacts& group) {
    const auto rest = std::ranges::count_if(group.children, [&](auto child) { return is_rest(facts.groups[child]); });
    return std::max<std::int64_t>(0, group.minimum() - rest);
}

bool has_levels(const GroupFacts& group) {
    const Group* declared = group.group();
    return declared != nullptr &&
           !(declared->required.empty() && declared->preferred.empty() && declared->multiples.empty() &&
             declared->most_per_domain.empty() && declared->paired.empty());
}

std::int64_t fewest_pods(const GangFacts& facts, const GroupFacts& group) {
    if (group.is_leaf())
        return group.minimum();
    std::vector<std::int64_t> counts;
    counts.reserve(group.children.size());
    for (const auto child : group.children)
        counts.push_back(fewest_pods(facts, facts.groups[child]));
    std::ranges::sort(counts);
    counts.resize(std::min(counts.size(), static_cast<std::size_t>(std::max<std::int64_t>(group.minimum(), 0))));
    return std::max(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), group.group()->floor);
}

bool are_alike(const GroupFacts& a, const GroupFacts& b) {
    const Group& left = *a.group();
    const Group& right = *b.group();
    return a.is_leaf() && b.is_leaf() && !is_rest(a) && !is_rest(b) && a.minimum() == b.minimum() &&
           left.required == right.required && left.preferred == right.preferred && left.multiples == right.multiples &&
           left.most_per_domain.empty() && right.most_per_domain.empty() && left.topology == right.topology &&
           left.expected == right.expected && left.start_set == right.start_set && left.disruption == right.disruption;
}

bool is_protected(const GangFacts& facts, const GroupFacts& group) {
    const auto& from = group.group()->protected_from;
    return from && model::priority_of(facts) >= *from;
}

std::string titled(const GroupFacts& group) {
    return "group " + base::quoted(group.branch.key.name);
}

void check_floor(const GangFacts& facts, const GroupFacts& group, std::string_view dialect, Translation& out) {
    const auto floor = group.group()->floor;
    if (group.is_leaf() || floor == 0)
        return;
    std::int64_t counted = 0;
    for (const auto child : group.children)
        counted += fewest_pods(facts, facts.groups[child]);
    if (floor > counted || !needs_all(group)) {
        refuse(out,
               fmt::format("{} needs {} pods in all, beside the minimums of its groups: {} counts each group alone",
                           titled(group), floor, dialect));
    }
}

void check_domain_rules(const GroupFacts& group, std::string_view dialect, Translation& out) {
    const Group& declared = *group.group();
    if (!declared.most_per_domain.empty()) {
        const auto& [level, most] = *declared.most_per_domain.begin();
        refuse(out, fmt::format("{} has {} in one {} at most, a limit that {} doesn't know", titled(group), most,
                                base::quoted(level), dialect));
    }
    if (!declared.paired.empty()) {
        refuse(out, fmt::format("{} keeps its groups in proportion in each {}, which {} doesn't know", titled(group),
                                base::quoted(declared.paired), dialect));
    }
}

void check_required_levels(const GroupFacts& group, std::string_view dialect, Translation& out) {
    if (!group.group()->multiples.empty())
        refuse(out, fmt::format("{} has multiples, which {} doesn't know", titled(group), dialect));
    check_domain_rules(group, dialect, out);
    if (group.group()->required.size() > 1)
        refuse(out, fmt::format("{} asks for several required levels, {} has one", titled(group), dialect));
}

void check_preferred_levels(const GroupFacts& group, std::string_view dialect, Translation& out) {
    const auto& preferred = group.group()->preferred;
    for (std::size_t at = 1; at < preferred.size(); ++at) {
        out.losses.push_back(fmt::format("{}: the preferred level {} is lost, {} has one", titled(group),
                                         base::quoted(preferred[at]), dialect));
    }
}

void check_rest(const GroupFacts& group, Translation& out) {
    if (is_rest(group) && !group.pods.empty())
        out.losses.push_back(fmt::format("{}: its pods become pods of no gang", titled(group)));
}

void refuse(Translation& out, std::string sentence) {
    if (out.refusal.empty())
        out.refusal = std::move(sentence);
}

void check_gang(const GangFacts& facts, const TargetFeatures& can, Translation& out) {
    if (std::string fault = model::fault_of(facts); !fault.empty())
        refuse(out, std::move(fault));
    for (const GroupFacts& group : facts.groups)
        check_group(group, out);
    for (const GroupFacts& group : facts.groups) {
        if (std::string word = model::passed_over(group); !word.empty())
            out.losses.push_back(std::move(word));
    }
    if (!out.refusal.empty())
        return;
    if (const auto& parent = facts.root().group()->parent)
        return refuse(out, fmt::format("its parent {} isn't in the input", base::quoted(parent->name)));
    if (namespace_of(facts).empty())
        return refuse(out, "it is in several namespaces");
    check_names(facts, out);
    for (const GroupFacts& group : facts.groups)
        check_eviction(facts, group, can, out);
    check_priority(facts, can, out);
    if (const auto timeout = model::timeout_of(facts); timeout && !can.timeout)
        out.losses.push_back(fmt::format("its time-out of {} seconds is lost", *timeout));
    for (const GroupFacts* leaf : leaves_of(facts))
        check_leaf(*leaf, can, out);
}

nlohmann::json metadata_of(const std::string& ns, const std::string& name) {
    return {{"name", name}, {"namespace", ns}};
}

nlohmann::json whole_pod_group(const GangFacts& facts, std::string_view api_version, const std::string& name,
                               nlohmann::json spec) {
    return {{"apiVersion", api_version},
            {"kind", "PodGroup"},
            {"metadata", metadata_of(namespace_of(facts), name)},
            {"spec", std::move(spec)}};
}

}  // namespace echelon::translate

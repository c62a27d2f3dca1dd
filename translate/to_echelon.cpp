// How does a gang become echelon's own Gang? The tree stays as it is; equal groups become replicas of one.

#include "base/quoted.hpp"
#include "kube/dialects/label_gang.hpp"
#include "translate/gang_parts.hpp"
#include "translate/targets.hpp"
#include "translate/written_name.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace echelon::translate {

namespace {

using model::GangFacts;
using model::Group;
using model::GroupFacts;
using nlohmann::json;

constexpr std::size_t most_groups = 16;  // In one list; a limit of the CRD.
constexpr std::uint32_t deepest_tree = 5;
constexpr std::string_view replica_label = "echelon.sh/replica";

class GangWriter {
public:
    GangWriter(const GangFacts& facts, Translation& out)
        : facts_(facts), out_(out), gang_(written_name(gang_name(facts))) {}

    json write() {
        const GroupFacts& root = facts_.root();
        json spec = fields_of(root);
        if (root.is_leaf()) {
            keep_pods(root, {{std::string(kube::gang_label), gang_}});
        } else {
            add_groups(root, spec);
        }
        const Group& declared = *root.group();
        // A bare number needs the administrator's permission (BD8), so the manifest must work without it.
        if (!declared.priority_class.empty()) {
            spec["priorityClassName"] = declared.priority_class;
        }
        if (declared.preempts)
            spec["preemptionPolicy"] = *declared.preempts ? "PreemptLowerPriority" : "Never";
        if (const auto timeout = model::timeout_of(facts_))
            spec["timeoutSeconds"] = *timeout;
        if (const std::string topology = topology_name(); !topology.empty())
            spec["topologyName"] = topology;
        return {{"apiVersion", "echelon.sh/v1alpha1"},
                {"kind", "Gang"},
                {"metadata", metadata_of(namespace_of(facts_), gang_)},
                {"spec", std::move(spec)}};
    }

private:
    // The fields of a root or group, without its children.
    json fields_of(const GroupFacts& group) {
        const Group& declared = *group.group();
        json fields = json::object();
        if (group.is_leaf() || !needs_all(group))
            fields["minimum"] = group.minimum();
        if (declared.required.size() > 1) {
            refuse(out_,
                   fmt::format("{} asks for several required levels, a Gang states one for each group", titled(group)));
        }
        if (!declared.required.empty())
            fields["requiredTopology"] = declared.required.front();
        if (!declared.preferred.empty())
            fields["preferredTopology"] = declared.preferred.front();
        for (std::size_t at = 1; at < declared.preferred.size(); ++at) {
            out_.losses.push_back(fmt::format("{}: the preferred level {} is lost, a Gang states one for each group",
                                              titled(group), base::quoted(declared.preferred[at])));
        }
        for (const auto& [level, multiple] : declared.multiples)
            fields["topologyMultiples"][level] = multiple;
        for (const auto& [level, most] : declared.most_per_domain)
            fields["maxPerDomain"][level] = most;
        if (!declared.paired.empty())
            fields["pairedTopology"] = declared.paired;
        if (declared.floor > 0)
            fields["minimumPods"] = declared.floor;
        if (declared.disruption == model::DisruptionMode::all)
            fields["disruptionMode"] = "all";
        if (group.is_leaf() && declared.expected)
            fields["expectedPods"] = *declared.expected;
        if (group.is_leaf() && declared.start_set && declared.expected)
            fields["startPods"] = std::min(*declared.start_set, *declared.expected);
        return fields;
    }

    [[nodiscard]] bool has_like_children(const GroupFacts& parent) const {
        return parent.children.size() > 1 && std::ranges::all_of(parent.children, [&](std::uint32_t child) {
                   return are_alike(facts_.groups[parent.children.front()], facts_.groups[child]);
               });
    }

    void add_groups(const GroupFacts& parent, json& written) {
        json groups = json::array();
        if (parent.children.size() > most_groups && has_like_children(parent) && parent.group()->paired.empty()) {
            // The minimum is that of the replicas; the only group above them is always needed.
            written.erase("minimum");
            groups.push_back(folded(parent, written_name(path_name(facts_, parent), false)));
            if (const auto most = written.find("maxPerDomain"); most != written.end()) {  // Also that of the replicas.
                groups.back()["maxPerDomain"] = *most;
                written.erase(most);
            }
        } else {
            for (const auto child : parent.children)
                groups.push_back(group_of(facts_.groups[child]));
        }
        if (groups.size() > most_groups) {
            refuse(out_, fmt::format("{} has {} groups that aren't alike, a Gang has {} at most in each",
                                     titled(parent), groups.size(), most_groups));
        }
        written["groups"] = std::move(groups);
    }

    json group_of(const GroupFacts& group) {
        if (group.branch.depth > deepest_tree) {
            refuse(out_,
                   fmt::format("{} is at level {}, a Gang has {}", titled(group), group.branch.depth, deepest_tree));
        }
        // Unique in the gang, since pods of a leaf are selected by it.
        const std::string name = written_name(path_name(facts_, group), false);
        const bool is_plain = !group.is_leaf() && !has_levels(group) && group.group()->floor == 0 &&
                              group.group()->disruption != model::DisruptionMode::all;
        if (is_plain && has_like_children(group))
            return folded(group, name);
        json written = fields_of(group);
        written["name"] = name;
        if (group.is_leaf()) {
            keep_pods(group, {{std::string(kube::gang_label), gang_}, {std::string(kube::group_label), name}});
        } else {
            add_groups(group, written);
        }
        return written;
    }

    // Equal leaves as replicas of one.
    json folded(const GroupFacts& parent, const std::string& name) {
        json written = fields_of(facts_.groups[parent.children.front()]);
        written["name"] = name;
        written["replicas"] = parent.children.size();
        if (!needs_all(parent))
            written["minimumReplicas"] = parent.minimum();
        std::size_t index = 0;
        for (const auto child : parent.children) {
            keep_pods(facts_.groups[child], {{std::string(kube::gang_label), gang_},
                                             {std::string(kube::group_label), name},
                                             {std::string(replica_label), std::to_string(index++)}});
        }
        return written;
    }

    void keep_pods(const GroupFacts& leaf, const std::map<std::string, std::string>& labels) {
        for (const model::PodFacts& row : leaf.pods)
            out_.pods.emplace_back(row.pod, PodMembershipPatch{.labels = labels, .annotations = {}});
    }

    std::string topology_name() {
        const GroupFacts* first = nullptr;
        for (const GroupFacts& group : facts_.groups) {
            if (!has_levels(group))
                continue;
            if (first == nullptr)
                first = &group;
            if (group.group()->topology != first->group()->topology) {
                refuse(out_, fmt::format("{} and {} look up their levels in different topologies, a Gang names one",
                                         titled(*first), titled(group)));
            }
        }
        return first == nullptr ? std::string() : first->group()->topology;
    }

    const GangFacts& facts_;
    Translation& out_;
    const std::string gang_;
};

}  // namespace

Translation to_echelon(const GangFacts& facts) {
    Translation out;
    check_gang(facts,
               {.priority_class = true,
                .preemption = true,
                .disruption = true,
                .pod_protection = true,  // The marks of all dialects stay on the pods.
                .expected = true,
                .late_members = true,
                .timeout = true},
               out);
    if (out.refusal.empty())
        out.objects.push_back(GangWriter(facts, out).write());
    return out;
}

}  // namespace echelon::translate

// How does a gang become Volcano's PodGroup? Children of the root become policies, and a label separates the groups
// below each. A leaf below the root becomes a policy with one group.

#include "base/quoted.hpp"
#include "model/facts/topology.hpp"
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

// Volcano's own labels for subgroups.
constexpr std::string_view policy_label = "volcano.sh/task-spec";
constexpr std::string_view part_label = "volcano.sh/partition-id";
// Of a PodGroup or a pod, which is never evicted where it is "false".
constexpr std::string_view preemptable_mark = "volcano.sh/preemptable";

class VolcanoWriter {
public:
    VolcanoWriter(const GangFacts& facts, const TranslationTarget& known, Translation& out)
        : facts_(facts), known_(known), out_(out), name_(written_name(gang_name(facts))) {}

    void write() {
        const GroupFacts& root = facts_.root();
        json spec = {{"minMember", fewest_pods(facts_, root)}};
        add_levels(root, spec);
        if (root.is_leaf()) {
            mark(root, {});
        } else {
            write_policies(root, spec);
        }
        if (const std::string& priority_class = root.group()->priority_class; !priority_class.empty())
            spec["priorityClassName"] = priority_class;
        out_.objects.push_back(whole_pod_group(facts_, "scheduling.volcano.sh/v1beta1", name_, std::move(spec)));
        if (is_protected(facts_, root))
            out_.objects.back()["metadata"]["annotations"] = {{preemptable_mark, "false"}};
        for (auto& [pod, marks] : out_.pods) {
            if (pod->is_protected)
                marks.annotations.emplace(std::string(preemptable_mark), "false");
        }
    }

private:
    void write_policies(const GroupFacts& root, json& spec) {
        json policies = json::array();
        if (needs_all(root)) {
            for (const auto child : root.children) {
                const GroupFacts& group = facts_.groups[child];
                if (is_rest(group)) {
                    mark(group, {});
                } else {
                    policies.push_back(group.is_leaf() ? policy_of_leaf(group) : policy_of_groups(group));
                }
            }
        } else {
            policies.push_back(policy_of_groups(root));
        }
        spec["subGroupPolicy"] = std::move(policies);
    }

    [[nodiscard]] json policy(const std::string& name, std::int64_t size, std::int64_t groups) const {
        return {{"name", name},
                {"labelSelector", {{"matchLabels", {{policy_label, name}}}}},
                {"matchLabelKeys", json::array({part_label})},
                {"subGroupSize", std::max<std::int64_t>(size, 1)},
                {"minSubGroups", groups}};
    }

    json policy_of_leaf(const GroupFacts& leaf) {
        const std::string name = written_name(path_name(facts_, leaf), false);
        json written = policy(name, leaf.minimum(), leaf.minimum() > 0 ? 1 : 0);
        add_levels(leaf, written);
        mark(leaf, {{std::string(policy_label), name}, {std::string(part_label), name}});
        return written;
    }

    // True if all leaves of a composite are equal.
    json policy_of_groups(const GroupFacts& composite) {
        const bool is_root = composite.branch.depth == 1;
        const std::string name = written_name(is_root ? gang_name(facts_) : path_name(facts_, composite), false);
        const GroupFacts& first = facts_.groups[composite.children.front()];
        for (const auto child : composite.children) {
            const GroupFacts& group = facts_.groups[child];
            if (!are_alike(first, group)) {
                refuse(out_, fmt::format("{} has groups that aren't alike, or groups below them: a policy of Volcano "
                                         "has groups of one size",
                                         titled(composite)));
                return {};
            }
            mark(group, {{std::string(policy_label), name},
                         {std::string(part_label), written_name(path_name(facts_, group), false)}});
        }
        if (first.minimum() == 0)
            refuse(out_, fmt::format("{} has groups that need nobody, in Volcano each needs one", titled(composite)));
        if (!is_root && (has_levels(composite) || composite.group()->floor > 0)) {
            refuse(out_, fmt::format("{} has levels or a number of pods of its own, in Volcano its groups have them",
                                     titled(composite)));
        }
        json written = policy(name, first.minimum(), composite.minimum());
        add_levels(first, written);
        return written;
    }

    void add_levels(const GroupFacts& group, json& written) {
        const Group& declared = *group.group();
        check_required_levels(group, "Volcano", out_);
        if (!declared.required.empty())
            add_required(group, declared.required.front(), written);
        for (const std::string& level : declared.preferred) {
            if (level == model::narrowest_tier_level && declared.required.empty()) {
                written["networkTopology"] = {{"mode", "soft"}};
            } else {
                out_.losses.push_back(
                    fmt::format("{}: the preferred level {} is lost, Volcano prefers the lowest tier "
                                "or none",
                                titled(group), base::quoted(level)));
            }
        }
    }

    void add_required(const GroupFacts& group, const std::string& level, json& written) {
        if (const auto tier = model::tier_in(level)) {
            written["networkTopology"] = {{"mode", "hard"}, {"highestTierAllowed", *tier}};
        } else if (known_.tier_names.contains(level)) {
            written["networkTopology"] = {{"mode", "hard"}, {"highestTierName", level}};
        } else {
            refuse(out_, fmt::format("{} asks for level {}, which is the tierName of no HyperNode in the input",
                                     titled(group), base::quoted(level)));
        }
    }

    void mark(const GroupFacts& leaf, const std::map<std::string, std::string>& labels) {
        for (const model::PodFacts& row : leaf.pods) {
            out_.pods.emplace_back(
                row.pod,
                PodMembershipPatch{.labels = labels, .annotations = {{"scheduling.k8s.io/group-name", name_}}});
        }
    }

    const GangFacts& facts_;
    const TranslationTarget& known_;
    Translation& out_;
    const std::string name_;
};

}  // namespace

Translation to_volcano(const GangFacts& facts, const TranslationTarget& known) {
    Translation out;
    check_gang(facts, {.priority_class = true, .protection = true, .pod_protection = true}, out);
    if (out.refusal.empty())
        VolcanoWriter(facts, known, out).write();
    return out;
}

}  // namespace echelon::translate

#include "base/quoted.hpp"
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

// KAI's priority of a PodGroup without a class (Z19).
std::int64_t assumed_priority(const model::PriorityClasses& classes) {
    Group without_class;
    without_class.priority = 50;
    without_class.policy.takes_default_priority = true;
    return *model::stated_priority(without_class, classes);
}

// From here on KAI takes a PodGroup that states nothing for non-preemptible.
constexpr std::int64_t least_protected_priority = 100;

class KaiWriter {
public:
    KaiWriter(const GangFacts& facts, const TranslationTarget& known, Translation& out)
        : facts_(facts), known_(known), out_(out), name_(written_name(gang_name(facts))) {}

    void write() {
        const GroupFacts& root = facts_.root();
        const bool has_class = !root.group()->priority_class.empty();
        const auto priority = has_class ? model::priority_of(facts_) : assumed_priority(*facts_.classes);
        json spec = json::object();
        add_constraint(root, spec);
        if (root.is_leaf()) {
            spec["minMember"] = root.minimum();
        } else {
            write_groups(spec);
        }
        if (has_class)
            spec["priorityClassName"] = root.group()->priority_class;
        if (is_protected(facts_, root)) {
            spec["preemptibility"] = "non-preemptible";
        } else if (priority >= least_protected_priority) {
            spec["preemptibility"] = "preemptible";
        }
        if (!has_class)
            check_priorities_of_pods(priority);
        out_.objects.push_back(whole_pod_group(facts_, "scheduling.run.ai/v2alpha2", name_, std::move(spec)));
    }

    void mark_pods() {
        for (const GroupFacts* leaf : leaves_of(facts_)) {
            PodMembershipPatch marks{.labels = {}, .annotations = {{"pod-group-name", name_}}};
            if (leaf->branch.depth > 1 && !is_rest(*leaf))
                marks.labels.emplace("kai.scheduler/subgroup-name", part(*leaf));
            for (const model::PodFacts& row : leaf->pods)
                out_.pods.emplace_back(row.pod, marks);
        }
    }

private:
    [[nodiscard]] std::string part(const GroupFacts& group) const {
        return written_name(path_name(facts_, group), false);
    }

    void write_groups(json& spec) {
        const GroupFacts& root = facts_.root();
        json groups = json::array();
        std::int64_t direct = 0;
        for (const GroupFacts& group : facts_.groups) {
            check_floor(facts_, group, "KAI", out_);
            if (group.branch.depth == 1 || is_rest(group))
                continue;
            json written = {{"name", part(group)}};
            if (group.branch.depth > 2) {
                written["parent"] = part(facts_.groups[group.branch.parent]);
            } else {
                ++direct;
            }
            if (group.is_leaf()) {
                written["minMember"] = group.minimum();
            } else if (!needs_all(group)) {
                written["minSubGroup"] = group.minimum();
            }
            add_constraint(group, written);
            groups.push_back(std::move(written));
        }
        spec["subGroups"] = std::move(groups);
        // Only one of the two: versions differ in which one counts if both are set.
        if (const auto minimum = minimum_without_rest(facts_, root); minimum < direct) {
            spec["minSubGroup"] = minimum;
        } else {
            spec["minMember"] = std::max<std::int64_t>(fewest_pods(facts_, root), 1);
        }
    }

    void add_constraint(const GroupFacts& group, json& written) {
        const Group& declared = *group.group();
        check_required_levels(group, "KAI", out_);
        check_preferred_levels(group, "KAI", out_);
        json constraint = json::object();
        std::string topology = declared.topology;
        if (!declared.required.empty()) {
            constraint["requiredTopologyLevel"] = declared.required.front();
            topology = topology_with(declared.required.front(), std::move(topology));
            if (topology.empty()) {
                refuse(
                    out_,
                    fmt::format(
                        "{} asks for level {}, which is of no Topology of KAI in the input with the same domains: KAI "
                        "needs its name",
                        titled(group), base::quoted(declared.required.front())));
            }
        }
        if (!declared.preferred.empty()) {
            const std::string& level = declared.preferred.front();
            topology = topology_with(level, std::move(topology));
            if (!topology.empty()) {
                constraint["preferredTopologyLevel"] = level;
            } else {
                out_.losses.push_back(
                    fmt::format("{}: the preferred level {} is of no Topology of KAI in the input, and is lost",
                                titled(group), base::quoted(level)));
            }
        }
        if (constraint.empty())
            return;
        constraint["topology"] = topology;
        written["topologyConstraint"] = std::move(constraint);
    }

    // The topology that the group names, else the first one by name that has the level.
    [[nodiscard]] std::string topology_with(const std::string& level, std::string named) const {
        const auto found = known_.topologies.find(level);
        if (!named.empty() || found == known_.topologies.end())
            return named;
        return *found->second.begin();
    }

    // Without a class KAI ignores the priority of the pods. `assumed`: the one that it takes.
    void check_priorities_of_pods(std::int64_t assumed) {
        for (const GroupFacts& group : facts_.groups) {
            for (const model::PodFacts& row : group.pods) {
                if (row.pod->priority == 0 || row.pod->priority == assumed)
                    continue;
                out_.losses.push_back(
                    fmt::format("the priority of its pods is lost: KAI takes {} without a priorityClassName", assumed));
                return;
            }
        }
    }

    const GangFacts& facts_;
    const TranslationTarget& known_;
    Translation& out_;
    const std::string name_;
};

}  // namespace

Translation to_kai(const GangFacts& facts, const TranslationTarget& known) {
    Translation out;
    check_gang(facts, {.priority_class = true, .protection = true}, out);
    if (!out.refusal.empty())
        return out;
    KaiWriter writer(facts, known, out);
    writer.write();
    writer.mark_pods();
    return out;
}

}  // namespace echelon::translate

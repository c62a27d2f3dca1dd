// How does a gang become the group objects of Kubernetes itself, in one release?

#include "base/quoted.hpp"
#include "kube/dialects/upstream.hpp"
#include "translate/gang_parts.hpp"
#include "translate/targets.hpp"
#include "translate/written_name.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::translate {

namespace {

using model::GangFacts;
using model::Group;
using model::GroupFacts;
using nlohmann::json;

constexpr std::uint32_t deepest_tree = 4;  // Leaf included; `CompositePodGroup` of 1.37.

std::string_view policy_name(bool preempts) {
    return preempts ? "PreemptLowerPriority" : "Never";
}

class KubernetesWriter {
public:
    KubernetesWriter(const GangFacts& facts, Dialect release, Translation& out)
        : facts_(facts), release_(release), out_(out), name_(written_name(gang_name(facts), false)) {}

    void write() {
        for (const GroupFacts& group : facts_.groups)
            check_gang(group);
        if (!out_.refusal.empty())
            return;
        if (release_ == Dialect::kubernetes_1_35) {
            write_workload_of_1_35();
        } else {
            check_priorities();
            write_groups();
        }
        mark_pods();
    }

private:
    [[nodiscard]] bool is_tree() const { return !facts_.root().is_leaf(); }
    [[nodiscard]] std::string_view version() const {
        if (release_ == Dialect::kubernetes_1_35)
            return "scheduling.k8s.io/v1alpha1";
        if (release_ == Dialect::kubernetes_1_36)
            return "scheduling.k8s.io/v1alpha2";
        return is_tree() ? "scheduling.k8s.io/v1alpha3" : "scheduling.k8s.io/v1beta1";
    }
    [[nodiscard]] std::string name_of(const GroupFacts& group) const {
        return group.branch.depth == 1 ? name_ : written_name(name_ + "-" + path_name(facts_, group), false);
    }

    void check_gang(const GroupFacts& group) {
        const Group& declared = *group.group();
        if (release_ != Dialect::kubernetes_1_37 && !group.is_leaf())
            return refuse(out_, fmt::format("{} has groups, which Kubernetes has from 1.37 on", titled(group)));
        if (group.branch.depth > deepest_tree) {
            return refuse(out_, fmt::format("{} is at level {}, Kubernetes has {}", titled(group), group.branch.depth,
                                            deepest_tree));
        }
        if (minimum_without_rest(facts_, group) < 1 && !is_rest(group))
            refuse(out_, fmt::format("{} needs nothing, in Kubernetes each group needs one", titled(group)));
        check_required_levels(group, "Kubernetes", out_);
        if (release_ == Dialect::kubernetes_1_35 && !declared.required.empty()) {
            refuse(out_, fmt::format("{} asks for level {}, Kubernetes has levels from 1.36 on", titled(group),
                                     base::quoted(declared.required.front())));
        }
        check_floor(facts_, group, "Kubernetes", out_);
        for (std::size_t at = 0; at < declared.preferred.size(); ++at) {
            out_.losses.push_back(fmt::format("{}: the preferred level {} is lost{}", titled(group),
                                              base::quoted(declared.preferred[at]),
                                              at == 0 ? ", only echelon reads the annotation" : ""));
        }
        check_rest(group, out_);
    }

    // The common fields of a group in 1.36 and later.
    json spec_of(const GroupFacts& group) {
        const Group& declared = *group.group();
        const auto minimum = minimum_without_rest(facts_, group);
        json spec = {{"schedulingPolicy", {{"gang", {{group.is_leaf() ? "minCount" : "minGroupCount", minimum}}}}}};
        if (!declared.required.empty())
            spec["schedulingConstraints"] = {{"topology", json::array({{{"key", declared.required.front()}}})}};
        if (!priority_class().empty())
            spec["priorityClassName"] = priority_class();
        if (goes_whole(group)) {
            spec["disruptionMode"] =
                release_ == Dialect::kubernetes_1_36 ? json("PodGroup") : json{{"all", json::object()}};
        }
        return spec;
    }

    // S28: Kubernetes takes silence below mode `all` for a contradiction.
    [[nodiscard]] bool goes_whole(const GroupFacts& group) const {
        const GroupFacts* here = &group;
        while (here->group()->disruption != model::DisruptionMode::all) {
            if (here->branch.depth == 1)
                return false;
            here = &facts_.groups[here->branch.parent];
        }
        return true;
    }

    void write_groups() {
        if (is_tree())
            out_.objects.push_back(workload());
        const auto policy = stated_policy();
        for (const GroupFacts& group : facts_.groups) {
            if (is_rest(group))
                continue;
            json spec = spec_of(group);
            if (policy)
                spec["preemptionPolicy"] = policy_name(*policy);
            if (is_tree())
                spec["workloadRef"] = {{"workloadName", name_}, {"templateName", name_of(group)}};
            if (group.branch.depth > 1)
                spec["parentCompositePodGroupName"] = name_of(facts_.groups[group.branch.parent]);
            add(group.is_leaf() ? "PodGroup" : "CompositePodGroup", name_of(group), group, std::move(spec));
        }
    }

    // The Workload with the templates that the groups name. No scheduler reads it.
    json workload() {
        return {{"apiVersion", version()},
                {"kind", "Workload"},
                {"metadata", metadata_of(namespace_of(facts_), name_)},
                {"spec", {{"compositePodGroupTemplates", json::array({template_of(facts_.root())})}}}};
    }

    json template_of(const GroupFacts& group) {
        json written = spec_of(group);
        written["name"] = name_of(group);
        for (const auto child : group.children) {
            const GroupFacts& below = facts_.groups[child];
            if (!is_rest(below))
                written[below.is_leaf() ? "podGroupTemplates" : "compositePodGroupTemplates"].push_back(
                    template_of(below));
        }
        return written;
    }

    void write_workload_of_1_35() {
        const GroupFacts& root = facts_.root();
        json group = {{"name", "main"}, {"policy", {{"gang", {{"minCount", root.minimum()}}}}}};
        add("Workload", name_, root, {{"podGroups", json::array({std::move(group)})}});
        if (!priority_class().empty()) {
            out_.losses.push_back(fmt::format("its priority class {} is lost, pods keep their own priority",
                                              base::quoted(priority_class())));
        }
    }

    void add(std::string_view kind, const std::string& name, const GroupFacts& group, json spec) {
        json metadata = metadata_of(namespace_of(facts_), name);
        if (const auto& preferred = group.group()->preferred; !preferred.empty())
            metadata["annotations"] = {{kube::preferred_topology_annotation, preferred.front()}};
        out_.objects.push_back(
            {{"apiVersion", version()}, {"kind", kind}, {"metadata", std::move(metadata)}, {"spec", std::move(spec)}});
    }

    [[nodiscard]] const std::string& priority_class() const { return facts_.root().group()->priority_class; }

    // The preemption policy that the groups state.
    [[nodiscard]] std::optional<bool> stated_policy() const {
        return release_ == Dialect::kubernetes_1_37 ? facts_.root().group()->preempts : std::nullopt;
    }

    // S26: groups and pods have one priority and one preemption policy. Pods get the class of the gang, if it has one.
    void check_priorities() {
        if (priority_class().empty())
            return check_pods_agree();
        const auto known = facts_.classes->find(priority_class());
        if (known == facts_.classes->end())
            return;
        if (stated_policy().value_or(known->second.preempts) != known->second.preempts) {
            refuse(out_, fmt::format("its preemption policy isn't that of its priority class {}, which its pods get",
                                     base::quoted(priority_class())));
        }
        const auto is_replaced = [&](const model::Pod* pod) {
            return pod->priority != 0 && pod->priority != known->second.value;
        };
        if (std::ranges::any_of(members(), is_replaced))
            out_.losses.emplace_back("the priority of its pods is lost: in Kubernetes they have that of the gang");
    }

    void check_pods_agree() {
        const auto pods = members();
        for (const model::Pod* pod : pods) {
            const model::Pod& first = *pods.front();
            if (pod->priority != first.priority) {
                return refuse(out_, fmt::format("its pods {} and {} have priorities {} and {}, in Kubernetes all have "
                                                "one",
                                                base::quoted(first.name), base::quoted(pod->name), first.priority,
                                                pod->priority));
            }
            if (pod->preempts != stated_policy().value_or(pod->preempts)) {
                return refuse(out_, fmt::format("its preemption policy isn't that of pod {}, in Kubernetes all have "
                                                "one",
                                                base::quoted(pod->name)));
            }
            if (pod->preempts != first.preempts) {
                return refuse(out_, fmt::format("its pods {} and {} have unlike preemption policies, in Kubernetes all "
                                                "have one",
                                                base::quoted(first.name), base::quoted(pod->name)));
            }
        }
    }

    // The pods of written groups that count, now or later.
    [[nodiscard]] std::vector<const model::Pod*> members() const {
        std::vector<const model::Pod*> pods;
        for (const GroupFacts* leaf : leaves_of(facts_)) {
            for (const model::PodFacts& row : leaf->pods) {
                const bool counts =
                    row.status != model::MemberStatus::lost && row.status != model::MemberStatus::finished;
                if (counts && !is_rest(*leaf))
                    pods.push_back(row.pod);
            }
        }
        return pods;
    }

    // The fields of a member's spec, in 1.36 and later.
    [[nodiscard]] json fields_of_member(const GroupFacts& leaf) const {
        json fields = {{"schedulingGroup", {{"podGroupName", name_of(leaf)}}}};
        if (priority_class().empty())
            return fields;
        // The API server fills in the other two by the class, and refuses what differs from it.
        fields["priorityClassName"] = priority_class();
        fields["priority"] = nullptr;
        fields["preemptionPolicy"] = stated_policy() ? json(policy_name(*stated_policy())) : json();
        return fields;
    }

    void mark_pods() {
        for (const GroupFacts* leaf : leaves_of(facts_)) {
            PodMembershipPatch marks;
            if (release_ == Dialect::kubernetes_1_35) {
                marks.spec = {{"workloadRef", {{"name", name_}, {"podGroup", "main"}}}};
            } else if (!is_rest(*leaf)) {
                marks.spec = fields_of_member(*leaf);
            }
            for (const model::PodFacts& row : leaf->pods)
                out_.pods.emplace_back(row.pod, marks);
        }
    }

    const GangFacts& facts_;
    Dialect release_;
    Translation& out_;
    const std::string name_;
};

}  // namespace

Translation to_kubernetes(const GangFacts& facts, Dialect release) {
    Translation out;
    const bool is_newest = release == Dialect::kubernetes_1_37;
    check_gang(facts,
               {.priority_class = true, .preemption = is_newest, .disruption = release != Dialect::kubernetes_1_35},
               out);
    if (out.refusal.empty())
        KubernetesWriter(facts, release, out).write();
    return out;
}

}  // namespace echelon::translate

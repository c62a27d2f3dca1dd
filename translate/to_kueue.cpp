// How does a gang become Kueue's Workload? It has a PodSet per leaf, and all pods of all PodSets are needed.

#include "base/quoted.hpp"
#include "kube/dialects/kueue.hpp"
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

constexpr std::size_t most_pod_sets = 8;  // In one Workload; a limit of the CRD.

class WorkloadWriter {
public:
    WorkloadWriter(const GangFacts& facts, Translation& out)
        : facts_(facts), out_(out), name_(written_name(gang_name(facts))) {}

    void write() {
        const GroupFacts& root = facts_.root();
        json pod_sets = json::array();
        for (const GroupFacts& group : facts_.groups) {
            check_gang(group);
            if (group.is_leaf() && !is_rest(group))
                pod_sets.push_back(pod_set_of(group));
        }
        if (pod_sets.size() > most_pod_sets) {
            refuse(out_, fmt::format("{} has {} groups, a Workload of Kueue has {} PodSets at most", titled(root),
                                     pod_sets.size(), most_pod_sets));
        }
        json spec = {{"podSets", std::move(pod_sets)}};
        out_.objects.push_back({{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                                {"kind", "Workload"},
                                {"metadata", metadata_of(namespace_of(facts_), name_)},
                                {"spec", std::move(spec)}});
    }

private:
    void check_gang(const GroupFacts& group) {
        const bool is_root = group.branch.depth == 1;
        check_domain_rules(group, "Kueue", out_);
        if (!group.is_leaf() && !is_root)
            return refuse(out_, fmt::format("{} is a group of groups, PodSets of Kueue have none", titled(group)));
        if (!group.is_leaf() && !needs_all(group)) {
            refuse(out_, fmt::format("{} needs {} of {} groups; Kueue needs all of them", titled(group),
                                     group.minimum(), group.children.size()));
        }
        if (!group.is_leaf() && has_levels(group))
            check_root_levels(group);
        check_floor(facts_, group, "Kueue", out_);
        if (is_rest(group))
            return check_rest(group, out_);
        const auto pods = std::max<std::int64_t>(std::ssize(group.pods), group.group()->expected.value_or(0));
        if (group.is_leaf() && (pods > group.minimum() || group.minimum() < 1)) {
            refuse(out_, fmt::format("{} needs {} of {} pods, a PodSet of Kueue needs all of at least one",
                                     titled(group), group.minimum(), pods));
        }
    }

    void check_root_levels(const GroupFacts& root) {
        if (!root.group()->required.empty()) {
            refuse(out_, fmt::format("{} asks for level {} around its groups, Kueue has levels of PodSets",
                                     titled(root), base::quoted(root.group()->required.front())));
        }
        for (const std::string& level : root.group()->preferred) {
            out_.losses.push_back(fmt::format("{}: the preferred level {} is lost, Kueue has levels of PodSets",
                                              titled(root), base::quoted(level)));
        }
    }

    json pod_set_of(const GroupFacts& leaf) {
        const std::string name = leaf.branch.depth == 1 ? "main" : written_name(path_name(facts_, leaf), false);
        const auto level_annotations = level_annotations_of(leaf);
        auto annotations = level_annotations;
        annotations.emplace("kueue.x-k8s.io/workload", name_);
        for (const model::PodFacts& row : leaf.pods) {
            out_.pods.emplace_back(
                row.pod, PodMembershipPatch{.labels = {{"kueue.x-k8s.io/podset", name}}, .annotations = annotations});
        }
        return {{"name", name},
                {"count", leaf.minimum()},
                {"template",
                 {{"metadata", {{"annotations", level_annotations}}}, {"spec", {{"containers", json::array()}}}}}};
    }

    // A PodSet has a required or a preferred level, not both.
    std::map<std::string, std::string> level_annotations_of(const GroupFacts& leaf) {
        const Group& declared = *leaf.group();
        if (!declared.multiples.empty())
            refuse(out_, fmt::format("{} has multiples, of which Kueue's slices are not the same", titled(leaf)));
        if (declared.required.size() > 1)
            refuse(out_, fmt::format("{} asks for several required levels, Kueue has one", titled(leaf)));
        std::map<std::string, std::string> annotations;
        if (!declared.required.empty())
            annotations.emplace("kueue.x-k8s.io/podset-required-topology", declared.required.front());
        for (const std::string& level : declared.preferred) {
            if (annotations.empty()) {
                annotations.emplace("kueue.x-k8s.io/podset-preferred-topology", level);
            } else {
                out_.losses.push_back(fmt::format("{}: the preferred level {} is lost, Kueue has one level of a PodSet",
                                                  titled(leaf), base::quoted(level)));
            }
        }
        return annotations;
    }

    const GangFacts& facts_;
    Translation& out_;
    const std::string name_;
};

}  // namespace

Translation to_kueue(const GangFacts& facts) {
    Translation out;
    check_gang(facts, {}, out);
    if (out.refusal.empty())
        WorkloadWriter(facts, out).write();
    return out;
}

}  // namespace echelon::translate

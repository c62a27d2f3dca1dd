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

void check_group(const GroupFacts& group, Translation& out) {
    const Group& declared = *group.group();
    if (!declared.required.empty()) {
        refuse(out, fmt::format("{} asks for level {}, and a PodGroup of scheduler-plugins for none", titled(group),
                                base::quoted(declared.required.front())));
    }
    if (!declared.multiples.empty())
        refuse(out, fmt::format("{} has multiples, which scheduler-plugins doesn't know", titled(group)));
    check_domain_rules(group, "scheduler-plugins", out);
    for (const std::string& level : declared.preferred) {
        out.losses.push_back(fmt::format("{}: the preferred level {} is lost, scheduler-plugins has none",
                                         titled(group), base::quoted(level)));
    }
    if (!group.is_leaf() && !needs_all(group)) {
        out.losses.push_back(
            fmt::format("{}: that {} of {} groups are enough is lost, pods of all are counted "
                        "together",
                        titled(group), group.minimum(), group.children.size()));
    }
}

// The sum equals the minimums of the parts only if all pods are needed.
bool counts_every_pod(const GroupFacts& leaf) {
    return !leaf.pods.empty() && leaf.minimum() == static_cast<std::int64_t>(leaf.pods.size());
}

}  // namespace

Translation to_scheduler_plugins(const GangFacts& facts) {
    Translation out;
    check_gang(facts, {.timeout = true}, out);
    if (!out.refusal.empty())
        return out;
    for (const GroupFacts& group : facts.groups)
        check_group(group, out);
    const auto leaves = leaves_of(facts);
    const auto counts_all = std::ranges::all_of(leaves, [](const auto* leaf) { return counts_every_pod(*leaf); });
    if (leaves.size() > 1 && !counts_all)
        out.losses.emplace_back("the minimum of each of its groups is lost, pods of all are counted together");
    std::int64_t minimum = fewest_pods(facts, facts.root());
    if (minimum == 0) {
        out.losses.emplace_back("its minimum of 0 becomes 1, the least that scheduler-plugins knows");
        minimum = 1;
    }
    const std::string name = written_name(gang_name(facts));
    nlohmann::json spec = {{"minMember", minimum}};
    if (const auto timeout = model::timeout_of(facts))
        spec["scheduleTimeoutSeconds"] = *timeout;
    out.objects.push_back(whole_pod_group(facts, "scheduling.x-k8s.io/v1alpha1", name, std::move(spec)));
    const PodMembershipPatch marks{.labels = {{"scheduling.x-k8s.io/pod-group", name}}, .annotations = {}};
    for (const GroupFacts* leaf : leaves) {
        for (const model::PodFacts& row : leaf->pods)
            out.pods.emplace_back(row.pod, marks);
    }
    return out;
}

}  // namespace echelon::translate

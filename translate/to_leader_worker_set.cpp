// How does a gang become a LeaderWorkerSet? It is the only replica: the first member leads, the others are workers, and
// groups of it are sub-groups. Its pods are made by the controller from two templates, so they have to be alike.

#include "base/quoted.hpp"
#include "kube/dialects/leader_worker_set.hpp"
#include "translate/gang_parts.hpp"
#include "translate/targets.hpp"
#include "translate/written_name.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::translate {

namespace {

using model::GangFacts;
using model::GroupFacts;
using nlohmann::json;

// The controller appends the numbers of replica and worker, and a hash of the template in labels.
constexpr std::size_t longest_set_name = 40;

std::string key(std::string_view name) {
    return "leaderworkerset.sigs.k8s.io/" + std::string(name);
}

// Also the name of a Service, which begins with a letter.
std::string set_name(const GangFacts& facts) {
    const std::string wanted = gang_name(facts);
    const bool begins_with_letter = !wanted.empty() && wanted.front() >= 'a' && wanted.front() <= 'z';
    return written_name(begins_with_letter ? wanted : "g-" + wanted, false, longest_set_name);
}

// How the leaves of a gang are sub-groups. The leader's is the first.
struct SubGroups {
    std::vector<const GroupFacts*> leaves;
    std::int64_t each = 0;  // 0: none.
    bool is_leader_apart = false;
};

SubGroups sub_groups_of(const GangFacts& facts, Translation& out) {
    SubGroups found;
    for (const GroupFacts* leaf : leaves_of(facts)) {
        if (!is_rest(*leaf))
            found.leaves.push_back(leaf);
    }
    if (facts.root().is_leaf())
        return found;
    found.each = std::ranges::min(found.leaves, {}, &GroupFacts::minimum)->minimum();
    const auto is_larger = [&](const GroupFacts* leaf) { return leaf->minimum() > found.each; };
    const auto larger = std::ranges::count_if(found.leaves, is_larger);
    if (larger == 0)
        return found;
    const auto first_larger = std::ranges::find_if(found.leaves, is_larger);
    const std::int64_t most = (*first_larger)->minimum();
    if (larger == 1 && found.each > 1 && most == found.each + 1) {
        std::rotate(found.leaves.begin(), first_larger, first_larger + 1);
        return found;
    }
    const auto is_like_most = [&](const GroupFacts* leaf) { return !is_larger(leaf) || leaf->minimum() == most; };
    if (found.each == 1 && larger + 1 == std::ssize(found.leaves) && std::ranges::all_of(found.leaves, is_like_most)) {
        const auto leader = std::ranges::find(found.leaves, 1, &GroupFacts::minimum);
        std::rotate(found.leaves.begin(), leader, leader + 1);
        found.is_leader_apart = true;
        found.each = most;
        return found;
    }
    refuse(out, fmt::format("{} has groups of unlike sizes, sub-groups of a LeaderWorkerSet are alike",
                            titled(facts.root())));
    return found;
}

class SetWriter {
public:
    SetWriter(const GangFacts& facts, Translation& out)
        : facts_(facts), out_(out), name_(set_name(facts)), sub_groups_(sub_groups_of(facts, out)) {}

    void write() {
        for (const GroupFacts& group : facts_.groups)
            check_group(group);
        const std::string own_level = level_of(facts_.root(), "exclusive-topology");
        std::string level = sub_groups_.each == 0 ? std::string() : sub_group_level();
        if (!out_.refusal.empty())
            return;
        PodMembershipPatch common = marks(own_level, level);
        add_pods(common);
        json metadata = metadata_of(namespace_of(facts_), name_);
        if (!own_level.empty())
            metadata["annotations"][key("exclusive-topology")] = own_level;
        if (!level.empty())
            metadata["annotations"][key("subgroup-exclusive-topology")] = level;
        json group = {{"size", size()}, {"leaderTemplate", json::object()}, {"workerTemplate", json::object()}};
        if (sub_groups_.each > 0) {
            group["subGroupPolicy"] = {{"subGroupSize", sub_groups_.each}};
            if (sub_groups_.is_leader_apart)
                group["subGroupPolicy"]["type"] = "LeaderExcluded";
        }
        out_.objects.push_back({{"apiVersion", fmt::format("{}/v1", kube::leader_worker_set_group)},
                                {"kind", "LeaderWorkerSet"},
                                {"metadata", std::move(metadata)},
                                {"spec", {{"replicas", 1}, {"leaderWorkerTemplate", std::move(group)}}}});
    }

private:
    [[nodiscard]] std::int64_t size() const {
        std::int64_t sum = 0;
        for (const GroupFacts* leaf : sub_groups_.leaves)
            sum += leaf->minimum();
        return sum;
    }

    void check_group(const GroupFacts& group) {
        const bool is_root = group.branch.depth == 1;
        check_required_levels(group, "a LeaderWorkerSet", out_);
        check_floor(facts_, group, "a LeaderWorkerSet", out_);
        for (const std::string& level : group.group()->preferred) {
            out_.losses.push_back(fmt::format("{}: the preferred level {} is lost, a LeaderWorkerSet has none",
                                              titled(group), base::quoted(level)));
        }
        if (is_rest(group))
            return check_rest(group, out_);
        if (!group.is_leaf() && !is_root) {
            refuse(out_,
                   fmt::format("{} is a group of groups, sub-groups of a LeaderWorkerSet have none", titled(group)));
        }
        if (!group.is_leaf() && !needs_all(group)) {
            refuse(out_, fmt::format("{} needs {} of {} groups; a LeaderWorkerSet needs all of them", titled(group),
                                     group.minimum(), group.children.size()));
        }
        const auto pods = std::max<std::int64_t>(std::ssize(group.pods), group.group()->expected.value_or(0));
        if (group.is_leaf() && (pods > group.minimum() || group.minimum() < 1)) {
            refuse(out_, fmt::format("{} needs {} of {} pods, a LeaderWorkerSet all of at least one", titled(group),
                                     group.minimum(), pods));
        }
    }

    // The level that a group asks for; empty: none.
    std::string level_of(const GroupFacts& group, std::string_view annotation) {
        const auto& required = group.group()->required;
        if (required.empty())
            return {};
        out_.losses.push_back(fmt::format("{}: its domain of {} becomes exclusive, since {} keeps others out of it",
                                          titled(group), base::quoted(required.front()), annotation));
        return required.front();
    }

    // A sub-group that is only the leader is in one domain of every level.
    std::string sub_group_level() {
        const GroupFacts& shown = *sub_groups_.leaves.back();
        const auto& required = shown.group()->required;
        for (const GroupFacts* leaf : sub_groups_.leaves) {
            const bool is_leader = sub_groups_.is_leader_apart && leaf == sub_groups_.leaves.front();
            if (leaf->group()->required != required && !(is_leader && leaf->group()->required.empty())) {
                refuse(out_, fmt::format("{} and {} ask for unlike levels, sub-groups of a LeaderWorkerSet are alike",
                                         titled(*leaf), titled(shown)));
            }
        }
        return level_of(shown, "subgroup-exclusive-topology");
    }

    // What all pods have.
    [[nodiscard]] PodMembershipPatch marks(const std::string& own_level, const std::string& level) const {
        PodMembershipPatch common{
            .labels = {{key("name"), name_}, {key("group-index"), "0"}, {key("group-key"), name_ + "-0"}},
            .annotations = {{key("size"), std::to_string(size())}}};
        if (!own_level.empty())
            common.annotations.emplace(key("exclusive-topology"), own_level);
        if (sub_groups_.each == 0)
            return common;
        common.annotations.emplace(key("subgroup-size"), std::to_string(sub_groups_.each));
        if (sub_groups_.is_leader_apart)
            common.annotations.emplace(key("subgroup-policy-type"), "LeaderExcluded");
        if (!level.empty())
            common.annotations.emplace(key("subgroup-exclusive-topology"), level);
        return common;
    }

    void add_pods(const PodMembershipPatch& common) {
        PodTemplate leader{.object = 0, .at = "/spec/leaderWorkerTemplate/leaderTemplate", .pods = {}};
        PodTemplate workers{.object = 0, .at = "/spec/leaderWorkerTemplate/workerTemplate", .pods = {}};
        std::int64_t first = 0;  // Worker index of the leaf's first pod.
        for (std::size_t at = 0; at < sub_groups_.leaves.size(); ++at) {
            const GroupFacts& leaf = *sub_groups_.leaves[at];
            std::int64_t index = first;
            for (const model::PodFacts& row : leaf.pods) {
                PodMembershipPatch patch = common;
                const bool is_outside = sub_groups_.is_leader_apart && at == 0;
                if (sub_groups_.each > 0 && !is_outside)
                    patch.labels[key("subgroup-index")] = std::to_string(at - (sub_groups_.is_leader_apart ? 1 : 0));
                patch.labels[key("worker-index")] = std::to_string(index);
                (index == 0 ? leader : workers).pods.push_back(row.pod);
                out_.pods.emplace_back(row.pod, std::move(patch));
                ++index;
            }
            first += leaf.minimum();
        }
        if (leader.pods.empty())
            return refuse(out_, "its leader isn't in the input, whose pod is a template of the LeaderWorkerSet");
        if (workers.pods.empty()) {
            if (size() > 1)
                out_.losses.emplace_back("no worker is in the input, so its leader is their template");
            workers.pods = leader.pods;
        }
        out_.templates = {std::move(leader), std::move(workers)};
    }

    const GangFacts& facts_;
    Translation& out_;
    const std::string name_;
    const SubGroups sub_groups_;
};

}  // namespace

Translation to_leader_worker_set(const GangFacts& facts) {
    Translation out;
    check_gang(facts, {}, out);
    if (out.refusal.empty())
        SetWriter(facts, out).write();
    return out;
}

}  // namespace echelon::translate

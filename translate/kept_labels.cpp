#include "translate/kept_labels.hpp"

#include "base/quoted.hpp"
#include "kube/decode.hpp"
#include "translate/gang_parts.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace echelon::translate {

namespace {

using model::GangFacts;
using model::Group;
using model::GroupFacts;
using nlohmann::json;

std::optional<model::Membership> membership_of(const json& pod) {
    auto events = kube::decode(pod, kube::Change::seen);
    if (!events || events->empty() || !std::holds_alternative<model::PodSeen>(events->front()))
        return std::nullopt;
    return std::move(std::get<model::PodSeen>(events->front()).pod.membership);
}

// A pod that has the marks of the target, and nothing else.
json bare_pod(const model::Pod& pod, const PodMembershipPatch& marks) {
    json bare = {{"apiVersion", "v1"},
                 {"kind", "Pod"},
                 {"metadata", {{"name", pod.name}, {"namespace", pod.ns}, {"uid", pod.uid}}}};
    return repatched_pod(std::move(bare), marks, "");
}

// A level that the pod adds to a group which has none of that name; empty: none.
std::string added_level(const Group& added, const std::vector<const GroupFacts*>& holders) {
    for (const auto levels : {&Group::required, &Group::preferred}) {
        const auto is_added = [&](const std::string& level) {
            return std::ranges::none_of(holders, [&](const GroupFacts* holder) {
                const auto& stated = holder->group()->*levels;
                return std::ranges::find(stated, level) != stated.end();
            });
        };
        if (const auto level = std::ranges::find_if(added.*levels, is_added); level != (added.*levels).end())
            return *level;
    }
    return {};
}

class KeptLabels {
public:
    explicit KeptLabels(const GangFacts& facts) : facts_(facts) {
        for (const GroupFacts& group : facts.groups) {
            for (const model::PodFacts& row : group.pods)
                leaves_.emplace(row.pod, &group);
        }
    }

    [[nodiscard]] std::string fault_of(const model::Pod* pod, const PodMembershipPatch& marks,
                                       const json& written) const {
        const auto wanted = membership_of(bare_pod(*pod, marks));
        const auto found = membership_of(written);
        if (!wanted || !found)
            return {};  // Pods of no gang are reported elsewhere.
        const bool is_as_written = found->leaf == wanted->leaf;
        if (!is_as_written && group_of(found->leaf) == nullptr) {
            return fmt::format("pod {} keeps the labels of group {}, which have precedence over what is written",
                               base::quoted(pod->name), base::quoted(found->leaf.name));
        }
        for (const Group& added : found->declared) {
            if (!added.only_supplements || (is_as_written && added.key != found->leaf))
                continue;
            const auto holders = is_as_written ? leaf_and_above(pod) : only(group_of(added.key));
            if (holders.empty())
                continue;
            if (!added.problem.empty())
                return fmt::format("pod {}: {}", base::quoted(pod->name), added.problem);
            if (const std::string level = added_level(added, holders); !level.empty()) {
                return fmt::format("pod {} keeps the labels of group {}, so that the level {} would bind {}",
                                   base::quoted(pod->name), base::quoted(found->leaf.name), base::quoted(level),
                                   titled(*holders.front()));
            }
        }
        return {};
    }

private:
    [[nodiscard]] const GroupFacts* group_of(const model::GroupKey& key) const {
        const auto is_it = [&](const GroupFacts& group) { return group.branch.key == key && group.group() != nullptr; };
        const auto found = std::ranges::find_if(facts_.groups, is_it);
        return found == facts_.groups.end() ? nullptr : &*found;
    }

    static std::vector<const GroupFacts*> only(const GroupFacts* group) {
        return group == nullptr ? std::vector<const GroupFacts*>() : std::vector{group};
    }

    [[nodiscard]] std::vector<const GroupFacts*> leaf_and_above(const model::Pod* pod) const {
        std::vector<const GroupFacts*> groups = {leaves_.at(pod)};
        while (groups.back()->branch.depth > 1)
            groups.push_back(&facts_.groups[groups.back()->branch.parent]);
        return groups;
    }

    const GangFacts& facts_;
    std::map<const model::Pod*, const GroupFacts*> leaves_;
};

}  // namespace

std::string fault_of_kept_labels(const GangFacts& facts, const Translation& translation,
                                 const std::vector<json>& written) {
    const KeptLabels kept(facts);
    for (std::size_t at = 0; at < written.size(); ++at) {
        const auto& [pod, marks] = translation.pods[at];
        if (std::string fault = kept.fault_of(pod, marks, written[at]); !fault.empty())
            return fault;
    }
    return {};
}

}  // namespace echelon::translate

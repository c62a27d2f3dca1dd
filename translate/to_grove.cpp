// How does a gang become Grove's PodGang? It has up to three levels, and every group is needed.

#include "base/quoted.hpp"
#include "translate/gang_parts.hpp"
#include "translate/targets.hpp"
#include "translate/written_name.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace echelon::translate {

namespace {

using model::GangFacts;
using model::Group;
using model::GroupFacts;
using nlohmann::json;

constexpr std::uint32_t deepest_tree = 3;

class PodGangWriter {
public:
    PodGangWriter(const GangFacts& facts, Translation& out)
        : facts_(facts), out_(out), name_(written_name(gang_name(facts))) {}

    void write() {
        const GroupFacts& root = facts_.root();
        json spec = json::object();
        add_levels(root, spec);
        json leaves = json::array();
        json configs = json::array();
        for (const GroupFacts& group : facts_.groups) {
            check_gang(group);
            if (is_rest(group))
                continue;
            if (group.is_leaf()) {
                leaves.push_back(leaf_of(group));
            } else if (group.branch.depth > 1) {
                configs.push_back(config_of(group));
            }
        }
        spec["podgroups"] = std::move(leaves);
        if (!configs.empty())
            spec["topologyConstraintGroupConfigs"] = std::move(configs);
        if (const std::string& priority_class = root.group()->priority_class; !priority_class.empty())
            spec["priorityClassName"] = priority_class;
        json metadata = metadata_of(namespace_of(facts_), name_);
        if (!topology_.empty())
            metadata["annotations"] = {{"grove.io/topology-name", topology_}};
        out_.objects.push_back({{"apiVersion", "scheduler.grove.io/v1alpha1"},
                                {"kind", "PodGang"},
                                {"metadata", std::move(metadata)},
                                {"spec", std::move(spec)}});
    }

private:
    [[nodiscard]] std::string part(const GroupFacts& group) const {
        return written_name(path_name(facts_, group), false);
    }

    void check_gang(const GroupFacts& group) {
        if (group.branch.depth > deepest_tree)
            refuse(out_,
                   fmt::format("{} is at level {}, Grove has {}", titled(group), group.branch.depth, deepest_tree));
        if (!group.is_leaf() && !needs_all(group)) {
            refuse(out_, fmt::format("{} needs {} of {} groups; Grove needs all of them", titled(group),
                                     group.minimum(), group.children.size()));
        }
        check_floor(facts_, group, "Grove", out_);
        check_rest(group, out_);
    }

    json leaf_of(const GroupFacts& leaf) {
        json written = {{"name", part(leaf)}, {"minReplicas", leaf.minimum()}};
        json references = json::array();
        for (const model::PodFacts& row : leaf.pods) {
            references.push_back({{"namespace", row.pod->ns}, {"name", row.pod->name}});
            out_.pods.emplace_back(row.pod, PodMembershipPatch{.labels = {{std::string(grove_gang_label), name_},
                                                                          {"grove.io/podclique", part(leaf)}},
                                                               .annotations = {}});
        }
        if (!references.empty())
            written["podReferences"] = std::move(references);
        if (leaf.branch.depth > 1)
            add_levels(leaf, written);
        return written;
    }

    json config_of(const GroupFacts& group) {
        json names = json::array();
        for (const auto child : group.children) {
            if (!facts_.groups[child].is_leaf())
                refuse(out_, fmt::format("{} has groups of groups, Grove has one level below", titled(group)));
            names.push_back(part(facts_.groups[child]));
        }
        json written = {{"name", part(group)}, {"podGroupNames", std::move(names)}};
        add_levels(group, written);
        return written;
    }

    void add_levels(const GroupFacts& group, json& written) {
        const Group& declared = *group.group();
        check_required_levels(group, "Grove", out_);
        check_preferred_levels(group, "Grove", out_);
        json pack = json::object();
        if (!declared.required.empty())
            pack["required"] = declared.required.front();
        if (!declared.preferred.empty())
            pack["preferred"] = declared.preferred.front();
        if (pack.empty())
            return;
        written["topologyConstraint"] = {{"packConstraint", std::move(pack)}};
        if (declared.topology.empty())
            return;
        if (!topology_.empty() && topology_ != declared.topology) {
            refuse(out_, fmt::format("{} looks up its levels in another topology than the groups before, a PodGang "
                                     "names one",
                                     titled(group)));
        }
        topology_ = declared.topology;
    }

    const GangFacts& facts_;
    Translation& out_;
    const std::string name_;
    std::string topology_;
};

}  // namespace

Translation to_grove(const GangFacts& facts) {
    Translation out;
    check_gang(facts, {.priority_class = true, .ranks = true}, out);
    if (out.refusal.empty())
        PodGangWriter(facts, out).write();
    return out;
}

}  // namespace echelon::translate

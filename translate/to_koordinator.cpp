#include "base/quoted.hpp"
#include "kube/json/foreign_json.hpp"
#include "model/facts/topology.hpp"
#include "translate/gang_parts.hpp"
#include "translate/targets.hpp"
#include "translate/unlike_roles.hpp"
#include "translate/written_name.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::translate {

namespace {

using model::GangFacts;
using model::Group;
using model::GroupFacts;
using nlohmann::json;

constexpr std::string_view grove_root = "grove-podgang";
constexpr std::string_view prefix = "gang.scheduling.koordinator.sh/";

// Compares whole keys only; narrowest first.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> usual_layers = {{
    {"kubernetes.io/hostname", "hostLayer"},
    {"topology.kubernetes.io/rack", "rackLayer"},
    {"topology.kubernetes.io/block", "blockLayer"},
}};

class KoordinatorWriter {
public:
    KoordinatorWriter(const GangFacts& facts, const TranslationOptions& options, const TranslationTarget& known,
                      Translation& out)
        : facts_(facts),
          options_(options),
          known_(known),
          out_(out),
          ns_(namespace_of(facts)),
          gang_(gang_name(facts)),
          is_grove_(facts.root().branch.key.kind == grove_root) {}

    void write() {
        check_pod_class();
        std::set<std::string> names;
        for (const GroupFacts* leaf : leaves_of(facts_))
            names.insert(ns_ + "/" + name_of(*leaf));
        const std::string list = json(names).dump();
        for (const GroupFacts* leaf : leaves_of(facts_)) {
            out_.objects.push_back(pod_group(*leaf, list));
            PodMembershipPatch marks{.labels = {{std::string(koordinator_pod_label), name_of(*leaf)}},
                                     .annotations = {}};
            if (!options_.qos_class.empty())
                marks.labels.emplace(koordinator_qos_label, options_.qos_class);
            for (const model::PodFacts& row : leaf->pods)
                out_.pods.emplace_back(row.pod, marks);
        }
        compare_specs();
        warn_of_unlike_roles();
    }

private:
    [[nodiscard]] std::string name_of(const GroupFacts& leaf) const {
        return leaf.branch.depth == 1 ? written_name(gang_) : koordinator_name(gang_, path_name(facts_, leaf));
    }

    // Every PodGroup of the list is needed, and there is no level between the root and the leaves.
    void check_pod_class() {
        for (const GroupFacts& group : facts_.groups) {
            const Group& declared = *group.group();
            check_domain_rules(group, "Koordinator", out_);
            if (group.is_leaf())
                continue;
            const bool is_root = group.branch.depth == 1;
            if (is_grove_ && !is_root) {
                refuse(out_,
                       fmt::format("spec.topologyConstraintGroupConfigs ({}) can't be represented: one gang group "
                                   "of Koordinator has one constraint",
                                   part_name(facts_, group)));
            } else if (!is_root && has_levels(group)) {
                refuse(out_, fmt::format("{} has levels of its own, below the gang: Koordinator has one constraint for "
                                         "all PodGroups that are listed together",
                                         titled(group)));
            }
            if (!needs_all(group)) {
                refuse(out_, fmt::format("{} needs {} of {} groups; Koordinator needs all of them", titled(group),
                                         group.minimum(), group.children.size()));
            }
            std::int64_t counted = 0;
            for (const auto child : group.children)
                counted += fewest_pods(facts_, facts_.groups[child]);
            if (declared.floor > counted) {
                refuse(out_, fmt::format("{} needs {} pods in all, {} more than its groups: Koordinator counts each "
                                         "group alone",
                                         titled(group), declared.floor, declared.floor - counted));
            }
            if (!declared.multiples.empty())
                refuse(out_, fmt::format("{} has multiples, in Koordinator those of PodGroups alone", titled(group)));
        }
    }

    json pod_group(const GroupFacts& leaf, const std::string& list) {
        const std::string name = name_of(leaf);
        json metadata = metadata_of(ns_, name);
        json& annotations = metadata["annotations"];
        const auto annotate = [&annotations](std::string_view key, std::string value) {
            annotations[std::string(prefix).append(key)] = std::move(value);
        };
        annotate("groups", list);
        annotate("mode", options_.gang_mode);
        annotate("match-policy", leaf.group()->policy.counts_only_waiting ? "only-waiting" : options_.match_policy);
        const std::int64_t minimum = minimum_of(leaf, name);
        if (const auto expected = leaf.group()->expected; expected && *expected >= minimum)
            annotate("total-number", std::to_string(*expected));
        if (json spec = topology_spec(leaf); !spec.empty())
            annotate("network-topology-spec", json{{"gatherStrategy", std::move(spec)}}.dump());
        if (is_grove_)
            add_owner(metadata);
        const std::int64_t timeout = model::timeout_of(facts_).value_or(options_.schedule_timeout_seconds);
        return {{"apiVersion", "scheduling.sigs.k8s.io/v1alpha1"},
                {"kind", "PodGroup"},
                {"metadata", std::move(metadata)},
                {"spec", {{"minMember", minimum}, {"scheduleTimeoutSeconds", timeout}}}};
    }

    void add_owner(json& metadata) const {
        const Group& root = *facts_.root().group();
        metadata["labels"] = {{grove_gang_label, gang_}};
        if (root.uid.empty())
            return;  // Written by hand: there is no owner.
        metadata["ownerReferences"] = json::array({{{"apiVersion", root.api_version},
                                                    {"kind", root.api_kind},
                                                    {"name", gang_},
                                                    {"uid", root.uid},
                                                    {"controller", true},
                                                    {"blockOwnerDeletion", true}}});
    }

    // A minimum of 0 after the gang was placed means that fewer pods suffice from then on; the PodGroup keeps its old
    // one.
    std::int64_t minimum_of(const GroupFacts& leaf, const std::string& name) {
        if (leaf.minimum() > 0)
            return leaf.minimum();
        const auto last = known_.minimum_of ? known_.minimum_of(ns_ + "/" + name) : std::nullopt;
        if (last && *last > 0)
            return *last;
        out_.losses.push_back(
            fmt::format("{}: its minimum of 0 becomes 1, the least that Koordinator knows", titled(leaf)));
        return 1;
    }

    // Koordinator's layer for a level; empty: there is none.
    [[nodiscard]] std::string layer_of(const std::string& level) const {
        std::string layer = koordinator_layer(level, options_);
        const bool is_built_in = layer == model::whole_cluster_level || layer == model::node_layer;
        const bool is_there = is_built_in || !known_.layers || known_layer(layer) != nullptr;
        return is_there ? layer : std::string();
    }

    [[nodiscard]] const Layer* known_layer(const std::string& layer) const {
        if (!known_.layers)
            return nullptr;
        const auto found = std::ranges::find(*known_.layers, layer, &Layer::name);
        return found == known_.layers->end() ? nullptr : &*found;
    }

    // The wider the layer, the smaller; nullopt: not known.
    [[nodiscard]] std::optional<std::ptrdiff_t> depth_of(const std::string& layer) const {
        if (layer == model::whole_cluster_level)
            return -1;
        if (layer == model::node_layer)
            return std::numeric_limits<std::ptrdiff_t>::max();
        if (const Layer* known = known_layer(layer); known != nullptr)
            return known - known_.layers->data();
        const auto usual = std::ranges::find(usual_layers, layer, [](const auto& row) { return row.second; });
        const bool is_known = !known_.layers && usual != usual_layers.end();
        return is_known ? std::optional(usual_layers.end() - usual) : std::nullopt;
    }

    struct RequiredLayer {
        const GroupFacts* said;
        std::string level;
        std::string layer;
    };

    // True if pods in one domain of the first layer are in one domain of the other, too.
    bool implies(const RequiredLayer& one, const RequiredLayer& other) {
        if (one.layer == other.layer)
            return true;
        const auto depth = depth_of(one.layer);
        const auto wider = depth_of(other.layer);
        if (depth && wider)
            return *wider < *depth;
        refuse(out_, fmt::format("Koordinator applies the wider of the levels {} and {} to all groups, and which one "
                                 "that is isn't known without the ClusterNetworkTopology \"default\"",
                                 base::quoted(one.level), base::quoted(other.level)));
        return false;
    }

    // The layers that a PodGroup must gather in, without those that the gang's narrower ones imply (D3): Koordinator
    // binds all PodGroups by the widest layer of the list (Z41). A lone PodGroup is bound by each of them.
    std::vector<RequiredLayer> required_layers(const GroupFacts& leaf) {
        const GroupFacts& root = facts_.root();
        const bool is_alone = leaves_of(facts_).size() == 1;
        std::vector<RequiredLayer> layers;
        for (const GroupFacts* said : {&root, &leaf}) {
            for (const std::string& level : said->group()->required) {
                RequiredLayer here{.said = said, .level = level, .layer = layer_of(level)};
                if (here.layer.empty()) {
                    refuse(out_, fmt::format("{}: the required level {} {}", titled(*said), base::quoted(level),
                                             why_no_layer(level)));
                    continue;
                }
                const auto implies_it = [&](const RequiredLayer& kept) {
                    return kept.said == &root && implies(kept, here);
                };
                if (!is_alone && std::ranges::any_of(layers, implies_it))
                    continue;
                if (!is_alone && said == &root)
                    std::erase_if(layers, [&](const RequiredLayer& kept) { return implies(here, kept); });
                layers.push_back(std::move(here));
            }
        }
        return layers;
    }

    [[nodiscard]] std::string why_no_layer(const std::string& level) const {
        const auto own = options_.layers.find(level);
        const auto usual = std::ranges::find(usual_layers, level, [](const auto& row) { return row.first; });
        if (own == options_.layers.end() && usual == usual_layers.end())
            return "is mapped to no layer (translation.topologyKeyMappings)";
        const std::string layer(own != options_.layers.end() ? std::string_view(own->second) : usual->second);
        return fmt::format("is mapped to layer {}, which the ClusterNetworkTopology \"default\" doesn't have",
                           base::quoted(layer));
    }

    // Required levels of the gang and of the group both apply (Z25). Preferred levels of the group replace those of the
    // gang.
    json topology_spec(const GroupFacts& leaf) {
        auto multiples = leaf.group()->multiples;
        json entries = json::array();
        std::set<std::string> gathered;
        const auto gather = [&](const GroupFacts& said, const std::string& level, const std::string& layer,
                                const char* strategy) {
            if (!gathered.insert(layer).second)
                return;
            json entry = {{"layer", layer}, {"strategy", strategy}};
            if (const auto multiple = multiples.extract(level))
                entry["podCountMultiple"] = multiple.mapped();
            compare_labels(said, level, layer);
            entries.push_back(std::move(entry));
        };
        for (const RequiredLayer& must : required_layers(leaf))
            gather(*must.said, must.level, must.layer, "MustGather");
        const GroupFacts& preferring = leaf.group()->preferred.empty() ? facts_.root() : leaf;
        for (const std::string& level : preferring.group()->preferred) {
            if (const std::string layer = layer_of(level); !layer.empty()) {
                gather(preferring, level, layer, "PreferGather");
            } else {
                lose(fmt::format("{}: the preferred level {} {}, and is lost", titled(preferring), base::quoted(level),
                                 why_no_layer(level)));
            }
        }
        for (const auto& [level, multiple] : multiples) {
            refuse(out_, fmt::format("{}: the multiple of {} at {} belongs to no level that is asked for", titled(leaf),
                                     multiple, base::quoted(level)));
        }
        return entries;
    }

    void compare_labels(const GroupFacts& said, const std::string& level, const std::string& layer) {
        const Layer* known = known_layer(layer);
        if (known == nullptr || known->labels.contains(level))
            return;
        lose(fmt::format(
            "{}: the level {} becomes layer {}, which the ClusterNetworkTopology \"default\" makes of other "
            "labels",
            titled(said), base::quoted(level), base::quoted(layer)));
    }

    // Added once, although it concerns every PodGroup.
    void lose(std::string sentence) {
        if (std::ranges::find(out_.losses, sentence) == out_.losses.end())
            out_.losses.push_back(std::move(sentence));
    }

    // Koordinator applies the rule of the first PodGroup to all of them.
    void compare_specs() {
        const auto key = std::string(prefix) + "network-topology-spec";
        const auto spec_of = [&key](const json& object) {
            return kube::text_in(object["metadata"]["annotations"], key);
        };
        const auto leaves = leaves_of(facts_);
        for (std::size_t at = 1; at < leaves.size(); ++at) {
            if (spec_of(out_.objects[at]) == spec_of(out_.objects.front()))
                continue;
            return refuse(out_,
                          fmt::format("{} and {} have different constraints, and Koordinator takes one of them for "
                                      "both",
                                      titled(*leaves.front()), titled(*leaves[at])));
        }
        const bool is_narrowed =
            leaves.size() > 1 && !leaves.front()->group()->required.empty() && facts_.root().group()->required.empty();
        if (is_narrowed) {
            out_.losses.emplace_back(
                "each of its groups asks for a level by itself, Koordinator puts all of them into one domain of it");
        }
    }

    void warn_of_unlike_roles() {
        const model::PodClass* first = nullptr;
        const GroupFacts* of = nullptr;
        for (const GroupFacts* leaf : leaves_of(facts_)) {
            for (const model::PodFacts& row : leaf->pods) {
                if (first == nullptr) {
                    first = &row.pod->pod_class;
                    of = leaf;
                }
                if (row.pod->pod_class.requests == first->requests)
                    continue;
                out_.losses.push_back(unlike_roles_sentence(of->branch.key.name, leaf->branch.key.name));
                return;
            }
        }
    }

    const GangFacts& facts_;
    const TranslationOptions& options_;
    const TranslationTarget& known_;
    Translation& out_;
    const std::string ns_;
    const std::string gang_;
    const bool is_grove_;
};

}  // namespace

std::string koordinator_layer(const std::string& level, const TranslationOptions& options) {
    if (const auto own = options.layers.find(level); own != options.layers.end())
        return own->second;
    const auto usual = std::ranges::find(usual_layers, level, [](const auto& row) { return row.first; });
    return usual == usual_layers.end() ? std::string() : std::string(usual->second);
}

std::string koordinator_name(std::string_view gang, std::string_view podgroup) {
    return written_name(fmt::format("{}-{}", gang, podgroup));
}

Translation to_koordinator(const GangFacts& facts, const TranslationOptions& options, const TranslationTarget& known) {
    Translation out;
    check_gang(facts, {.pod_protection = true, .expected = true, .timeout = true, .counts_only_waiting = true}, out);
    if (out.refusal.empty())
        KoordinatorWriter(facts, options, known, out).write();
    for (auto& [pod, marks] : out.pods) {
        if (pod->is_protected)
            marks.labels.emplace("quota.scheduling.koordinator.sh/preemptible", "false");
    }
    return out;
}

}  // namespace echelon::translate

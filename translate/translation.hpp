#pragma once

// How does a gang that one dialect describes look in another one? The objects, what its pods carry, and what is lost.
//
// Pure and thread-safe. Written from the tree that the model keeps, so whatever is read can be translated. A promise
// that can't be kept (a required level, a multiple) refuses the gang, since nobody would notice that it is gone; what
// else can't be said is a sentence in `losses`. Levels aren't looked up: their names go over as they are, or as the
// target calls them.
//
//   target             objects                                    what it can't say
//   echelon            one Gang with the whole tree               several required levels of one group
//   koordinator        a PodGroup per leaf, each lists all        K of N, levels between root and leaf
//   volcano            one PodGroup, a policy per group           levels but those of HyperNodes, deeper trees
//   kai                one PodGroup, a sub-group per group        floors, levels without the name of a topology
//   scheduler_plugins  one PodGroup with the sum of minimums      any level, minimums of parts
//   grove              a PodGang with a podgroup per leaf         K of N, deeper trees
//   kueue              a Workload with a PodSet per leaf          extras, levels around several PodSets
//   kubernetes_1_37    a PodGroup or CompositePodGroup per group  preferred levels, floors, groups that need nothing
//   kubernetes_1_36    a PodGroup                                 groups of groups
//   kubernetes_1_35    a Workload                                 the same, and levels

#include "model/facts/pod.hpp"
#include "model/facts/topology.hpp"
#include "model/gang/gang_facts.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace echelon::translate {

enum class Dialect : std::uint8_t {
    echelon,
    koordinator,
    volcano,
    kai,
    scheduler_plugins,
    grove,
    kueue,
    kubernetes_1_35,
    kubernetes_1_36,
    kubernetes_1_37,
};

struct TranslationOptions {
    // Of Koordinator, as its annotations and labels spell them.
    std::string gang_mode = "Strict";
    std::string match_policy = "once-satisfied";
    std::int64_t schedule_timeout_seconds = 30;
    std::string qos_class;                      // Label of pods; empty: none.
    std::map<std::string, std::string> layers;  // Label key -> layer; goes before the usual ones.
};

using Layers = std::map<std::string, std::set<std::string>>;  // Layer -> node labels that it is made of.

// What the cluster has of the target already, as far as it is known.
struct TranslationTarget {
    std::optional<Layers> layers = {};      // That Koordinator has; absent: not known, and not checked.
    std::set<std::string> tier_names = {};  // Of HyperNodes.
    // Topology objects that list a level by key or alias: level -> names, for KAI.
    std::map<std::string, std::set<std::string>> topologies = {};
    // minMember of Koordinator's PodGroup "namespace/name", if there is one.
    std::function<std::optional<std::int64_t>(const std::string& full_name)> minimum_of = {};
};

// What a pod gets instead of the marks by which it named its group.
struct PodMembershipPatch {
    std::map<std::string, std::string> labels;
    std::map<std::string, std::string> annotations;
    nlohmann::json spec = nlohmann::json::object();  // Fields of the pod's spec.

    bool operator==(const PodMembershipPatch&) const = default;
};

struct Translation {
    std::vector<nlohmann::json> objects;
    std::vector<std::pair<const model::Pod*, PodMembershipPatch>> pods;  // Leaf by leaf, in rank order.
    std::vector<std::string> losses;                                     // Without the gang's name and a period.
    std::string refusal;                                                 // Not empty: nothing is written, and why.
};

[[nodiscard]] Translation translate(const model::GangFacts& facts, Dialect target, const TranslationOptions& options,
                                    const TranslationTarget& known);

// The layers of Koordinator's ClusterNetworkTopology "default"; nullopt: it is another topology.
[[nodiscard]] std::optional<Layers> layers_of(const model::Topology& topology);

// Group objects of this version are the target's own.
[[nodiscard]] bool is_own_version(Dialect target, std::string_view api_version);
// Pods of it name this scheduler, as a rule.
[[nodiscard]] std::string_view usual_scheduler_of(Dialect target);

// A pod as it would be created for the target: of this scheduler, with these marks, and without those that name a group
// in a dialect which goes before workload labels (docs/dialects.md); without our gate, if it leaves
// us.
[[nodiscard]] nlohmann::json repatched_pod(nlohmann::json pod, const PodMembershipPatch& marks,
                                           std::string_view scheduler);

}  // namespace echelon::translate

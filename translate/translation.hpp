#pragma once

// How is a gang of one dialect written in another one? As objects, as labels and annotations of pods, and as losses.
//
// Pure and thread-safe. Works on the model's tree, so every dialect that is read can be translated. A constraint that
// the target can't express (a required level, a multiple) refuses the gang, since its loss would go unnoticed.
// Everything else is a sentence in `losses`. Levels keep their names, or get the target's name for them; they are not
// looked up.
//
//   target             objects                                    what it can't express
//   echelon            one Gang with the whole tree               several required levels of one group
//   koordinator        a PodGroup per leaf, each lists all        K of N, levels between root and leaf
//   volcano            one PodGroup, a policy per group           levels but those of HyperNodes, deeper trees
//   kai                one PodGroup, a sub-group per group        floors, levels without the name of a topology
//   scheduler_plugins  one PodGroup with the sum of minimums      any level, minimums of parts
//   grove              a PodGang with a podgroup per leaf         K of N, deeper trees
//   kueue              a Workload with a PodSet per leaf          extras, levels around several PodSets
//   leader_worker_set  a LeaderWorkerSet with a sub-group per leaf   extras, groups or pods that are unlike
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
    leader_worker_set,
    kubernetes_1_35,
    kubernetes_1_36,
    kubernetes_1_37,
};

struct TranslationOptions {
    // For Koordinator; values of annotations and labels.
    std::string gang_mode = "Strict";
    std::string match_policy = "once-satisfied";
    std::int64_t schedule_timeout_seconds = 30;
    std::string qos_class;                      // Label of pods; empty: none.
    std::map<std::string, std::string> layers;  // Label key -> layer; wins over the usual names.
};

struct Layer {
    std::string name;
    std::set<std::string> labels;

    bool operator==(const Layer&) const = default;
};
using Layers = std::vector<Layer>;  // Widest first.

// What is known of the target in the cluster.
struct TranslationTarget {
    std::optional<Layers> layers = {};      // Koordinator's; absent: not known, and not checked.
    std::set<std::string> tier_names = {};  // Tier names of HyperNodes.
    // KAI's usable Topology objects that list a level by key or alias: level -> names.
    std::map<std::string, std::set<std::string>> topologies = {};
    // minMember of Koordinator's PodGroup "namespace/name", if there is one.
    std::function<std::optional<std::int64_t>(const std::string& full_name)> minimum_of = {};
};

// Labels, annotations and spec fields by which a pod names its group in the target.
struct PodMembershipPatch {
    std::map<std::string, std::string> labels;
    std::map<std::string, std::string> annotations;
    nlohmann::json spec = nlohmann::json::object();  // Fields of the pod's spec; null removes one.

    bool operator==(const PodMembershipPatch&) const = default;
};

// A template in an object, made of pods that must be alike.
struct PodTemplate {
    std::size_t object = 0;               // Index in `Translation::objects`.
    std::string at;                       // JSON pointer (RFC 6901).
    std::vector<const model::Pod*> pods;  // At least one.
};

struct Translation {
    std::vector<nlohmann::json> objects;
    std::vector<PodTemplate> templates;                                  // The caller fills them; see `template_of`.
    std::vector<std::pair<const model::Pod*, PodMembershipPatch>> pods;  // Leaf by leaf, in rank order.
    std::vector<std::string> losses;                                     // Without the gang's name and a period.
    std::string refusal;                                                 // Not empty: why nothing is written.
};

[[nodiscard]] Translation translate(const model::GangFacts& facts, Dialect target, const TranslationOptions& options,
                                    const TranslationTarget& known);

// The layers of Koordinator's ClusterNetworkTopology "default"; nullopt: it is another topology.
[[nodiscard]] std::optional<Layers> layers_of(const model::Topology& topology);

// True if group objects of this apiVersion belong to the target.
[[nodiscard]] bool is_own_version(Dialect target, std::string_view api_version);
// The schedulerName that pods of the target usually have.
[[nodiscard]] std::string_view usual_scheduler_of(Dialect target);

// A pod as it would be created for the target: with this scheduler and this patch. Labels and annotations of dialects
// that have precedence (docs/dialects.md) are removed, and so is Kueue's topology request, which the groups state.
// echelon's gate is removed if the target isn't echelon.
[[nodiscard]] nlohmann::json repatched_pod(nlohmann::json pod, const PodMembershipPatch& marks,
                                           std::string_view scheduler);

}  // namespace echelon::translate

#pragma once

// What of a PodCliqueSet of Grove can't be kept by Koordinator? Judged when it is created or changed, so that its
// author is told and not its pods.
//
//   annotation grove.io/mnnvl-group (but for "none"), grove.io/auto-mnnvl: enabled
//                                    multi-node NVLink: on the set, a clique or a scaling group
//   spec.template.podCliqueScalingGroups[].topologyConstraint
//                                    one gang group has one constraint
//   spec.template.cliques[].spec.podSpec.schedulerName
//                                    its scheduler: only sets that name the backend are judged
//
// Pure and thread-safe.

#include "kube/json/field.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace echelon::translate {

// Pods and PodCliqueSets of Grove whose schedulerName is this are scheduled by Koordinator.
struct KoordinatorBackend {
    std::string scheduler_name;
    std::string qos_class;  // Of pods that state none; empty: none.
};

// One sentence each, without places in lists: a change of order makes no new one. Empty of a set for another scheduler.
[[nodiscard]] std::vector<std::string> violations_of(const kube::Field& set, const KoordinatorBackend& backend);
// The same, whatever scheduler it names.
[[nodiscard]] std::vector<std::string> violations_of(const kube::Field& set);

// Which set does a PodGang come from? By its owner, else by the label of the whole that it is a part of; empty:
// neither.
[[nodiscard]] std::string clique_set_of(const nlohmann::json& pod_gang);

// Why nothing of a set's gangs is written for Koordinator: the webhook wasn't there when it came, or it names no
// scheduler (K10). Empty: no reason. `scheduler_name`: only sets that name it are judged; empty: any.
[[nodiscard]] std::string refusal_by(const nlohmann::json& set, const std::string& scheduler_name);

}  // namespace echelon::translate

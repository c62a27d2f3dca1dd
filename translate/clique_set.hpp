#pragma once

// Which parts of Grove's PodCliqueSet can Koordinator not honour? Checked by the webhook when the set is written, so
// that its author sees the errors.
//
//   annotation grove.io/mnnvl-group (except "none"), grove.io/auto-mnnvl: enabled
//                                    multi-node NVLink: on the set, a clique or a scaling group
//   spec.template.podCliqueScalingGroups[].topologyConstraint
//                                    Koordinator has one constraint per gang group
//   spec.template.cliques[].spec.podSpec.schedulerName
//                                    decides whether the set is checked
//
// Pure and thread-safe.

#include "kube/json/field.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace echelon::translate {

// Koordinator as Grove's scheduler backend: it schedules pods and PodCliqueSets with this schedulerName.
struct KoordinatorBackend {
    std::string scheduler_name;
    std::string qos_class;  // For pods that state none; empty: none.
};

// One sentence per violation, without list indexes, so that reordering a list adds none. Empty for a set with another
// scheduler.
[[nodiscard]] std::vector<std::string> violations_of(const kube::Field& set, const KoordinatorBackend& backend);
// The same for any scheduler.
[[nodiscard]] std::vector<std::string> violations_of(const kube::Field& set);

// The name of the set that created a PodGang, from its owner or its label app.kubernetes.io/part-of; empty: unknown.
[[nodiscard]] std::string clique_set_of(const nlohmann::json& pod_gang);

// Why gangs of a set are not translated for Koordinator: its violations, which a missing webhook did not catch (K10).
// Empty: no reason. `scheduler_name`: only sets that name it are checked; empty: all.
[[nodiscard]] std::string refusal_by(const nlohmann::json& set, const std::string& scheduler_name);

}  // namespace echelon::translate

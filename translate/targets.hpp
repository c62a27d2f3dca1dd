#pragma once

// In which dialects can a gang be written? One function each; the types are in `translation.hpp`.
//
// Pure.

#include "model/gang/gang_facts.hpp"
#include "translate/translation.hpp"

#include <string>
#include <string_view>

namespace echelon::translate {

[[nodiscard]] Translation to_echelon(const model::GangFacts& facts);
[[nodiscard]] Translation to_volcano(const model::GangFacts& facts, const TranslationTarget& known);
[[nodiscard]] Translation to_kai(const model::GangFacts& facts, const TranslationTarget& known);
[[nodiscard]] Translation to_scheduler_plugins(const model::GangFacts& facts);
[[nodiscard]] Translation to_grove(const model::GangFacts& facts);
[[nodiscard]] Translation to_kueue(const model::GangFacts& facts);
[[nodiscard]] Translation to_leader_worker_set(const model::GangFacts& facts);
// `release`: one of kubernetes_1_35 to kubernetes_1_37.
[[nodiscard]] Translation to_kubernetes(const model::GangFacts& facts, Dialect release);

// One PodGroup per leaf, which all list each other. If the gang is a PodGang of Grove, it owns them, and they have its
// label. Required levels of the gang apply to each PodGroup, in addition to the group's own (Z25). Koordinator applies
// the rule of one listed PodGroup to all of them, so a gang with different rules is refused.
[[nodiscard]] Translation to_koordinator(const model::GangFacts& facts, const TranslationOptions& options,
                                         const TranslationTarget& known);
// The name of the PodGroup for a podgroup of a PodGang. Pods of the podgroup have it as a label value, too.
[[nodiscard]] std::string koordinator_name(std::string_view gang, std::string_view podgroup);

// Koordinator's name of a level; empty: not known.
[[nodiscard]] std::string koordinator_layer(const std::string& level, const TranslationOptions& options);

inline constexpr std::string_view koordinator_pod_label = "pod-group.scheduling.sigs.k8s.io";
inline constexpr std::string_view koordinator_qos_label = "koordinator.sh/qosClass";
inline constexpr std::string_view grove_gang_label = "grove.io/podgang";

}  // namespace echelon::translate

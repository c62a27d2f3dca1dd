#pragma once

// The dialects that a gang can be written in, one function each. What they need to know is in `translation.hpp`.
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
// `release`: one of kubernetes_1_35 to kubernetes_1_37.
[[nodiscard]] Translation to_kubernetes(const model::GangFacts& facts, Dialect release);

// A PodGroup for each leaf, which all list each other. Of a PodGang of Grove each is owned by it and bears its label.
// What the gang requires binds each PodGroup, beside what the group itself requires (Z25); since Koordinator keeps the
// rule of one PodGroup for all that are listed, different ones refuse the gang.
[[nodiscard]] Translation to_koordinator(const model::GangFacts& facts, const TranslationOptions& options,
                                         const TranslationTarget& known);
// What the PodGroup of a podgroup of a gang is called, and so the label of its pods.
[[nodiscard]] std::string koordinator_name(std::string_view gang, std::string_view podgroup);

// What a level is called there; empty: nobody has said.
[[nodiscard]] std::string koordinator_layer(const std::string& level, const TranslationOptions& options);

inline constexpr std::string_view koordinator_pod_label = "pod-group.scheduling.sigs.k8s.io";
inline constexpr std::string_view koordinator_qos_label = "koordinator.sh/qosClass";
inline constexpr std::string_view grove_gang_label = "grove.io/podgang";

}  // namespace echelon::translate

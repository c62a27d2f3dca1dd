#pragma once

// Which fields does a recording keep of the engine's inputs and actions, and under which names?
//
// All of them, as in recorded_facts.hpp. Plain tables.

#include "engine/engine.hpp"
#include "replay/recorded_devices.hpp"
#include "replay/recorded_facts.hpp"
#include "replay/recorded_names.hpp"

#include <array>
#include <string_view>
#include <tuple>

namespace echelon::replay {

template <>
struct Recorded<model::PodRef> : Names<"ns", "name", "uid"> {};
template <>
struct Recorded<model::Outcome> : Names<"kind", "sentence", "node", "uid", "generation", "budget", "isTooLarge"> {};
template <>
struct Recorded<model::NodeSeen> : Names<"node"> {};
template <>
struct Recorded<model::NodeGone> : Names<"name"> {};
template <>
struct Recorded<model::PodSeen> : Names<"pod", "labels", "claims"> {};
template <>
struct Recorded<model::NodeZonesSeen> : Names<"zones", "boundSince"> {};
template <>
struct Recorded<model::NodeZonesGone> : Names<"node"> {};
template <>
struct Recorded<model::PodGone> : Names<"uid"> {};
template <>
struct Recorded<model::GroupSeen> : Names<"group"> {};
template <>
struct Recorded<model::GroupGone> : Names<"key", "uid"> {};
template <>
struct Recorded<model::GroupSetSeen> : Names<"set"> {};
template <>
struct Recorded<model::GroupSetGone> : Names<"owner", "uid"> {};
template <>
struct Recorded<model::TopologySeen> : Names<"topology"> {};
template <>
struct Recorded<model::TopologyGone> : Names<"source", "apiKind", "name"> {};
template <>
struct Recorded<model::DomainSeen> : Names<"domain"> {};
template <>
struct Recorded<model::DomainGone> : Names<"name"> {};
template <>
struct Recorded<model::PriorityClassSeen> : Names<"name", "value", "preempts", "isDefault"> {};
template <>
struct Recorded<model::JobSeen> : Names<"uid", "ends"> {};
template <>
struct Recorded<model::JobGone> : Names<"uid"> {};
template <>
struct Recorded<model::BudgetSeen> : Names<"budget"> {};
template <>
struct Recorded<model::BudgetGone> : Names<"ns", "name"> {};
template <>
struct Recorded<model::PriorityClassGone> : Names<"name"> {};
template <>
struct Recorded<model::PlanSeen> : Names<"record", "uid"> {};
template <>
struct Recorded<model::PlanGone> : Names<"ns", "name"> {};
template <>
struct Recorded<model::Synced> : Names<"what"> {};
template <>
struct Recorded<engine::Observed> : Names<"event"> {};
template <>
struct Recorded<engine::Filtered> : Names<"uid", "answer", "names", "node", "isExempt"> {};
template <>
struct Recorded<engine::BindCalled> : Names<"call", "pod", "node"> {};
template <>
struct Recorded<engine::CallerGone> : Names<"call"> {};
template <>
struct Recorded<engine::Written> : Names<"write", "outcome"> {};
template <>
struct Recorded<engine::SearchEnded> : Names<"search"> {};
template <>
struct Recorded<engine::LeadChanged> : Names<"leads", "until"> {};
template <>
struct Recorded<model::BindPod> : Names<"pod", "node", "plan"> {};
template <>
struct Recorded<model::NominatePod> : Names<"pod", "node"> {};
template <>
struct Recorded<model::UngatePod> : Names<"pod"> {};
template <>
struct Recorded<model::KickPod> : Names<"pod", "value", "byLabel"> {};
template <>
struct Recorded<model::EvictPod> : Names<"pod"> {};
template <>
struct Recorded<model::ApplyPlan> : Names<"record"> {};
template <>
struct Recorded<model::DeletePlan> : Names<"ns", "name", "uid"> {};
template <>
struct Recorded<model::ReadPod> : Names<"pod"> {};
template <>
struct Recorded<model::ReadGroup> : Names<"apiVersion", "apiKind", "ns", "name"> {};
template <>
struct Recorded<model::EmitGangEvent>
    : Names<"ns", "plan", "aboutApiVersion", "aboutKind", "aboutName", "aboutUid", "reason", "sentence", "isWarning"> {
};
template <>
struct Recorded<model::WritePlacementScore> : Names<"apiVersion", "apiKind", "ns", "name", "uid", "perMille"> {};
template <>
struct Recorded<model::WriteGroupCondition> : Names<"apiVersion", "apiKind", "ns", "name", "uid", "version", "type",
                                                    "isMet", "reason", "message", "generation", "isTransition"> {};
template <>
struct Recorded<engine::StartWrite> : Names<"write", "what"> {};
template <>
struct Recorded<engine::AnswerBind> : Names<"call", "result", "error"> {};
template <>
struct Recorded<engine::StartSearch> {
    static constexpr std::array<std::string_view, 1> names = {"search"};
    static auto fields(auto& all) { return std::tie(all.search); }
};
template <>
struct Recorded<engine::Note> : Names<"level", "gang", "sentence", "pod", "err"> {};

}  // namespace echelon::replay

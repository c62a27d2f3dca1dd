#pragma once

// Which fields does a recording keep of the engine's inputs and actions, and under which names?
//
// All of them, as in recorded_facts.hpp. Plain tables.

#include "engine/engine.hpp"
#include "replay/recorded_devices.hpp"
#include "replay/recorded_facts.hpp"

#include <array>
#include <string_view>
#include <tuple>

namespace echelon::replay {

template <>
struct Recorded<model::PodRef> {
    static constexpr std::array<std::string_view, 3> names = {"ns", "name", "uid"};
    static auto fields(auto& all) {
        auto& [ns, name, uid] = all;
        return std::tie(ns, name, uid);
    }
};
template <>
struct Recorded<model::Outcome> {
    static constexpr std::array<std::string_view, 7> names = {"kind",       "sentence", "node",      "uid",
                                                              "generation", "budget",   "isTooLarge"};
    static auto fields(auto& all) {
        auto& [kind, sentence, node, uid, generation, budget, is_too_large] = all;
        return std::tie(kind, sentence, node, uid, generation, budget, is_too_large);
    }
};
template <>
struct Recorded<model::NodeSeen> {
    static constexpr std::array<std::string_view, 1> names = {"node"};
    static auto fields(auto& all) {
        auto& [node] = all;
        return std::tie(node);
    }
};
template <>
struct Recorded<model::NodeGone> {
    static constexpr std::array<std::string_view, 1> names = {"name"};
    static auto fields(auto& all) {
        auto& [name] = all;
        return std::tie(name);
    }
};
template <>
struct Recorded<model::PodSeen> {
    static constexpr std::array<std::string_view, 3> names = {"pod", "labels", "claims"};
    static auto fields(auto& all) {
        auto& [pod, labels, claims] = all;
        return std::tie(pod, labels, claims);
    }
};
template <>
struct Recorded<model::NodeZonesSeen> {
    static constexpr std::array<std::string_view, 2> names = {"zones", "boundSince"};
    static auto fields(auto& all) {
        auto& [zones, bound_since] = all;
        return std::tie(zones, bound_since);
    }
};
template <>
struct Recorded<model::NodeZonesGone> {
    static constexpr std::array<std::string_view, 1> names = {"node"};
    static auto fields(auto& all) {
        auto& [node] = all;
        return std::tie(node);
    }
};
template <>
struct Recorded<model::PodGone> {
    static constexpr std::array<std::string_view, 1> names = {"uid"};
    static auto fields(auto& all) {
        auto& [uid] = all;
        return std::tie(uid);
    }
};
template <>
struct Recorded<model::GroupSeen> {
    static constexpr std::array<std::string_view, 1> names = {"group"};
    static auto fields(auto& all) {
        auto& [group] = all;
        return std::tie(group);
    }
};
template <>
struct Recorded<model::GroupGone> {
    static constexpr std::array<std::string_view, 2> names = {"key", "uid"};
    static auto fields(auto& all) {
        auto& [key, uid] = all;
        return std::tie(key, uid);
    }
};
template <>
struct Recorded<model::GroupSetSeen> {
    static constexpr std::array<std::string_view, 1> names = {"set"};
    static auto fields(auto& all) {
        auto& [set] = all;
        return std::tie(set);
    }
};
template <>
struct Recorded<model::GroupSetGone> {
    static constexpr std::array<std::string_view, 2> names = {"owner", "uid"};
    static auto fields(auto& all) {
        auto& [owner, uid] = all;
        return std::tie(owner, uid);
    }
};
template <>
struct Recorded<model::TopologySeen> {
    static constexpr std::array<std::string_view, 1> names = {"topology"};
    static auto fields(auto& all) {
        auto& [topology] = all;
        return std::tie(topology);
    }
};
template <>
struct Recorded<model::TopologyGone> {
    static constexpr std::array<std::string_view, 3> names = {"source", "apiKind", "name"};
    static auto fields(auto& all) {
        auto& [source, api_kind, name] = all;
        return std::tie(source, api_kind, name);
    }
};
template <>
struct Recorded<model::DomainSeen> {
    static constexpr std::array<std::string_view, 1> names = {"domain"};
    static auto fields(auto& all) {
        auto& [domain] = all;
        return std::tie(domain);
    }
};
template <>
struct Recorded<model::DomainGone> {
    static constexpr std::array<std::string_view, 1> names = {"name"};
    static auto fields(auto& all) {
        auto& [name] = all;
        return std::tie(name);
    }
};
template <>
struct Recorded<model::PriorityClassSeen> {
    static constexpr std::array<std::string_view, 3> names = {"name", "value", "preempts"};
    static auto fields(auto& all) {
        auto& [name, value, preempts] = all;
        return std::tie(name, value, preempts);
    }
};
template <>
struct Recorded<model::JobSeen> {
    static constexpr std::array<std::string_view, 2> names = {"uid", "ends"};
    static auto fields(auto& all) {
        auto& [uid, ends] = all;
        return std::tie(uid, ends);
    }
};
template <>
struct Recorded<model::JobGone> {
    static constexpr std::array<std::string_view, 1> names = {"uid"};
    static auto fields(auto& all) {
        auto& [uid] = all;
        return std::tie(uid);
    }
};
template <>
struct Recorded<model::BudgetSeen> {
    static constexpr std::array<std::string_view, 1> names = {"budget"};
    static auto fields(auto& all) {
        auto& [budget] = all;
        return std::tie(budget);
    }
};
template <>
struct Recorded<model::BudgetGone> {
    static constexpr std::array<std::string_view, 2> names = {"ns", "name"};
    static auto fields(auto& all) {
        auto& [ns, name] = all;
        return std::tie(ns, name);
    }
};
template <>
struct Recorded<model::PriorityClassGone> {
    static constexpr std::array<std::string_view, 1> names = {"name"};
    static auto fields(auto& all) {
        auto& [name] = all;
        return std::tie(name);
    }
};
template <>
struct Recorded<model::PlanSeen> {
    static constexpr std::array<std::string_view, 2> names = {"record", "uid"};
    static auto fields(auto& all) {
        auto& [record, uid] = all;
        return std::tie(record, uid);
    }
};
template <>
struct Recorded<model::PlanGone> {
    static constexpr std::array<std::string_view, 2> names = {"ns", "name"};
    static auto fields(auto& all) {
        auto& [ns, name] = all;
        return std::tie(ns, name);
    }
};
template <>
struct Recorded<model::Synced> {
    static constexpr std::array<std::string_view, 1> names = {"what"};
    static auto fields(auto& all) {
        auto& [what] = all;
        return std::tie(what);
    }
};
template <>
struct Recorded<engine::Observed> {
    static constexpr std::array<std::string_view, 1> names = {"event"};
    static auto fields(auto& all) {
        auto& [event] = all;
        return std::tie(event);
    }
};
template <>
struct Recorded<engine::Filtered> {
    static constexpr std::array<std::string_view, 5> names = {"uid", "answer", "names", "node", "isExempt"};
    static auto fields(auto& all) {
        auto& [uid, answer, offered, node, is_exempt] = all;
        return std::tie(uid, answer, offered, node, is_exempt);
    }
};
template <>
struct Recorded<engine::BindCalled> {
    static constexpr std::array<std::string_view, 3> names = {"call", "pod", "node"};
    static auto fields(auto& all) {
        auto& [call, pod, node] = all;
        return std::tie(call, pod, node);
    }
};
template <>
struct Recorded<engine::CallerGone> {
    static constexpr std::array<std::string_view, 1> names = {"call"};
    static auto fields(auto& all) {
        auto& [call] = all;
        return std::tie(call);
    }
};
template <>
struct Recorded<engine::Written> {
    static constexpr std::array<std::string_view, 2> names = {"write", "outcome"};
    static auto fields(auto& all) {
        auto& [write, outcome] = all;
        return std::tie(write, outcome);
    }
};
template <>
struct Recorded<engine::SearchEnded> {
    static constexpr std::array<std::string_view, 1> names = {"search"};
    static auto fields(auto& all) {
        auto& [search] = all;
        return std::tie(search);
    }
};
template <>
struct Recorded<engine::LeadChanged> {
    static constexpr std::array<std::string_view, 2> names = {"leads", "until"};
    static auto fields(auto& all) {
        auto& [leads, until] = all;
        return std::tie(leads, until);
    }
};
template <>
struct Recorded<model::BindPod> {
    static constexpr std::array<std::string_view, 3> names = {"pod", "node", "plan"};
    static auto fields(auto& all) {
        auto& [pod, node, plan] = all;
        return std::tie(pod, node, plan);
    }
};
template <>
struct Recorded<model::NominatePod> {
    static constexpr std::array<std::string_view, 2> names = {"pod", "node"};
    static auto fields(auto& all) {
        auto& [pod, node] = all;
        return std::tie(pod, node);
    }
};
template <>
struct Recorded<model::UngatePod> {
    static constexpr std::array<std::string_view, 1> names = {"pod"};
    static auto fields(auto& all) {
        auto& [pod] = all;
        return std::tie(pod);
    }
};
template <>
struct Recorded<model::KickPod> {
    static constexpr std::array<std::string_view, 3> names = {"pod", "value", "byLabel"};
    static auto fields(auto& all) {
        auto& [pod, value, by_label] = all;
        return std::tie(pod, value, by_label);
    }
};
template <>
struct Recorded<model::EvictPod> {
    static constexpr std::array<std::string_view, 1> names = {"pod"};
    static auto fields(auto& all) {
        auto& [pod] = all;
        return std::tie(pod);
    }
};
template <>
struct Recorded<model::ApplyPlan> {
    static constexpr std::array<std::string_view, 1> names = {"record"};
    static auto fields(auto& all) {
        auto& [record] = all;
        return std::tie(record);
    }
};
template <>
struct Recorded<model::DeletePlan> {
    static constexpr std::array<std::string_view, 3> names = {"ns", "name", "uid"};
    static auto fields(auto& all) {
        auto& [ns, name, uid] = all;
        return std::tie(ns, name, uid);
    }
};
template <>
struct Recorded<model::ReadPod> {
    static constexpr std::array<std::string_view, 1> names = {"pod"};
    static auto fields(auto& all) {
        auto& [pod] = all;
        return std::tie(pod);
    }
};
template <>
struct Recorded<model::ReadGroup> {
    static constexpr std::array<std::string_view, 4> names = {"apiVersion", "apiKind", "ns", "name"};
    static auto fields(auto& all) {
        auto& [api_version, api_kind, ns, name] = all;
        return std::tie(api_version, api_kind, ns, name);
    }
};
template <>
struct Recorded<model::EmitGangEvent> {
    static constexpr std::array<std::string_view, 9> names = {
        "ns", "plan", "aboutApiVersion", "aboutKind", "aboutName", "aboutUid", "reason", "sentence", "isWarning"};
    static auto fields(auto& all) {
        auto& [ns, plan, about_api_version, about_kind, about_name, about_uid, reason, sentence, is_warning] = all;
        return std::tie(ns, plan, about_api_version, about_kind, about_name, about_uid, reason, sentence, is_warning);
    }
};
template <>
struct Recorded<model::WritePlacementScore> {
    static constexpr std::array<std::string_view, 6> names = {"apiVersion", "apiKind", "ns", "name", "uid", "perMille"};
    static auto fields(auto& all) {
        auto& [api_version, api_kind, ns, name, uid, per_mille] = all;
        return std::tie(api_version, api_kind, ns, name, uid, per_mille);
    }
};
template <>
struct Recorded<model::WriteGroupCondition> {
    static constexpr std::array<std::string_view, 12> names = {"apiVersion", "apiKind", "ns",         "name",
                                                               "uid",        "version", "type",       "isMet",
                                                               "reason",     "message", "generation", "isTransition"};
    static auto fields(auto& all) {
        auto& [api_version, api_kind, ns, name, uid, version, type, is_met, reason, message, generation,
               is_transition] = all;
        return std::tie(api_version, api_kind, ns, name, uid, version, type, is_met, reason, message, generation,
                        is_transition);
    }
};
template <>
struct Recorded<engine::StartWrite> {
    static constexpr std::array<std::string_view, 2> names = {"write", "what"};
    static auto fields(auto& all) {
        auto& [write, what] = all;
        return std::tie(write, what);
    }
};
template <>
struct Recorded<engine::AnswerBind> {
    static constexpr std::array<std::string_view, 3> names = {"call", "result", "error"};
    static auto fields(auto& all) {
        auto& [call, result, error] = all;
        return std::tie(call, result, error);
    }
};
template <>
struct Recorded<engine::StartSearch> {
    static constexpr std::array<std::string_view, 1> names = {"search"};
    static auto fields(auto& all) { return std::tie(all.search); }
};
template <>
struct Recorded<engine::Note> {
    static constexpr std::array<std::string_view, 5> names = {"level", "gang", "sentence", "pod", "err"};
    static auto fields(auto& all) {
        auto& [level, gang, sentence, pod, err] = all;
        return std::tie(level, gang, sentence, pod, err);
    }
};

}  // namespace echelon::replay

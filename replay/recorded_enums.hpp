#pragma once

// Which words does a recording use for the values of an enumeration and the cases of a variant? Plain tables, in the
// order of the values.

#include "engine/engine.hpp"

#include <array>
#include <string_view>

namespace echelon::replay {

// Words of enumerations, in the order of their values.
template <typename T>
struct RecordedEnum;
// Names of the cases of a variant, in their order.
template <typename T>
struct RecordedCases;

template <>
struct RecordedEnum<model::TaintEffect> {
    static constexpr std::array<std::string_view, 3> words = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
};
template <>
struct RecordedEnum<model::Requirement::Operator> {
    static constexpr std::array<std::string_view, 6> words = {"In",           "NotIn",       "Exists",
                                                              "DoesNotExist", "GreaterThan", "LessThan"};
};
template <>
struct RecordedEnum<model::PodTerm::Kind> {
    static constexpr std::array<std::string_view, 2> words = {"apart", "together"};
};
template <>
struct RecordedEnum<model::ContainerRequest::Kind> {
    static constexpr std::array<std::string_view, 3> words = {"ordinary", "sidecar", "init"};
};
template <>
struct RecordedEnum<model::ZoneScope> {
    static constexpr std::array<std::string_view, 2> words = {"container", "pod"};
};
template <>
struct RecordedEnum<model::DeviceAttribute::Kind> {
    static constexpr std::array<std::string_view, 4> words = {"text", "number", "truth", "version"};
};
template <>
struct RecordedEnum<model::GroupKind> {
    static constexpr std::array<std::string_view, 2> words = {"leaf", "composite"};
};
template <>
struct RecordedEnum<model::DisruptionMode> {
    static constexpr std::array<std::string_view, 3> words = {"unstated", "single", "all"};
};
template <>
struct RecordedEnum<model::PlacedCondition::Status> {
    static constexpr std::array<std::string_view, 3> words = {"absent", "notMet", "met"};
};
template <>
struct RecordedEnum<model::PodPhase> {
    static constexpr std::array<std::string_view, 5> words = {"Pending", "Running", "Succeeded", "Failed", "Unknown"};
};
template <>
struct RecordedEnum<model::TopologySource> {
    static constexpr std::array<std::string_view, 3> words = {"object", "configuration", "preset"};
};
template <>
struct RecordedEnum<model::DomainMember::Kind> {
    static constexpr std::array<std::string_view, 2> words = {"node", "domain"};
};
template <>
struct RecordedEnum<model::Phase> {
    static constexpr std::array<std::string_view, 6> words = {"Pending",   "Clearing", "Held",
                                                              "Committed", "Bound",    "Degraded"};
};
template <>
struct RecordedEnum<engine::Protection> {
    static constexpr std::array<std::string_view, 3> words = {"promised", "holds", "none"};
};
template <>
struct RecordedEnum<model::Outcome::Kind> {
    static constexpr std::array<std::string_view, 5> words = {"done", "conflict", "gone", "rejected", "unknown"};
};
template <>
struct RecordedEnum<engine::Filtered::Answer> {
    static constexpr std::array<std::string_view, 4> words = {"passed", "pinned", "missing", "refused"};
};
template <>
struct RecordedEnum<engine::BindResult> {
    static constexpr std::array<std::string_view, 6> words = {"ok",       "rejected",   "error",
                                                              "deadline", "clientGone", "overload"};
};
template <>
struct RecordedEnum<engine::Note::Level> {
    static constexpr std::array<std::string_view, 3> words = {"info", "warning", "bug"};
};

template <>
struct RecordedCases<model::Event> {
    static constexpr std::array<std::string_view, 33> names = {"nodeSeen",
                                                               "nodeGone",
                                                               "podSeen",
                                                               "podGone",
                                                               "groupSeen",
                                                               "groupGone",
                                                               "groupSetSeen",
                                                               "groupSetGone",
                                                               "topologySeen",
                                                               "topologyGone",
                                                               "domainSeen",
                                                               "domainGone",
                                                               "priorityClassSeen",
                                                               "priorityClassGone",
                                                               "planSeen",
                                                               "planGone",
                                                               "synced",
                                                               "budgetSeen",
                                                               "budgetGone",
                                                               "deviceSliceSeen",
                                                               "deviceSliceGone",
                                                               "deviceClassSeen",
                                                               "deviceClassGone",
                                                               "deviceClaimSeen",
                                                               "deviceClaimGone",
                                                               "deviceTemplateSeen",
                                                               "deviceTemplateGone",
                                                               "nodeZonesSeen",
                                                               "nodeZonesGone",
                                                               "deviceTaintRuleSeen",
                                                               "deviceTaintRuleGone",
                                                               "jobSeen",
                                                               "jobGone"};
};
template <>
struct RecordedCases<engine::Input> {
    static constexpr std::array<std::string_view, 10> names = {
        "observed", "filtered",    "bindCalled", "callerGone",   "written",
        "ticked",   "leadChanged", "draining",   "reconfigured", "searchEnded"};
};
template <>
struct RecordedCases<model::Write> {
    static constexpr std::array<std::string_view, 12> names = {"bindPod",    "nominatePod", "ungatePod", "kickPod",
                                                               "recordPlan", "forgetPlan",  "readPod",   "readGroup",
                                                               "tellGang",   "scoreGang",   "evictPod",  "tellGroup"};
};

}  // namespace echelon::replay

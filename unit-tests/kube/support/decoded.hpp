#pragma once

// What does an object of a group dialect become? Helpers to write and decode one in a line.

#include "kube/decode.hpp"
#include "kube/membership.hpp"

#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

inline nlohmann::json group_object(const std::string& version, const std::string& kind, const std::string& spec,
                                   const nlohmann::json& annotations = nullptr) {
    return {{"apiVersion", version},
            {"kind", kind},
            {"metadata",
             {{"name", "g"},
              {"namespace", "ns"},
              {"uid", "u1"},
              {"generation", 3},
              {"creationTimestamp", "2026-01-01T00:00:00Z"},
              {"annotations", annotations}}},
            {"spec", nlohmann::json::parse(spec)}};
}

inline model::GroupSet set_in(const nlohmann::json& object) {
    const auto events = decode(object, Change::seen);
    REQUIRE_MESSAGE(events, (events ? "" : events.error().sentence));
    REQUIRE(events->size() == 1);
    return std::get<model::GroupSetSeen>(events->front()).set;
}

inline std::string fault_in(const nlohmann::json& object) {
    const auto events = decode(object, Change::seen);
    return events ? "" : events.error().sentence;
}

// The group of a set whose name has this end; an empty key: there is none.
inline model::Group part_of(const model::GroupSet& set, const std::string& name) {
    for (const model::Group& group : set.groups) {
        if (group.key.name == name)
            return group;
    }
    return {};
}

inline std::optional<model::Membership> membership_of(const nlohmann::json& labels,
                                                      const nlohmann::json& annotations = nullptr,
                                                      const nlohmann::json& spec = nullptr,
                                                      UnservedKinds unserved = {}) {
    const nlohmann::json pod{
        {"metadata", {{"name", "p"}, {"namespace", "ns"}, {"labels", labels}, {"annotations", annotations}}},
        {"spec", spec}};
    FieldFault fault;
    const Field root(pod, fault);
    std::optional<model::Membership> out = read_membership(root, read_metadata(root, Scope::namespaced), unserved);
    CHECK(fault.sentence() == "");
    return out;
}

}  // namespace echelon::kube

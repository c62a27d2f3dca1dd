#pragma once

// How does a decoder judge each field? Tables with a value per row, and the expected fault.

#include "unit-tests/kube/support/decoded.hpp"

#include <string>
#include <variant>
#include <vector>

namespace echelon::kube {

struct FaultRow {
    std::string field;  // Names the row.
    std::string spec;
    std::string fault;  // "PATH: WHAT".
};

// The problem of the group that replaces a refused object.
inline std::string problem_of_refused(const nlohmann::json& object, const base::Error& fault) {
    const auto stands = event_of_unreadable(object, fault);
    if (!stands)
        return "nothing stands for it";
    if (const auto* one = std::get_if<model::GroupSeen>(&*stands))
        return one->group.problem;
    return std::get<model::GroupSetSeen>(*stands).set.groups.front().problem;
}

// Rule A3: each row is refused with object and path, and the object's placeholder group is Invalid for the same reason.
inline void check_faults(const std::string& version, const std::string& kind, const std::vector<FaultRow>& rows) {
    for (const FaultRow& row : rows) {
        SUBCASE(row.field.c_str()) {
            const nlohmann::json object = group_object(version, kind, row.spec);
            const auto events = decode(object, Change::seen);
            REQUIRE_FALSE(events);
            CHECK(events.error().sentence == kind + " ns/g: " + row.fault);
            CHECK(problem_of_refused(object, events.error()) == row.fault);
        }
    }
}

}  // namespace echelon::kube

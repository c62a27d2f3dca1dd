#pragma once

// What `echelon plan` says about each gang: a plain value, and its two faces, JSON for programs and a tree for people.
//
// Pure. Equal reports print equal bytes; `milliseconds` is the only part that isn't a function of the input.

#include "model/gang.hpp"
#include "model/plan_record.hpp"

#include <optional>
#include <string>
#include <vector>

namespace echelon::cli {

struct SeatRow {
    std::string pod;    // "namespace/name".
    std::string group;  // "namespace/name" of its leaf.
    std::string node;
    std::string path;  // Of the node, down to the host; for the tree only.
};

struct GangReport {
    std::string gang;                     // "namespace/name" of the root.
    std::optional<model::Reason> reason;  // Absent: placed.
    std::string message;
    std::vector<SeatRow> seats;  // By group, then pod in natural name order.
    std::vector<model::RecordedGroup> groups;
    double milliseconds = 0;

    [[nodiscard]] bool is_placed() const { return !reason.has_value(); }
    [[nodiscard]] bool is_proved() const { return reason != model::Reason::out_of_budget; }
};

struct PlanReport {
    std::vector<GangReport> gangs;  // In the order of decision.

    [[nodiscard]] bool is_all_placed() const;
};

// The `PlanReport` of echelon.sh/v1alpha1, with a line feed at the end.
[[nodiscard]] std::string to_json(const PlanReport& report);
// For one screen: topology path, nodes, pods; refused gangs with their sentence.
[[nodiscard]] std::string to_tree(const PlanReport& report, bool has_colour);

}  // namespace echelon::cli

#pragma once

// What does `echelon plan` say about each gang? A plain value, printed as JSON for programs and as a tree for people.
//
// Pure. Equal reports print equal bytes; `milliseconds` is the only part that isn't a function of the input.

#include "model/facts/plan_record.hpp"
#include "model/gang/explanation.hpp"
#include "model/gang/gang.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace echelon::report {

struct SeatRow {
    std::string pod;    // "namespace/name".
    std::string group;  // "namespace/name" of the leaf.
    std::string node;
    std::string path;  // Topology path of the node, down to the host; for the tree only.
};

// A pod that has to go before the gang starts.
struct VictimRow {
    std::string pod;  // "namespace/name".
    std::string node;
    std::string gang;  // "namespace/name" of the root; empty: none.
    std::int64_t priority = 0;
};

struct GangReport {
    std::string gang;                     // "namespace/name" of the root.
    std::string phase;                    // As the running service has it ("Held"); empty: a plan made offline.
    std::optional<model::Reason> reason;  // Absent: placed.
    std::string message;
    std::vector<SeatRow> seats;      // By group, then pod in natural name order.
    std::vector<VictimRow> victims;  // By gang, then pod. Not empty: the seats are free once these are gone.
    std::vector<model::RecordedGroup> groups;
    std::vector<std::uint32_t> depths;  // Depths of `groups` below the root; for the tree only. Empty: no tree.
    std::optional<model::Explanation> explanation;  // Tree of a refusal; for the tree only.
    double milliseconds = 0;

    [[nodiscard]] bool is_clearing() const { return !victims.empty(); }
    [[nodiscard]] bool is_placed() const { return !reason.has_value() && !is_clearing(); }
    [[nodiscard]] bool is_proved() const { return !reason || model::is_proved(*reason); }
};

struct PlanReport {
    std::vector<GangReport> gangs;  // In the order of decision.

    [[nodiscard]] bool is_all_placed() const;
};

// The `PlanReport` of echelon.sh/v1alpha1, with a line feed at the end.
[[nodiscard]] std::string to_json(const PlanReport& report);
// For one screen: groups, topology path, nodes, pods; refused gangs with their sentence and the tree behind it.
[[nodiscard]] std::string to_tree(const PlanReport& report, bool has_colour);
// The part of one gang, without the time that it took.
[[nodiscard]] std::string gang_tree(const GangReport& gang, bool has_colour);
// The depth of each group of a gang below its root.
[[nodiscard]] std::vector<std::uint32_t> depths_of(const model::Gang& gang);

}  // namespace echelon::report

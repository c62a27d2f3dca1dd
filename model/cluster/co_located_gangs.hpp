#pragma once

// What do co-located gangs know of each other (X5)? Read from the facts once, and again after an event that changes it:
// each of thousands of such gangs looks at all others.
//
// Plain values.

#include "model/cluster/pod_rows.hpp"
#include "model/facts/group.hpp"
#include "model/gang/gang_facts.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace echelon::model {

// Of one gang.
struct CoLocatedFacts {
    struct Part {
        std::vector<std::pair<const PodRow*, MemberStatus>> pods;  // By rank, as in `GroupFacts`.
        std::int64_t minimum = 0;                                  // Of a leaf.
    };
    std::vector<Part> groups;
    std::optional<Group> root = {};  // If it requires levels.
    bool is_complete = true;         // Every leaf has the members that it needs.
};

struct CoLocatedGangs {
    using Facts = std::map<GroupKey, CoLocatedFacts>;  // By root.

    Facts facts;
    std::map<GroupKey, std::vector<const Facts::value_type*>> around;  // By anchor; itself first, then in queue order.
};

}  // namespace echelon::model

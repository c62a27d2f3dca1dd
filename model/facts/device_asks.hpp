#pragma once

// Which devices must a pod get together, where amounts don't say enough? (DR3)
//
// Plain values. Kinds of requests go by the names of their amounts.

#include <cstdint>
#include <string>
#include <vector>

namespace echelon::model {

// One way to satisfy a request.
struct DeviceChoice {
    std::string kind;
    std::int64_t count = 1;
    bool wants_all = false;                 // Every such device of the node, at least one.
    std::vector<std::uint32_t> rules = {};  // Into `ClaimAsk::rules`: those that hold for its devices.

    auto operator<=>(const DeviceChoice&) const = default;
};

// The values of one attribute are all equal, or all different.
struct AttributeRule {
    std::string attribute;
    bool is_distinct = false;

    auto operator<=>(const AttributeRule&) const = default;
};

struct ClaimAsk {
    std::vector<std::vector<DeviceChoice>> requests;  // Each needs one choice.
    std::vector<AttributeRule> rules = {};

    auto operator<=>(const ClaimAsk&) const = default;
};

// The claims of one pod; sorted. Empty: amounts say everything.
using DeviceAsks = std::vector<ClaimAsk>;

}  // namespace echelon::model

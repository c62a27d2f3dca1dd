#pragma once

// Which members does a domain have that an object (a HyperNode) declares? Plain values.
//
// What such objects mean together (trees, levels, faults) is decided in `model/topology/domain_forest.hpp`.

#include "model/facts/pod.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

// A pattern over names, with the function that matches it, so that the model needs no regular expressions. Requires:
// equal texts match alike; `matches` is pure and may be called from any thread.
struct NamePattern {
    std::string text;
    std::function<bool(std::string_view)> matches;

    bool operator==(const NamePattern& other) const { return text == other.text; }
};

struct DomainMember {
    enum class Kind : std::uint8_t { node, domain };

    Kind kind = Kind::node;
    std::string name;     // Exact name; it need not exist. Empty: `pattern` or `labels` choose nodes.
    NamePattern pattern;  // Not used if its text is empty.
    NodeTerm labels;      // Of nodes; an empty term chooses nothing.
    std::string problem;  // Why this member chooses nothing: "spec.members[0] ..."; empty: it is usable.

    bool operator==(const DomainMember&) const = default;
};

struct DeclaredDomain {
    std::string name;
    std::string api_kind;   // "HyperNode.topology.volcano.sh".
    std::int64_t tier = 0;  // The lower, the closer.
    std::string tier_name;  // Name of the level; empty: none.
    std::vector<DomainMember> members;
    std::string problem;  // Why it is no domain at all; empty: it is one.

    bool operator==(const DeclaredDomain&) const = default;
};

}  // namespace echelon::model

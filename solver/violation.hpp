#pragma once

// Which rule does a plan break, and how is it said to people?
//
// Plain values.

#include <cstdint>
#include <string>

namespace echelon::solver {

struct Violation {
    enum class Kind : std::uint8_t {
        seat,      // A seat is for no waiting member, on a node that isn't eligible, given twice, or out of order.
        room,      // A node is overcommitted, or a NUMA zone or a device there.
        minimum,   // The minimum of the gang, or of a group that has seats, isn't met.
        level,     // A group leaves its domain, or breaks a multiple, a limit or a pair.
        affinity,  // A seat breaks required pod affinity or anti-affinity.
    };
    Kind kind = Kind::seat;
    std::string sentence;  // For people. No period.

    bool operator==(const Violation&) const = default;
};

}  // namespace echelon::solver

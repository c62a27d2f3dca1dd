#pragma once

// Which promise does a plan break, and how is that said?
//
// Plain values.

#include <cstdint>
#include <string>

namespace echelon::solver {

struct Violation {
    enum class Kind : std::uint8_t {
        seat,      // A seat for no waiting member, on a node that isn't eligible for it, twice, or out of order.
        room,      // A node is overcommitted.
        minimum,   // The minimum of the gang, or of a group that has seats, isn't met.
        level,     // A group leaves its domain, or breaks a multiple, a limit or a pair.
        affinity,  // A pod sits beside one that it keeps apart from, or without one that it follows.
    };
    Kind kind = Kind::seat;
    std::string sentence;  // For people. No period.

    bool operator==(const Violation&) const = default;
};

}  // namespace echelon::solver

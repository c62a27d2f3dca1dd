#pragma once

// How much may one object make of itself? The one table of bounds (BD1): configured under `limits:`, checked where an
// object is decoded, before memory is taken, and where a gang is put together from several objects.
//
// Plain values. An object or gang over a bound is Invalid by itself; nothing else is disturbed.

#include <cstddef>
#include <cstdint>

namespace echelon::model {

struct Limits {
    std::int64_t members = 20'000;           // Pods of a gang, those included that are declared but not created yet.
    std::int64_t groups = 4'096;             // Groups of a gang.
    std::int64_t depth = 64;                 // Levels of groups, the root and its leaves included.
    std::int64_t declared_groups = 64;       // Groups that one pod declares.
    std::size_t annotation_bytes = 65'536;   // Text of one annotation that is parsed.
    std::size_t annotation_depth = 16;       // How deep such a text nests.
    std::int64_t topology_nodes = 200'000;   // Nodes of one topology object.
    std::size_t pattern_bytes = 8UL << 20U;  // Compiled regular expressions of one object, together.
    std::size_t resources = 64;              // Resource names of one pod.
    std::size_t message_bytes = 4'096;       // What echelon writes into one message or condition.
    std::int64_t longest_hold = 3'600;       // Seconds that a gang may ask its seats to be held (BD8).
    bool free_priority = false;              // A Gang may state a priority as a bare number (BD8).

    bool operator==(const Limits&) const = default;
};

}  // namespace echelon::model

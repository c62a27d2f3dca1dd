#pragma once

// How large may one object or one gang be? The one table of bounds (BD1), configured under `limits:`. Decoders check it
// before they allocate memory, and so does the code that builds a gang from several objects.
//
// Plain values. An object or gang over a bound is Invalid; nothing else is affected.

#include <cstddef>
#include <cstdint>

namespace echelon::model {

struct Limits {
    std::int64_t members = 20'000;           // Pods of a gang, including those that are declared but not created yet.
    std::int64_t groups = 4'096;             // Groups of a gang.
    std::int64_t depth = 64;                 // Levels of groups, including the root and its leaves.
    std::int64_t declared_groups = 64;       // Groups that one pod declares.
    std::size_t annotation_bytes = 65'536;   // Text of one annotation that is parsed.
    std::size_t annotation_depth = 16;       // Nesting depth of such a text.
    std::int64_t topology_nodes = 200'000;   // Nodes of one topology object.
    std::size_t pattern_bytes = 8UL << 20U;  // Compiled regular expressions of one object, together.
    std::size_t resources = 64;              // Resource names of one pod.
    std::size_t message_bytes = 4'096;       // Text of one message or condition that echelon writes.
    std::int64_t longest_hold = 3'600;       // Seconds; the longest hold that a gang may ask for (BD8).
    bool free_priority = false;              // A Gang may state a priority as a bare number (BD8).

    bool operator==(const Limits&) const = default;
};

}  // namespace echelon::model

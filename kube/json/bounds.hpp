#pragma once

// How large may a field be, and how is an excess described? The bounds of `model::Limits`, and a few constants.
//
// Plain values.

#include "model/facts/limits.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace echelon::kube {

struct Bound {
    std::int64_t most = 0;
    std::string_view what;  // Ends the sentence "20000 is more than the 100 WHAT".
};

inline Bound member_bound(const model::Limits& limits) {
    return {limits.members, "members that a gang may have (limits.members)"};
}
inline Bound group_bound(const model::Limits& limits) {
    return {limits.groups, "groups that a gang may have (limits.groups)"};
}
inline Bound depth_bound(const model::Limits& limits) {
    return {limits.depth, "levels of groups that a gang may have (limits.depth)"};
}
inline Bound declared_bound(const model::Limits& limits) {
    return {limits.declared_groups, "groups that one pod may declare (limits.declaredGroups)"};
}
inline Bound annotation_bound(const model::Limits& limits) {
    return {static_cast<std::int64_t>(limits.annotation_bytes),
            "bytes of an annotation that is parsed (limits.annotationBytes)"};
}
inline Bound node_bound(const model::Limits& limits) {
    return {limits.topology_nodes, "nodes that one topology object may have (limits.topologyNodes)"};
}
inline Bound resource_bound(const model::Limits& limits) {
    return {static_cast<std::int64_t>(limits.resources), "resource names that one pod may have (limits.resources)"};
}
inline Bound hold_bound(const model::Limits& limits) {
    return {limits.longest_hold, "seconds that seats may be held (limits.longestHold)"};
}
// For a list or map that has no particular bound.
inline constexpr Bound list_bound{4096, "entries that one list or map may have"};
// For a name, key or level; 317 is the longest label key.
inline constexpr Bound word_bound{317, "bytes that a name or key may have"};

// "20000 is more than the 100 ..."; `unit` follows the number: " bytes".
[[nodiscard]] std::string beyond(std::int64_t found, const Bound& bound, std::string_view unit = {});

}  // namespace echelon::kube

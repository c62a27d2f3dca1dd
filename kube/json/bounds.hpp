#pragma once

// How much may a field say, and in which words is it told that it says too much? Those of `model::Limits`, beside the
// few that nobody configures.
//
// Plain values.

#include "model/facts/limits.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace echelon::kube {

struct Bound {
    std::int64_t most = 0;
    std::string_view what;  // "20000 is more than the 100 WHAT".
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
// A list or map of which nothing else bounds the entries.
inline constexpr Bound list_bound{4096, "entries that one list or map may have"};
// A name, key or level: a label key is not longer.
inline constexpr Bound word_bound{317, "bytes that a name or key may have"};

// "20000 is more than the 100 ..."; `unit` stands behind the number: " bytes".
[[nodiscard]] std::string beyond(std::int64_t found, const Bound& bound, std::string_view unit = {});

}  // namespace echelon::kube

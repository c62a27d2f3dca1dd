#pragma once

// What must a decoder know besides the object: which kinds aren't served, which limits apply, which nodes are unusable,
// and what becomes of a Node with wrong fields?
//
// Plain values.

#include "kube/client/served_kinds.hpp"
#include "kube/core/node_health.hpp"
#include "model/facts/limits.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace echelon::kube {

// The watch keeps a Node without its wrong fields (BD7). A plan from manifests would be wrong with such a Node.
enum class FaultyNodes : std::uint8_t { kept, refused };

struct Reading {
    // NOLINTNEXTLINE(google-explicit-constructor): most of it is the default.
    Reading(UnservedKinds absent = {}, const model::Limits& bounds = {}, std::shared_ptr<const NodeHealth> judge = {})
        : unserved(absent), limits(bounds), health(std::move(judge)) {}

    UnservedKinds unserved;
    model::Limits limits;
    std::shared_ptr<const NodeHealth> health;  // Null: only the node's own state counts.
    FaultyNodes faulty_nodes = FaultyNodes::kept;
};

}  // namespace echelon::kube

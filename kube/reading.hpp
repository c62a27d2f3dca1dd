#pragma once

// What must a decoder know besides the object: which kinds aren't served, which limits apply, which nodes are unusable?
//
// Plain values.

#include "kube/client/served_kinds.hpp"
#include "kube/core/node_health.hpp"
#include "model/facts/limits.hpp"

#include <memory>
#include <utility>

namespace echelon::kube {

struct Reading {
    // NOLINTNEXTLINE(google-explicit-constructor): most of it is the default.
    Reading(UnservedKinds absent = {}, const model::Limits& bounds = {}, std::shared_ptr<const NodeHealth> judge = {})
        : unserved(absent), limits(bounds), health(std::move(judge)) {}

    UnservedKinds unserved;
    model::Limits limits;
    std::shared_ptr<const NodeHealth> health;  // Null: only the node's own state counts.
};

}  // namespace echelon::kube

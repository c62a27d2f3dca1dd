#pragma once

// Under which circumstances is an object read: which kinds aren't served, how much may it make of
// itself, and which nodes are unusable?
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
    std::shared_ptr<const NodeHealth> health;  // Null: nothing beyond what Kubernetes itself says.
};

}  // namespace echelon::kube

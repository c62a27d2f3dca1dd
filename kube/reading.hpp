#pragma once

// Under which circumstances is an object read: which kinds aren't served, and how much may it make of itself?
//
// Plain values.

#include "kube/client/served_kinds.hpp"
#include "model/facts/limits.hpp"

namespace echelon::kube {

struct Reading {
    // NOLINTNEXTLINE(google-explicit-constructor): most of it is the default.
    Reading(UnservedKinds absent = {}, const model::Limits& bounds = {}) : unserved(absent), limits(bounds) {}

    UnservedKinds unserved;
    model::Limits limits;
};

}  // namespace echelon::kube

#pragma once

// Which kinds may the API server be unable to list, while everything else starts? Those of dialects and topologies
// whose pods can't be placed without their objects by mistake (L13).
//
// A CRD's conversion webhook or an aggregated API server may be down for good. Pure.

#include "kube/client/watched_kind.hpp"

namespace echelon::kube {

[[nodiscard]] bool may_be_broken(const WatchedKind& kind);

}  // namespace echelon::kube

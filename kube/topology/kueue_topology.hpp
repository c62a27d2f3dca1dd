#pragma once

// Which levels does a Topology object of Kueue or KAI declare? Pure.
//
// | field (spec.levels[], widest first) | type | default | meaning |
// |---|---|---|---|
// | nodeLabel | label key, each once, the host only last; 1 to 16 | required | the level's key |
// | alias (KAI only) | string, each once | none | another name of the level; may change at any time |

#include "kube/json/field.hpp"
#include "model/facts/topology.hpp"

namespace echelon::kube {

// `kueue.x-k8s.io`, v1beta1 and v1beta2.
[[nodiscard]] model::Topology read_kueue_topology(const Field& object, const Metadata& metadata);
// `kai.scheduler`, v1alpha1.
[[nodiscard]] model::Topology read_kai_topology(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube

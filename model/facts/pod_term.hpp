#pragma once

// Which pods does a required term of pod (anti-)affinity select? (D14)
//
// Plain values; pure.

#include "model/facts/pod_class.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::model {

// The labels of a pod, sorted by key; views into text that is owned elsewhere.
using LabelViews = std::vector<std::pair<std::string_view, std::string_view>>;

struct PodTerm {
    enum class Kind : std::uint8_t {
        apart,     // Anti-affinity: no selected pod beside it. Holds in both directions, as in kube-scheduler.
        together,  // Affinity: a selected pod beside it. The first selected pod satisfies its own term.
    };
    Kind kind = Kind::apart;
    std::string key;  // topologyKey: pods are beside each other on nodes whose values of this label are equal.
    std::vector<Requirement> labels;      // Sorted; all must hold. None: every pod.
    std::vector<std::string> namespaces;  // Sorted. Not empty unless `is_everywhere`.
    bool is_everywhere = false;           // Selects in every namespace.

    auto operator<=>(const PodTerm&) const = default;
};

[[nodiscard]] bool selects_namespace(const PodTerm& term, std::string_view ns);
// True if the term selects a pod of this namespace with these labels.
[[nodiscard]] bool selects(const PodTerm& term, std::string_view ns, const LabelViews& labels);

}  // namespace echelon::model

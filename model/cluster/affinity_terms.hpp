#pragma once

// Which terms of pod (anti-)affinity must be known before a gang is planned (D14)?

#include "model/facts/pod.hpp"
#include "model/facts/pod_term.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace echelon::model {

class AffinityTerms {
public:
    using NodeCounts = std::map<std::string, std::size_t>;  // Node -> how many pods on it have the term.

    // Any pod.
    void add(const Pod& pod);
    void remove(const Pod& pod);
    // A member, in addition.
    void add_member(const Pod& pod);
    void remove_member(const Pod& pod);

    // True if some pod has terms, or has some that can't be read.
    [[nodiscard]] bool exist() const { return pods_ > 0; }
    // Anti-affinity of pods that occupy a node.
    [[nodiscard]] const std::map<PodTerm, NodeCounts>& apart() const { return apart_; }
    // topologyKeys along which this pod and members keep apart, by terms of either. Without the host's.
    [[nodiscard]] std::set<std::string> keys_apart(const Pod& pod, const LabelViews& labels) const;
    // True if a term of some member's affinity selects the pod.
    [[nodiscard]] bool attracts_members(const Pod& pod, const LabelViews& labels) const;
    // topologyKeys of the members' affinity -> how many terms have it.
    [[nodiscard]] const std::map<std::string, std::size_t>& topology_keys() const { return topology_keys_; }
    // Changes with the set of topologyKeys.
    [[nodiscard]] std::uint64_t version() const { return version_; }

private:
    // Namespace (empty: every one), and a label that selected pods must have (empty: none is certain).
    using Selection = std::tuple<std::string, std::string, std::string>;

    // Terms by what they select -> how many members have them.
    using Selected = std::map<Selection, std::map<PodTerm, std::size_t>>;

    [[nodiscard]] static std::set<Selection> selections_of(const PodTerm& term);
    static void add_to(Selected& terms, const PodTerm& term);
    static void remove_from(Selected& terms, const PodTerm& term);
    // Calls `take(term)` for each term that selects the pod. Some may come twice.
    template <typename Take>
    static void for_each_selecting(const Selected& terms, const Pod& pod, const LabelViews& labels, const Take& take);

    std::size_t pods_ = 0;
    Selected apart_of_members_;  // Without those by host.
    Selected together_of_members_;
    std::map<PodTerm, NodeCounts> apart_;
    std::map<std::string, std::size_t> topology_keys_;
    std::uint64_t version_ = 0;
};

}  // namespace echelon::model

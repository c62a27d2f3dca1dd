#pragma once

// Which terms of pod (anti-)affinity must be known before a gang is planned (D14)?

#include "model/cluster/term_index.hpp"
#include "model/facts/pod.hpp"
#include "model/facts/pod_term.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace echelon::model {

class AffinityTerms {
public:
    // Node -> how many pods on it have the term; "": pods that occupy no node.
    using NodeCounts = std::map<std::string, std::size_t>;

    // Any pod.
    void add(const Pod& pod);
    void remove(const Pod& pod);
    // A member, in addition.
    void add_member(const Pod& pod);
    void remove_member(const Pod& pod);

    // True if some pod has terms, or has some that can't be read.
    [[nodiscard]] bool exist() const { return pods_ > 0; }
    // Anti-affinity of all pods, and an index of these terms.
    [[nodiscard]] const std::map<PodTerm, NodeCounts>& apart() const { return apart_; }
    [[nodiscard]] const TermIndex& index_of_apart() const { return index_of_apart_; }
    // topologyKeys along which this pod and members keep apart, by terms of either. Without the host's.
    [[nodiscard]] std::set<std::string> keys_apart(const Pod& pod, const LabelViews& labels) const;
    // True if a term of some member's affinity selects the pod.
    [[nodiscard]] bool attracts_members(const Pod& pod, const LabelViews& labels) const;
    // topologyKeys of the members' affinity -> how many terms have it.
    [[nodiscard]] const std::map<std::string, std::size_t>& topology_keys() const { return topology_keys_; }
    // Changes with the set of topologyKeys.
    [[nodiscard]] std::uint64_t version() const { return version_; }

private:
    // Terms -> how many members have them.
    struct Counted {
        std::map<PodTerm, std::size_t> counts;
        TermIndex index;  // Of all in `counts`.

        void add(const PodTerm& term);
        void remove(const PodTerm& term);
        // Calls `take(term)` for each term that selects the pod. Some may come twice.
        template <typename Take>
        void for_each_selecting(const Pod& pod, const LabelViews& labels, const Take& take) const;
    };

    std::size_t pods_ = 0;
    Counted apart_of_members_;  // Without those by host.
    Counted together_of_members_;
    std::map<PodTerm, NodeCounts> apart_;  // No empty counts.
    TermIndex index_of_apart_;             // Of all in `apart_`.
    std::map<std::string, std::size_t> topology_keys_;
    std::uint64_t version_ = 0;
};

}  // namespace echelon::model

#pragma once

// Which terms of pod (anti-)affinity must be known before a gang is planned (D14)?

#include "model/facts/pod.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

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
    // topologyKeys of the members' affinity -> how many terms have it.
    [[nodiscard]] const std::map<std::string, std::size_t>& topology_keys() const { return topology_keys_; }
    // Changes with the set of topologyKeys.
    [[nodiscard]] std::uint64_t version() const { return version_; }

private:
    std::size_t pods_ = 0;
    std::map<PodTerm, NodeCounts> apart_;
    std::map<std::string, std::size_t> topology_keys_;
    std::uint64_t version_ = 0;
};

}  // namespace echelon::model

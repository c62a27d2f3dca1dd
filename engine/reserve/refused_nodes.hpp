#pragma once

// Which nodes do kube-scheduler's own filters refuse to a gang, and for which pod class? (rule R3)
//
// A refusal may rest on volumes, spread or labels of the gang's own pods, so that it says nothing about other gangs.
// Bounded, and each refusal expires. No clock. Not thread-safe.

#include "model/facts/group.hpp"
#include "model/facts/pod_class.hpp"
#include "model/topology/snapshot.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace echelon::engine {

class RefusedNodes {
public:
    using Time = std::chrono::milliseconds;
    using Cell = std::pair<model::PodClassId, model::NodeId>;

    // Keeps the gang's pods of this class off the node until then.
    void add(const model::GroupKey& root, const model::PodClass& pod_class, const std::string& node, Time until);
    [[nodiscard]] bool contains(const model::GroupKey& root, const model::PodClass& pod_class,
                                const std::string& node) const;
    // Makes the nodes ineligible for the gang's classes. Returns what was eligible.
    std::vector<Cell> close(model::Snapshot& snapshot, const model::GroupKey& root) const;
    // How many nodes are refused to the gang; one counts once for each pod class that it refuses.
    [[nodiscard]] std::size_t count(const model::GroupKey& root) const;
    void forget(const model::GroupKey& root);
    // Drops expired refusals. True if there were any.
    bool forget(Time now);
    // When the first one expires; Time::max(): there are none.
    [[nodiscard]] Time next_end() const;

private:
    struct Refusal {
        model::PodClass pod_class;
        std::string node;
        Time until = Time::max();
    };
    void forget_oldest();

    std::map<model::GroupKey, std::vector<Refusal>> refusals_;  // By root; the oldest first; no empty lists.
    std::size_t count_ = 0;
};

// Closes the nodes that are refused to one gang, while the gang is planned.
class RefusedWhilePlanned {
public:
    // Both outlive it.
    RefusedWhilePlanned(model::Snapshot& snapshot, const RefusedNodes& refused, const model::GroupKey& root)
        : snapshot_(snapshot), closed_(refused.close(snapshot, root)) {}
    ~RefusedWhilePlanned() {
        for (const auto& [pod_class, node] : closed_)
            snapshot_.eligible[pod_class][node] = 1;
    }
    RefusedWhilePlanned(const RefusedWhilePlanned&) = delete;
    RefusedWhilePlanned& operator=(const RefusedWhilePlanned&) = delete;

private:
    model::Snapshot& snapshot_;
    std::vector<RefusedNodes::Cell> closed_;
};

}  // namespace echelon::engine

#pragma once

// Which nodes do kube-scheduler's own filters refuse, and for pods of what shape? (rule R3)
//
// Bounded, and each refusal ends by itself. No clock. Not thread-safe.

#include "model/facts/pod.hpp"
#include "model/topology/snapshot.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace echelon::engine {

class RefusedNodes {
public:
    using Time = std::chrono::milliseconds;

    // Pods of this shape leave the node alone until then.
    void add(const model::PodClass& shape, const std::string& node, Time until);
    [[nodiscard]] bool contains(const model::PodClass& shape, const std::string& node) const;
    [[nodiscard]] std::uint64_t version() const { return version_; }  // Another one after each change.
    // Makes the nodes ineligible for their shapes.
    void close(model::Snapshot& snapshot) const;
    // True when a refusal has ended.
    bool forget(Time now);
    // When the first one ends; Time::max(): there are none.
    [[nodiscard]] Time next_end() const;

private:
    struct Refusal {
        model::PodClass shape;
        std::string node;
        Time until = Time::max();
    };

    std::vector<Refusal> refusals_;  // The oldest first.
    std::uint64_t version_ = 0;
};

}  // namespace echelon::engine

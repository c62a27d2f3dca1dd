#pragma once

// Which nodes do kube-scheduler's own filters refuse, and for which pod class? (rule R3)
//
// Bounded, and each refusal expires. No clock. Not thread-safe.

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

    // Keeps pods of this class off the node until then.
    void add(const model::PodClass& shape, const std::string& node, Time until);
    [[nodiscard]] bool contains(const model::PodClass& shape, const std::string& node) const;
    [[nodiscard]] std::uint64_t version() const { return version_; }  // Differs after each change.
    // Makes the nodes ineligible for their classes.
    void close(model::Snapshot& snapshot) const;
    // Drops expired refusals. True if there were any.
    bool forget(Time now);
    // When the first one expires; Time::max(): there are none.
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

#pragma once

// Which pods run where, and which end next?
//
// The stand-in for the kubelets: pods that started together end together. Pure.

#include "model/topology/snapshot.hpp"
#include "simulate/trace.hpp"

#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace echelon::simulate {

struct StartedPod {
    std::uint32_t pod = 0;  // Number in the job, from 0.
    model::NodeId node = 0;
    std::vector<std::uint32_t> devices;
};

// Pods of one job that started at the same time by the same decision.
struct Started {
    std::uint32_t job = 0;
    std::vector<StartedPod> pods;
    std::optional<Seconds> declared_end = {};  // By their limit.
};

class RunningPods {
public:
    // `ends_at`: absent: the pods never end.
    void add(Started started, std::optional<Seconds> ends_at);
    // When the next pods end; nullopt: no running pod ever ends.
    [[nodiscard]] std::optional<Seconds> next_end() const;
    // The pods that end next; of equals, those that started first. Requires: there is a next end.
    [[nodiscard]] Started take_next();
    // Those that end one day; without pods: none, the slot is free.
    [[nodiscard]] std::span<const Started> all() const { return slots_; }

private:
    struct End {
        Seconds at = 0;
        std::uint64_t order = 0;  // Number of the start.
        std::size_t slot = 0;

        auto operator<=>(const End&) const = default;
    };

    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
    std::vector<Started> slots_;
    std::vector<std::size_t> free_slots_;
    std::uint64_t starts_ = 0;
};

}  // namespace echelon::simulate

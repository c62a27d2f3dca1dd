#pragma once

// What would the API server say? The truth of a simulated cluster, its watch history, and what becomes of each write.
//
// Every change is one entry in the history of that kind. Nothing here fails by chance: the simulation injects all
// faults.

#include "model/facts/write.hpp"
#include "unit-tests/simulator/view.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace echelon::simulator {

// One watch each; order holds within a stream, never between two.
enum class Stream : std::uint8_t { nodes, pods, groups, plans, claims, slices };
inline constexpr std::size_t stream_count = 6;
inline constexpr std::array<const char*, stream_count> stream_names{"nodes", "pods",   "groups",
                                                                    "plans", "claims", "slices"};

class ApiServer {
public:
    [[nodiscard]] const View& truth() const { return truth_; }
    [[nodiscard]] const std::vector<model::Event>& history(Stream stream) const {
        return history_[static_cast<std::size_t>(stream)];
    }
    [[nodiscard]] std::size_t streams() const { return has_devices ? stream_count : stream_count - 2; }
    // What a list of one kind held when its history was `length` long.
    [[nodiscard]] View listed(Stream stream, std::size_t length) const;

    // --- What users, controllers and kubelets do. Each is one entry in the history, or none when nothing changes.
    void put(const model::Node& node);
    void put(const model::Pod& pod);
    void put(const model::Group& group);
    void remove_node(const std::string& name);
    void remove_pod(const std::string& uid);
    void remove_group(const model::GroupKey& key);
    void remove_plan(const std::string& full_name);
    void put(const model::DeviceClaim& claim);
    void remove_claim(const std::string& full_name);
    void put(const model::DeviceSlice& slice);
    void remove_slice(const std::string& name);
    // The pod's claim gets free devices of the node. False: they are too few, the claim has others, or isn't there.
    [[nodiscard]] bool allocate(const model::Pod& pod, const std::string& node);
    void deallocate(const model::Pod& pod);
    [[nodiscard]] std::string fresh_uid(const std::string& name);

    // --- What echelon asks for.
    model::Outcome carry_out(const model::Write& write);
    bool has_devices = false;  // Nodes have devices, and pods ask for them by claims.
    bool serves_plans = true;  // Off: the kind GangPlan isn't installed.

    std::function<bool(const model::Pod&)> allows_eviction;               // Disruption budgets; empty: all of them do.
    std::function<void(const model::Pod&)> evicted;                       // One that had a node; its kubelet ends it.
    std::function<void(Stream)> changed;                                  // After each entry.
    std::function<void(const model::BindPod&, const model::Pod&)> bound;  // A binding was done; the pod as it is now.
    std::function<void(const model::Pod&)> ended;                         // It has finished, or is gone.

private:
    void enter(Stream stream, model::Event event);
    model::Outcome with_pod(const model::PodRef& ref, const std::function<model::Outcome(model::Pod&)>& change);
    model::Outcome bind(const model::BindPod& write);
    model::Outcome evict(const model::EvictPod& write);
    model::Outcome record(const model::ApplyPlan& write);

    View truth_;
    std::array<std::vector<model::Event>, stream_count> history_;
    std::uint64_t last_uid_ = 0;
    std::uint64_t last_plan_uid_ = 0;
};

}  // namespace echelon::simulator

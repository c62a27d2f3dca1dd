#pragma once

// How many pods do the devices of a node serve, where devices are matched one by one? (DR3)
//
// Amounts bound the answer from above; the matching of devices decides. Nodes of equal devices share one computation.
// Single-threaded, belongs to one search.

#include "model/topology/snapshot.hpp"
#include "solver/packing/device_matching.hpp"
#include "solver/packing/inner_counts.hpp"
#include "solver/packing/search_budget.hpp"
#include "solver/packing/zone_room.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace echelon::solver {

class DeviceRoom {
public:
    DeviceRoom() = default;
    // `classes`: [member class] its pod class.
    DeviceRoom(const model::Snapshot& snapshot, std::span<const model::PodClassId> classes, Occupancy occupancy);

    // False if devices needn't be matched for any of the classes. All below is then trivial.
    [[nodiscard]] bool exist() const { return !kinds_.empty(); }
    [[nodiscard]] bool bind(std::uint32_t member_class, model::NodeId node) const;
    // Pods of one class that fit beside pods that are placed: [member class] how many. Many if devices don't bind it.
    [[nodiscard]] std::int64_t most(std::uint32_t member_class, model::NodeId node,
                                    std::span<const std::int64_t> placed) const;
    // Equal only for nodes whose devices are equal.
    [[nodiscard]] std::uint64_t hash(model::NodeId node) const;
    // True if devices that serve a pod of `large` serve one of `small` in its place, on every node.
    [[nodiscard]] bool covers(std::uint32_t large, std::uint32_t small) const;
    // False if some question took too much work, and the answer "no" was not proved.
    [[nodiscard]] bool is_exact() const { return counts_.is_exact(); }
    // The work done since the last call.
    [[nodiscard]] Operations take_work() const { return counts_.take_work(); }
    // What a class wants, in words: "devices of class gpu.example.com with equal example.com/root".
    [[nodiscard]] std::string words(std::uint32_t member_class) const;

private:
    // Nodes of equal devices, where equal pods are expected.
    struct Kind {
        const model::MatchedNode* node = nullptr;
        DeviceMatching matching;
    };

    [[nodiscard]] const Kind* kind_of(model::NodeId node) const;
    [[nodiscard]] std::int64_t count(const Kind& kind, std::uint32_t member_class,
                                     std::span<const std::int64_t> placed) const;
    [[nodiscard]] bool fits(const Kind& kind, std::uint32_t member_class, std::int64_t pods,
                            std::span<const std::int64_t> placed) const;

    Occupancy occupancy_ = Occupancy::now;
    std::vector<const model::DeviceAsks*> asks_of_;  // [member class]
    std::vector<Kind> kinds_;
    std::vector<std::uint32_t> kind_of_node_;  // [node]; nowhere: nothing is matched there.
    mutable InnerCounts counts_;
};

}  // namespace echelon::solver

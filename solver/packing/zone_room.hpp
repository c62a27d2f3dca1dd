#pragma once

// How many pods do the NUMA zones of a node hold? (NU2)
//
// The kubelet chooses the zone of a pod. So all pods that the zones don't show yet are packed together with those that
// are placed. Nodes of equal zones share one computation. Single-threaded, belongs to one search.

#include "model/topology/snapshot.hpp"
#include "solver/packing/inner_counts.hpp"
#include "solver/packing/search_budget.hpp"
#include "solver/packing/zone_packing.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace echelon::solver {

// Whose room is asked about: that of the cluster as it is, or as it would be without pods.
enum class Occupancy : std::uint8_t { now, empty };

class ZoneRoom {
public:
    ZoneRoom() = default;
    // `classes`: [member class] its pod class.
    ZoneRoom(const model::Snapshot& snapshot, std::span<const model::PodClassId> classes, Occupancy occupancy);

    // False if no zones matter to any of the classes. All below is then trivial.
    [[nodiscard]] bool exist() const { return !kinds_.empty(); }
    [[nodiscard]] bool bind(std::uint32_t member_class, model::NodeId node) const;
    // Pods of one class that the zones hold if no others are placed; many if the zones don't bind the class.
    [[nodiscard]] std::int64_t limit(std::uint32_t member_class, model::NodeId node) const;
    // The same beside pods that are placed: [member class] how many.
    [[nodiscard]] std::int64_t most(std::uint32_t member_class, model::NodeId node,
                                    std::span<const std::int64_t> placed) const;
    // The resource that a zone of the node has least of, for pods that the zones bind. Requires: they bind this class.
    [[nodiscard]] const std::string& scarcest(std::uint32_t member_class, model::NodeId node) const;
    // Equal only for nodes whose zones are equal.
    [[nodiscard]] std::uint64_t hash(model::NodeId node) const;
    // True if zones that hold a pod of `large` hold one of `small` in its place, on every node.
    [[nodiscard]] bool covers(std::uint32_t large, std::uint32_t small) const;
    // False if some question took too much work, and the answer "no" was not proved.
    [[nodiscard]] bool is_exact() const { return counts_.is_exact(); }
    // The work done since the last call.
    [[nodiscard]] Operations take_work() const { return counts_.take_work(); }

private:
    // The zones of some nodes, and what each class takes of them.
    struct Kind {
        std::vector<std::string> resources;
        std::vector<std::vector<std::int64_t>> zones;   // [zone][resource]
        std::vector<EqualParts> unreported;             // Of pods that the zones don't show yet.
        std::vector<std::vector<EqualParts>> parts_of;  // [member class]
    };

    bool add_kind(const model::Snapshot& snapshot, std::span<const model::PodClassId> classes,
                  const model::ZonedNode& zoned, Occupancy occupancy);
    [[nodiscard]] const Kind* kind_of(model::NodeId node) const;
    [[nodiscard]] std::int64_t count(const Kind& kind, std::uint32_t member_class,
                                     std::span<const std::int64_t> placed) const;
    [[nodiscard]] bool fits(const Kind& kind, std::uint32_t member_class, std::int64_t pods,
                            std::span<const std::int64_t> placed) const;

    std::vector<Kind> kinds_;
    std::vector<std::uint32_t> kind_of_node_;  // [node]; nowhere: zones don't matter there.
    mutable InnerCounts counts_;
};

// True if the zones of some node matter to pods of this class.
[[nodiscard]] bool zones_matter_to(const model::Snapshot& snapshot, model::PodClassId pod_class);

}  // namespace echelon::solver

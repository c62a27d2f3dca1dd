// The free room of nodes while a packing grows: amounts, pods that conflict, NUMA zones and devices.

#include "solver/packing/hash.hpp"
#include "solver/packing/packing.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace echelon::solver {

using model::NodeId;

PackingCapacity::PackingCapacity(const model::Snapshot& snapshot, const Room& room, const Demand& demand,
                                 std::vector<NodeId> nodes)
    : snapshot_(snapshot),
      classes_(demand.classes),
      conflicts_(demand.conflicts),
      inside_(demand.inside),
      placed_(demand.conflicts),
      placed_inside_(inside_.exist() ? nodes.size() * classes_.size() : 0, 0),
      nodes_(std::move(nodes)) {
    for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
        if (std::ranges::any_of(classes_,
                                [&](model::PodClassId pod_class) { return snapshot.need[pod_class][r] > 0; })) {
            resources_.push_back(r);
        }
    }
    if (resources_.empty() && !snapshot.resources.empty()) {
        resources_.push_back(0);
    }
    for (const model::PodClassId pod_class : classes_) {
        auto& row = requests_.emplace_back();
        for (const std::size_t r : resources_) {
            row.push_back(snapshot.need[pod_class][r]);
        }
    }
    room_.reserve(nodes_.size() * resources_.size());
    for (const NodeId node : nodes_) {
        for (const std::size_t r : resources_) {
            room_.push_back(room[r][node]);
        }
    }
}

std::int64_t PackingCapacity::slots(std::uint32_t member_class, std::size_t i) const {
    if (snapshot_.eligible[classes_[member_class]][nodes_[i]] == 0) {
        return 0;
    }
    std::int64_t slots = std::numeric_limits<std::int32_t>::max();
    const std::vector<std::int64_t>& need = requests_[member_class];
    const std::int64_t* room = room_.data() + i * resources_.size();
    for (std::size_t r = 0; r < need.size(); ++r) {
        if (need[r] > 0) {
            slots = room[r] < need[r] ? 0 : std::min(slots, room[r] / need[r]);
        }
    }
    if (slots > 0 && conflicts_.touch(member_class)) {
        slots = placed_.has_conflict_at(member_class, nodes_[i])
                    ? 0
                    : std::min(slots, conflicts_.limit(member_class, nodes_[i]));
    }
    if (slots > 0 && inside_.exist()) {
        slots = std::min(slots, inside_.most(member_class, nodes_[i], placed_inside(i)));
    }
    return slots;
}

std::uint64_t PackingCapacity::conflict_hash(std::size_t i) const {
    return placed_.hash_at(nodes_[i]);
}

std::uint64_t PackingCapacity::inner_hash(std::size_t i) const {
    std::uint64_t hash = inside_.hash(nodes_[i]);
    for (const std::int64_t pods : hash == 0 ? std::span<const std::int64_t>() : placed_inside(i)) {
        hash = mix(hash ^ static_cast<std::uint64_t>(pods));
    }
    return hash;
}

std::uint64_t PackingCapacity::topology_key_hash(std::size_t i) const {
    std::uint64_t hash = 0;
    for (const std::uint32_t topology_key : conflicts_.wide()) {
        hash = mix(hash ^ conflicts_.number(topology_key, nodes_[i]));
    }
    return hash;
}

void PackingCapacity::take(std::uint32_t member_class, std::size_t i, std::int64_t count) {
    for (std::size_t r = 0; r < resources_.size(); ++r) {
        room_[i * resources_.size() + r] -= count * requests_[member_class][r];
    }
    if (conflicts_.touch(member_class)) {
        placed_.add(member_class, nodes_[i], count);
    }
    if (inside_.exist()) {
        placed_inside_[i * classes_.size() + member_class] += count;
    }
}

void PackingCapacity::choose_scarce(std::span<const PodBatch> batches) {
    double worst = -1;
    for (std::size_t r = 0; r < resources_.size(); ++r) {
        if (snapshot_.resources[resources_[r]] == "pods" && resources_.size() > 1) {
            continue;
        }
        double need = 0;
        for (const PodBatch& batch : batches) {
            need += static_cast<double>(batch.count) * static_cast<double>(requests_[batch.member_class][r]);
        }
        double room = 1;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            room += static_cast<double>(std::max<std::int64_t>(0, room_[i * resources_.size() + r]));
        }
        if (const double share = need / room; share > worst) {
            worst = share;
            scarce_ = r;
        }
    }
}

}  // namespace echelon::solver

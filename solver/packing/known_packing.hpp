#pragma once

// Where could the pods of a partial plan go, as far as that is known? Keeps one packing of them, and adds pods to it by
// first fit.
//
// Pods that find nodes beside all others are proved to fit, and the others are not packed again: a gang of many small
// groups costs little in a cluster with plenty of room. A failure proves nothing. Single-threaded, belongs to one
// search.

#include "model/topology/snapshot.hpp"
#include "solver/packing/demand.hpp"
#include "solver/packing/member_conflicts.hpp"
#include "solver/packing/scopes.hpp"
#include "solver/packing/search_budget.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace echelon::solver {

struct PodsOnNode {
    std::uint32_t member_class = 0;
    model::NodeId node = 0;
    std::int64_t count = 0;
};

class KnownPacking {
public:
    KnownPacking(const model::Snapshot& snapshot, const Room& room, const Demand& demand, const Scopes& scopes)
        : snapshot_(snapshot), room_(room), demand_(demand), scopes_(scopes), placed_(demand.conflicts) {}

    // Finds nodes in the scope for more pods, [member class] how many, and appends them to `nodes`. False, and nothing
    // changes, if first fit finds too few.
    [[nodiscard]] bool add(ScopeId scope, std::span<const std::int64_t> pods, std::vector<PodsOnNode>& nodes);
    // Puts pods where they were before. False, and nothing changes, if the room was taken since.
    [[nodiscard]] bool put_back(std::span<const PodsOnNode> nodes);
    void remove(std::span<const PodsOnNode> nodes);

    // The work done since the last call.
    [[nodiscard]] Operations take_work() { return std::exchange(work_, 0); }

private:
    [[nodiscard]] bool add_class(ScopeId scope, std::uint32_t member_class, std::int64_t count,
                                 std::vector<PodsOnNode>& nodes);
    [[nodiscard]] std::int64_t slots(std::uint32_t member_class, model::NodeId node);
    void take(std::uint32_t member_class, model::NodeId node, std::int64_t count);

    const model::Snapshot& snapshot_;
    const Room& room_;
    const Demand& demand_;
    const Scopes& scopes_;
    PlacedCounts placed_;
    std::unordered_map<model::NodeId, std::vector<std::int64_t>> used_;  // [resource]
    // By member class and scope: the position in the order of the scope's tree that took the last pod.
    std::map<std::pair<std::uint32_t, ScopeId>, std::uint32_t> last_;
    std::int64_t pods_ = 0;
    Operations work_ = 0;
};

}  // namespace echelon::solver

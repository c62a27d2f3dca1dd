#include "solver/zone_violations.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace echelon::solver {
namespace {

using model::Amounts;
using model::NodeId;

// More are not checked: the plan is then refused.
constexpr std::size_t most_states = 200'000;

// Fills zones one after another with parts of pods, and asks whether any part is left.
class ZoneFilling {
public:
    ZoneFilling(const std::vector<model::Zone>& zones, const std::map<Amounts, std::int64_t>& parts) : zones_(zones) {
        for (const auto& [part, count] : parts) {
            parts_.push_back(part);
            left_.push_back(count);
        }
    }

    bool fits() { return fill(0); }

private:
    bool fill(std::size_t zone) {
        if (std::ranges::all_of(left_, [](std::int64_t count) { return count == 0; })) {
            return true;
        }
        if (zone == zones_.size() || seen_.size() >= most_states || !seen_.emplace(zone, left_).second) {
            return false;
        }
        return choose(zone, 0, zones_[zone].available);
    }

    // Decides how many parts of one kind the zone takes. Of the last kind it takes all it can: that is never worse.
    bool choose(std::size_t zone, std::size_t kind, const Amounts& room) {
        if (kind == parts_.size()) {
            return fill(zone + 1);
        }
        const std::int64_t most = most_in(room, parts_[kind], left_[kind]);
        const std::int64_t least = kind + 1 == parts_.size() ? most : 0;
        for (std::int64_t count = most; count >= least; --count) {
            Amounts rest = room;
            for (const auto& [resource, need] : parts_[kind].entries()) {
                rest.set(resource, room.of(resource) - count * need);
            }
            left_[kind] -= count;
            const bool fits = choose(zone, kind + 1, rest);
            left_[kind] += count;
            if (fits) {
                return true;
            }
        }
        return false;
    }

    static std::int64_t most_in(const Amounts& room, const Amounts& part, std::int64_t most) {
        for (const auto& [resource, need] : part.entries()) {
            most = std::min(most, room.of(resource) / need);
        }
        return most;
    }

    const std::vector<model::Zone>& zones_;
    std::vector<Amounts> parts_;
    std::vector<std::int64_t> left_;  // [part]
    std::set<std::pair<std::size_t, std::vector<std::int64_t>>> seen_;
};

}  // namespace

std::vector<std::string> broken_zones(const model::Snapshot& snapshot, const model::Gang& gang, const Plan& plan) {
    std::map<NodeId, std::map<Amounts, std::int64_t>> parts_on;
    for (const Seat& seat : plan.seats) {
        const auto zoned = snapshot.zoned.find(seat.node);
        if (zoned == snapshot.zoned.end()) {
            continue;
        }
        const model::PodClass& of = snapshot.shapes[gang.members[seat.member].shape];
        for (const Amounts& part : model::zone_parts(of.requests, *of.alignment, *zoned->second.zones)) {
            ++parts_on[seat.node][part];
        }
    }
    std::vector<std::string> broken;
    for (auto& [node, parts] : parts_on) {
        const model::ZonedNode& zoned = snapshot.zoned.at(node);
        for (const auto& [unreported, pods] : zoned.unreported) {
            for (const Amounts& part : unreported) {
                parts[part] += pods;
            }
        }
        if (!ZoneFilling(zoned.zones->zones, parts).fits()) {
            broken.push_back(
                fmt::format("the pods on node {} fit into its NUMA zones in no way", snapshot.node_names[node]));
        }
    }
    return broken;
}

}  // namespace echelon::solver

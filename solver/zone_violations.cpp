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

// [member] The outermost group around it whose members share a zone; nowhere: none.
std::vector<std::uint32_t> zone_groups_of(const model::Gang& gang) {
    std::vector<std::uint32_t> around(gang.groups.size(), model::nowhere);
    std::vector<std::uint32_t> of_member(gang.members.size(), model::nowhere);
    for (std::uint32_t g = 0; g < gang.groups.size(); ++g) {  // Parents before children.
        const model::GangGroup& group = gang.groups[g];
        around[g] = group.parent == model::nowhere ? model::nowhere : around[group.parent];
        if (around[g] == model::nowhere && group.is_in_one_zone) {
            around[g] = g;
        }
        for (auto m = group.first_member; group.is_leaf && m < group.last_member; ++m) {
            of_member[m] = around[g];
        }
    }
    return of_member;
}

}  // namespace

std::vector<std::string> broken_zones(const model::Snapshot& snapshot, const model::Gang& gang, const Plan& plan) {
    if (snapshot.zoned.empty()) {
        return {};
    }
    std::map<NodeId, std::map<Amounts, std::int64_t>> parts_on;
    const std::vector<std::uint32_t> group_of = zone_groups_of(gang);
    std::map<std::pair<NodeId, std::uint32_t>, Amounts> together;  // What a group has on a node (NU3).
    for (const Seat& seat : plan.seats) {
        const auto zoned = snapshot.zoned.find(seat.node);
        if (zoned == snapshot.zoned.end()) {
            continue;
        }
        const model::PodClass& of = snapshot.pod_classes[gang.members[seat.member].pod_class];
        if (const std::uint32_t group = group_of[seat.member]; group != model::nowhere) {
            together[{seat.node, group}].add(model::aligned_together(of.requests, *of.alignment));
            continue;
        }
        for (const Amounts& part : model::zone_parts(of.requests, *of.alignment, *zoned->second.zones)) {
            ++parts_on[seat.node][part];
        }
    }
    for (const auto& [where, all] : together) {
        Amounts given;
        for (const auto& [resource, amount] : all.entries()) {
            if (std::ranges::any_of(snapshot.zoned.at(where.first).zones->zones,
                                    [&](const model::Zone& zone) { return zone.allocatable.of(resource) > 0; })) {
                given.set(resource, amount);
            }
        }
        if (!given.empty()) {
            ++parts_on[where.first][given];
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

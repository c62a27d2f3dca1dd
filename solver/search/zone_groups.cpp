#include "solver/search/zone_groups.hpp"

#include "model/facts/node_zones.hpp"
#include "model/facts/usage.hpp"
#include "solver/packing/demand.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace echelon::solver {
namespace {

using model::Gang;
using model::GangGroup;
using model::Member;
using model::NodeId;
using model::nowhere;
using model::PodClass;
using model::Snapshot;

// More than the room of any node. Sums of needs end there.
const std::int64_t beyond_any_node = 2 * model::bounded(std::numeric_limits<std::int64_t>::max());

class Joining {
public:
    Joining(const Snapshot& snapshot, const Gang& gang, Together together)
        : from_(gang),
          together_(together),
          demand_(demand_of(snapshot, gang)),
          new_index_(gang.groups.size(), nowhere) {
        out_.snapshot = snapshot;
        out_.gang = gang;
        out_.gang.groups.clear();
        out_.gang.members.clear();
    }

    ZoneGang run() {
        add(0, nowhere);
        renumber();
        return std::move(out_);
    }

private:
    void add(std::uint32_t group, std::uint32_t parent) {
        const auto index = static_cast<std::uint32_t>(out_.gang.groups.size());
        new_index_[group] = index;
        out_.gang.groups.push_back(from_.groups[group]);
        out_.gang.groups[index].parent = parent;
        out_.gang.groups[index].children.clear();
        if (from_.groups[group].is_in_one_zone) {
            join(group, index);
            return;
        }
        out_.gang.groups[index].floor = has_joined_below(group) ? 0 : from_.groups[group].floor;
        if (from_.groups[group].is_leaf) {
            open(index);
            for (auto m = from_.groups[group].first_member; m < from_.groups[group].last_member; ++m) {
                add_member(from_.members[m], {m});
            }
            close(index);
        }
        for (const std::uint32_t child : from_.groups[group].children) {
            out_.gang.groups[index].children.push_back(static_cast<std::uint32_t>(out_.gang.groups.size()));
            add(child, index);
        }
    }

    // A floor counts pods, and the pod of a group is several: the referee judges it.
    [[nodiscard]] bool has_joined_below(std::uint32_t group) const {
        return from_.groups[group].is_in_one_zone ||
               std::ranges::any_of(from_.groups[group].children,
                                   [&](std::uint32_t child) { return has_joined_below(child); });
    }

    void open(std::uint32_t index) {
        out_.gang.groups[index].first_member = static_cast<std::uint32_t>(out_.gang.members.size());
    }
    void close(std::uint32_t index) {
        out_.gang.groups[index].last_member = static_cast<std::uint32_t>(out_.gang.members.size());
    }
    void add_member(const Member& member, std::vector<std::uint32_t> originals) {
        out_.gang.members.push_back(member);
        out_.members.push_back(std::move(originals));
    }

    // The whole subtree becomes a leaf.
    void join(std::uint32_t group, std::uint32_t index) {
        open(index);
        std::vector<std::uint32_t> waiting;
        std::int64_t lacking = 0;
        std::int64_t counting = 0;
        collect(group, index, waiting, lacking, counting);
        if (!waiting.empty()) {
            add_member(joined(waiting), waiting);
        }
        close(index);
        GangGroup& leaf = out_.gang.groups[index];
        leaf.is_leaf = true;
        leaf.basic = false;
        leaf.floor = 0;
        leaf.minimum = counting + (lacking > 0 ? 1 : 0);
        leaf.multiples.clear();
    }

    // Members that run count and pin the host as before; `waiting` gets those that go together.
    void collect(std::uint32_t group, std::uint32_t index, std::vector<std::uint32_t>& waiting, std::int64_t& lacking,
                 std::int64_t& counting) {
        const GangGroup& source = from_.groups[group];
        new_index_[group] = index;
        for (const model::LevelRef level : source.required) {
            auto& required = out_.gang.groups[index].required;
            if (std::ranges::find(required, level) == required.end()) {
                required.push_back(level);
            }
        }
        std::int64_t left =
            together_ == Together::all ? source.last_member - source.first_member : demand_.groups[group].lacking;
        for (auto m = source.first_member; source.is_leaf && m < source.last_member; ++m) {
            const Member& member = from_.members[m];
            if (member.state != Member::State::waiting) {
                add_member(member, {m});
            } else if (left-- > 0) {
                waiting.push_back(m);
            } else {
                out_.leaves_out = true;
                out_.is_exact =
                    out_.is_exact && (waiting.empty() || from_.members[waiting.back()].pod_class == member.pod_class);
            }
        }
        if (source.is_leaf) {
            lacking += demand_.groups[group].lacking;
            counting += demand_.groups[group].counting;
        }
        for (const std::uint32_t child : source.children) {
            collect(child, index, waiting, lacking, counting);
        }
    }

    // A pod of a new class that asks for what all of these members ask for.
    Member joined(const std::vector<std::uint32_t>& waiting) {
        Member one = from_.members[waiting.front()];
        Snapshot& snapshot = out_.snapshot;
        PodClass pod_class = snapshot.pod_classes[one.pod_class];
        pod_class.requests = {};
        model::Amounts aligned;
        model::DeviceAsks devices;
        std::vector<std::int64_t> need(snapshot.resources.size(), 0);
        std::vector<std::uint8_t> eligible(snapshot.node_count(), 0);
        for (const auto& [node, zoned] : snapshot.zoned) {
            eligible[node] = 1;
        }
        for (const std::uint32_t m : waiting) {
            const Member& member = from_.members[m];
            const PodClass& of = snapshot.pod_classes[member.pod_class];
            pod_class.requests.add(of.requests);
            aligned.add(model::aligned_together(of.requests, *of.alignment));
            devices.insert(devices.end(), of.devices->begin(), of.devices->end());
            for (std::size_t r = 0; r < need.size(); ++r) {
                need[r] = std::min(beyond_any_node, need[r] + snapshot.need[member.pod_class][r]);
            }
            for (NodeId node = 0; node < eligible.size(); ++node) {
                eligible[node] = eligible[node] != 0 && snapshot.eligible[member.pod_class][node] != 0 &&
                                         !from_.affinity.is_barred(member.affinity_class, node)
                                     ? 1
                                     : 0;
            }
            one.affinity_class = member.affinity_class == one.affinity_class ? one.affinity_class : 0;
            one.is_placeholder = one.is_placeholder && member.is_placeholder;
        }
        std::ranges::sort(devices);
        pod_class.alignment = model::Alignment{.is_guaranteed = true, .containers = {{.requests = std::move(aligned)}}};
        pod_class.devices = std::move(devices);
        one.pod_class = static_cast<model::PodClassId>(snapshot.pod_classes.size());
        snapshot.pod_classes.push_back(std::move(pod_class));
        snapshot.need.push_back(std::move(need));
        snapshot.eligible.push_back(std::move(eligible));
        return one;
    }

    void renumber() {
        Gang& gang = out_.gang;
        const auto is_joined = [&](std::uint32_t group) { return gang.groups[new_index_[group]].is_in_one_zone; };
        std::erase_if(gang.domain_limits, [&](const model::DomainLimit& limit) { return is_joined(limit.group); });
        std::erase_if(gang.pairings, [&](const model::Pairing& pairing) {
            return std::ranges::any_of(from_.groups[pairing.group].children, is_joined) || is_joined(pairing.group);
        });
        std::erase_if(gang.gated_members, [&](const model::GatedMember& gated) { return is_joined(gated.group); });
        for (auto& limit : gang.domain_limits) {
            limit.group = new_index_[limit.group];
        }
        for (auto& pairing : gang.pairings) {
            pairing.group = new_index_[pairing.group];
        }
        for (auto& gated : gang.gated_members) {
            gated.group = new_index_[gated.group];
        }
        for (GangGroup& group : gang.groups) {
            for (std::uint32_t& before : group.after) {
                before = new_index_[before];
            }
        }
    }

    const Gang& from_;
    Together together_;
    Demand demand_;
    std::vector<std::uint32_t> new_index_;  // [group]; of a group in a joined one: that of the leaf.
    ZoneGang out_;
};

}  // namespace

bool has_zone_groups(const Gang& gang) {
    return std::ranges::any_of(gang.groups, &GangGroup::is_in_one_zone);
}

ZoneGang with_pods_of_groups(const Snapshot& snapshot, const Gang& gang, Together together) {
    return Joining(snapshot, gang, together).run();
}

std::vector<Seat> seats_of_members(const ZoneGang& zone_gang, const Plan& plan) {
    std::vector<Seat> seats;
    for (const Seat& seat : plan.seats) {
        for (const std::uint32_t member : zone_gang.members[seat.member]) {
            seats.push_back({.member = member, .node = seat.node});
        }
    }
    std::ranges::sort(seats);
    return seats;
}

}  // namespace echelon::solver

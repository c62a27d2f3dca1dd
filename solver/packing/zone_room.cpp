#include "solver/packing/zone_room.hpp"

#include "model/facts/host_ports.hpp"
#include "solver/packing/hash.hpp"
#include "solver/packing/slots.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace echelon::solver {
namespace {

using model::NodeId;
using model::ZonedNode;
using model::ZoneParts;

using Unreported = std::map<ZoneParts, std::int64_t>;

// Nodes with equal keys are alike to these classes: what their zones have of the resources that matter, and the pods
// that the zones don't show.
using Key = std::pair<std::vector<std::int64_t>, Unreported>;

void note(const model::Amounts& amounts, std::set<std::string>& names) {
    for (const auto& [name, amount] : amounts.entries()) {
        names.insert(name);
    }
}

// What the zones have of these resources; empty: they give none of them.
std::vector<std::int64_t> numbers_of(const model::NodeZones& zones, const std::set<std::string>& names,
                                     Occupancy occupancy) {
    std::vector<std::int64_t> numbers;
    numbers.reserve(1 + names.size() * (1 + zones.zones.size()));
    numbers.push_back(static_cast<std::int64_t>(zones.scope));
    bool matters = false;
    for (const std::string& name : names) {
        bool is_given = false;
        for (const model::Zone& zone : zones.zones) {
            const std::int64_t allocatable = zone.allocatable.of(name);
            is_given = is_given || allocatable > 0;
            numbers.push_back(occupancy == Occupancy::empty ? allocatable : zone.available.of(name));
        }
        numbers.push_back(is_given ? 1 : 0);
        matters = matters || is_given;
    }
    if (!matters) {
        numbers.clear();
    }
    return numbers;
}

Key key_of(const ZonedNode& zoned, const std::set<std::string>& names, Occupancy occupancy) {
    if (occupancy == Occupancy::empty || zoned.unreported.empty()) {
        return {numbers_of(*zoned.zones, names, occupancy), {}};
    }
    std::set<std::string> all = names;
    for (const auto& [parts, pods] : zoned.unreported) {
        std::ranges::for_each(parts, [&all](const model::Amounts& part) { note(part, all); });
    }
    return {numbers_of(*zoned.zones, all, occupancy), zoned.unreported};
}

// False if the kubelet aligns nothing of such pods on any node.
bool may_be_aligned(const model::PodClass& pod_class) {
    return pod_class.alignment->is_guaranteed ||
           std::ranges::any_of(pod_class.requests.entries(), [](const model::Amounts::Entry& entry) {
               return entry.first != "cpu" && entry.first != "memory" && entry.first != "pods" &&
                      !model::is_host_port(entry.first);
           });
}

// Counts equal parts together.
void add(std::vector<EqualParts>& all, const std::vector<std::int64_t>& needs, std::int64_t count) {
    const auto same = std::ranges::find(all, needs, &EqualParts::needs);
    if (same == all.end()) {
        all.push_back({.needs = needs, .count = count});
    } else {
        same->count += count;
    }
}

std::vector<EqualParts> equal_parts(const ZoneParts& parts, const std::vector<std::string>& resources,
                                    std::int64_t pods) {
    std::vector<EqualParts> all;
    for (const model::Amounts& part : parts) {
        std::vector<std::int64_t> needs;
        for (const std::string& resource : resources) {
            needs.push_back(part.of(resource));
        }
        if (std::ranges::any_of(needs, [](std::int64_t need) { return need > 0; })) {
            add(all, needs, pods);
        }
    }
    return all;
}

// At most this many parts of one kind.
std::int64_t slots_in(const std::vector<std::vector<std::int64_t>>& zones, const std::vector<std::int64_t>& needs) {
    std::int64_t slots = 0;
    for (const auto& zone : zones) {
        std::int64_t here = most_slots;
        for (std::size_t r = 0; r < zone.size(); ++r) {
            here = needs[r] > 0 ? std::min(here, std::max<std::int64_t>(zone[r], 0) / needs[r]) : here;
        }
        slots += here;
    }
    return std::min(slots, most_slots);
}

}  // namespace

ZoneRoom::ZoneRoom(const model::Snapshot& snapshot, std::span<const model::PodClassId> classes, Occupancy occupancy) {
    if (snapshot.zoned.empty()) {
        return;
    }
    std::set<std::string> names;
    for (const model::PodClassId pod_class : classes) {
        if (may_be_aligned(snapshot.pod_classes[pod_class])) {
            note(snapshot.pod_classes[pod_class].requests, names);
        }
    }
    std::map<Key, std::uint32_t> kinds;
    for (auto at = snapshot.zoned.begin(); at != snapshot.zoned.end() && !names.empty(); ++at) {
        const auto& [node, zoned] = *at;
        counts_.add_work(32 * (1 + names.size()));
        Key key = key_of(zoned, names, occupancy);
        if (key.first.empty()) {
            continue;
        }
        const auto [known, is_new] = kinds.try_emplace(std::move(key), model::nowhere);
        if (is_new && add_kind(snapshot, classes, zoned, occupancy)) {
            known->second = static_cast<std::uint32_t>(kinds_.size() - 1);
        }
        if (known->second != model::nowhere) {
            kind_of_node_.resize(snapshot.node_count(), model::nowhere);
            kind_of_node_[node] = known->second;
        }
    }
}

// False: these zones matter to no class.
bool ZoneRoom::add_kind(const model::Snapshot& snapshot, std::span<const model::PodClassId> classes,
                        const ZonedNode& zoned, Occupancy occupancy) {
    std::vector<ZoneParts> parts;
    std::set<std::string> names;
    const auto note_parts = [&names](const ZoneParts& of) {
        std::ranges::for_each(of, [&names](const model::Amounts& part) { note(part, names); });
    };
    for (const model::PodClassId pod_class : classes) {
        const model::PodClass& of = snapshot.pod_classes[pod_class];
        note_parts(parts.emplace_back(model::zone_parts(of.requests, *of.alignment, *zoned.zones)));
    }
    if (names.empty()) {
        return false;
    }
    for (const auto& [unreported, pods] : zoned.unreported) {
        note_parts(unreported);  // Any resource decides in which zones they can be.
    }
    Kind& kind = kinds_.emplace_back();
    kind.resources.assign(names.begin(), names.end());
    for (const model::Zone& zone : zoned.zones->zones) {
        auto& row = kind.zones.emplace_back();
        for (const std::string& resource : kind.resources) {
            row.push_back((occupancy == Occupancy::empty ? zone.allocatable : zone.available).of(resource));
        }
    }
    for (const auto& [unreported, pods] : zoned.unreported) {
        for (const EqualParts& each : equal_parts(unreported, kind.resources, pods)) {
            if (occupancy == Occupancy::now) {
                add(kind.unreported, each.needs, each.count);
            }
        }
    }
    for (const ZoneParts& of_class : parts) {
        kind.parts_of.push_back(equal_parts(of_class, kind.resources, 1));
    }
    return true;
}

const ZoneRoom::Kind* ZoneRoom::kind_of(NodeId node) const {
    const std::uint32_t kind = kind_of_node_.empty() ? model::nowhere : kind_of_node_[node];
    return kind == model::nowhere ? nullptr : &kinds_[kind];
}

bool ZoneRoom::bind(std::uint32_t member_class, NodeId node) const {
    const Kind* kind = kind_of(node);
    return kind != nullptr && !kind->parts_of[member_class].empty();
}

std::uint64_t ZoneRoom::hash(NodeId node) const {
    return kind_of(node) == nullptr ? 0 : mix(kind_of_node_[node] + 1U);
}

const std::string& ZoneRoom::scarcest(std::uint32_t member_class, NodeId node) const {
    const Kind& kind = *kind_of(node);
    std::size_t scarcest = 0;
    std::int64_t least = most_slots + 1;
    for (const EqualParts& each : kind.parts_of[member_class]) {
        for (std::size_t r = 0; r < kind.resources.size(); ++r) {
            std::vector<std::int64_t> alone(kind.resources.size(), 0);
            alone[r] = each.needs[r];
            // Of equally scarce ones, a device is named rather than cpu or memory.
            if (const std::int64_t slots = each.needs[r] > 0 ? slots_in(kind.zones, alone) : most_slots + 1;
                slots < least || (slots == least && kind.resources[r].contains('/'))) {
                scarcest = r;
                least = slots;
            }
        }
    }
    return kind.resources[scarcest];
}

std::int64_t ZoneRoom::limit(std::uint32_t member_class, NodeId node) const {
    return most(member_class, node, {});
}

std::int64_t ZoneRoom::most(std::uint32_t member_class, NodeId node, std::span<const std::int64_t> placed) const {
    if (!bind(member_class, node)) {
        return most_slots;
    }
    const Kind& kind = *kind_of(node);
    const auto matters = [&kind](std::size_t other) { return !kind.parts_of[other].empty(); };
    return counts_.most(kind_of_node_[node], member_class, placed, matters,
                        [&](std::span<const std::int64_t> beside) { return count(kind, member_class, beside); });
}

std::int64_t ZoneRoom::count(const Kind& kind, std::uint32_t member_class, std::span<const std::int64_t> placed) const {
    std::int64_t most = most_slots;
    for (const EqualParts& each : kind.parts_of[member_class]) {
        most = std::min(most, slots_in(kind.zones, each.needs) / each.count);
    }
    const bool is_alone =
        kind.unreported.empty() && placed.empty() && kind.parts_of[member_class].size() == 1;  // `most` is exact.
    if (is_alone || fits(kind, member_class, most, placed)) {
        return most;
    }
    // -1: the pods that are there don't fit by themselves.
    const std::int64_t largest =
        largest_that_fits(-1, most, [&](std::int64_t pods) { return fits(kind, member_class, pods, placed); });
    return std::max<std::int64_t>(largest, 0);
}

bool ZoneRoom::fits(const Kind& kind, std::uint32_t member_class, std::int64_t pods,
                    std::span<const std::int64_t> placed) const {
    std::vector<EqualParts> parts = kind.unreported;
    for (std::size_t other = 0; other < placed.size(); ++other) {
        for (const EqualParts& each : kind.parts_of[other]) {
            if (placed[other] > 0) {
                add(parts, each.needs, each.count * placed[other]);
            }
        }
    }
    for (const EqualParts& each : kind.parts_of[member_class]) {
        add(parts, each.needs, each.count * pods);
    }
    return counts_.note(fit_into_zones(kind.zones, std::move(parts), counts_.work()));
}

bool ZoneRoom::covers(std::uint32_t large, std::uint32_t small) const {
    return std::ranges::all_of(kinds_, [&](const Kind& kind) {
        const std::vector<EqualParts>& theirs = kind.parts_of[large];
        const std::vector<EqualParts>& ours = kind.parts_of[small];
        const bool are_single = theirs.size() == 1 && ours.size() == 1 && ours.front().count <= theirs.front().count;
        return ours.empty() || theirs == ours ||
               (are_single &&
                std::ranges::equal(theirs.front().needs, ours.front().needs, std::ranges::greater_equal{}));
    });
}

bool zones_matter_to(const model::Snapshot& snapshot, model::PodClassId pod_class) {
    const model::PodClass& of = snapshot.pod_classes[pod_class];
    return may_be_aligned(of) && std::ranges::any_of(snapshot.zoned, [&](const auto& entry) {
               return !model::zone_parts(of.requests, *of.alignment, *entry.second.zones).empty();
           });
}

}  // namespace echelon::solver

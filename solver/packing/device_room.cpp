#include "solver/packing/device_room.hpp"

#include "solver/packing/hash.hpp"
#include "solver/packing/slots.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace echelon::solver {
namespace {

using model::DeviceAsks;
using model::MatchedNode;
using model::NodeId;

struct IsBefore {
    bool operator()(const MatchedNode* a, const MatchedNode* b) const {
        return std::tie(*a->devices, a->expected) < std::tie(*b->devices, b->expected);
    }
};

void add(ClaimCounts& claims, const DeviceAsks& asks, std::int64_t pods) {
    for (const model::ClaimAsk& ask : asks) {
        claims[ask] += pods;
    }
}

// The fewest devices that such a pod takes.
std::int64_t least_devices(const DeviceAsks& asks) {
    const auto devices = [](const model::DeviceChoice& choice) { return choice.wants_all ? 1 : choice.count; };
    std::int64_t least = 0;
    for (const model::ClaimAsk& ask : asks) {
        for (const auto& request : ask.requests) {
            least += devices(*std::ranges::min_element(request, {}, devices));
        }
    }
    return least;
}

}  // namespace

DeviceRoom::DeviceRoom(const model::Snapshot& snapshot, std::span<const model::PodClassId> classes, Occupancy occupancy)
    : occupancy_(occupancy) {
    if (snapshot.matched.empty()) {
        return;
    }
    for (const model::PodClassId pod_class : classes) {
        asks_of_.push_back(&*snapshot.pod_classes[pod_class].devices);
    }
    if (std::ranges::all_of(asks_of_, &DeviceAsks::empty)) {
        return;
    }
    kind_of_node_.assign(snapshot.node_count(), model::nowhere);
    std::map<const MatchedNode*, std::uint32_t, IsBefore> kinds;
    for (const auto& [node, matched] : snapshot.matched) {
        counts_.add_work(32 * (1 + matched.devices->devices.size()));
        const auto [known, is_new] = kinds.emplace(&matched, static_cast<std::uint32_t>(kinds_.size()));
        if (is_new) {
            kinds_.push_back({&matched, DeviceMatching(*matched.devices, occupancy == Occupancy::empty)});
        }
        kind_of_node_[node] = known->second;
    }
}

const DeviceRoom::Kind* DeviceRoom::kind_of(NodeId node) const {
    const std::uint32_t kind = kind_of_node_.empty() ? model::nowhere : kind_of_node_[node];
    return kind == model::nowhere ? nullptr : &kinds_[kind];
}

bool DeviceRoom::bind(std::uint32_t member_class, NodeId node) const {
    return kind_of(node) != nullptr && !asks_of_[member_class]->empty();
}

std::uint64_t DeviceRoom::hash(NodeId node) const {
    return kind_of(node) == nullptr ? 0 : mix(kind_of_node_[node] + 1U);
}

bool DeviceRoom::covers(std::uint32_t large, std::uint32_t small) const {
    return kinds_.empty() || asks_of_[small]->empty() || *asks_of_[small] == *asks_of_[large];
}

std::int64_t DeviceRoom::most(std::uint32_t member_class, NodeId node, std::span<const std::int64_t> placed) const {
    if (!bind(member_class, node)) {
        return most_slots;
    }
    const auto matters = [this](std::size_t other) { return !asks_of_[other]->empty(); };
    return counts_.most(kind_of_node_[node], member_class, placed, matters, [&](std::span<const std::int64_t> beside) {
        return count(*kind_of(node), member_class, beside);
    });
}

std::int64_t DeviceRoom::count(const Kind& kind, std::uint32_t member_class,
                               std::span<const std::int64_t> placed) const {
    const std::int64_t devices = std::ssize(kind.node->devices->devices);
    const std::int64_t most = devices / std::max<std::int64_t>(1, least_devices(*asks_of_[member_class]));
    if (fits(kind, member_class, most, placed)) {
        return most;
    }
    // 0 fits, unless the pods that are there don't fit by themselves: then none is added, either.
    return largest_that_fits(0, most, [&](std::int64_t pods) { return fits(kind, member_class, pods, placed); });
}

bool DeviceRoom::fits(const Kind& kind, std::uint32_t member_class, std::int64_t pods,
                      std::span<const std::int64_t> placed) const {
    ClaimCounts claims;
    for (const auto& [asks, count] : kind.node->expected) {
        if (occupancy_ == Occupancy::now) {
            add(claims, asks, count);
        }
    }
    for (std::size_t other = 0; other < placed.size(); ++other) {
        if (placed[other] > 0) {
            add(claims, *asks_of_[other], placed[other]);
        }
    }
    if (pods > 0) {
        add(claims, *asks_of_[member_class], pods);
    }
    return counts_.note(kind.matching.fit(claims, counts_.work()));
}

std::string DeviceRoom::words(std::uint32_t member_class) const {
    for (const model::ClaimAsk& ask : *asks_of_[member_class]) {
        std::string words = ask.requests.front().front().kind;
        for (const model::AttributeRule& rule : ask.rules) {
            words += (rule.is_distinct ? " with different " : " with equal ") + rule.attribute;
        }
        return words;
    }
    return {};
}

}  // namespace echelon::solver

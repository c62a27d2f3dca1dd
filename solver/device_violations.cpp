#include "solver/device_violations.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace echelon::solver {
namespace {

using model::ClaimAsk;
using model::DeviceAsks;
using model::DeviceChoice;
using model::MatchedNode;
using model::NodeDevices;
using model::NodeId;

// More are not checked: the plan is then refused.
constexpr std::size_t most_tries = 200'000;

// Gives each claim its devices, one after the other.
class Allocation {
public:
    Allocation(const NodeDevices& node, std::vector<const ClaimAsk*> claims)
        : node_(node), claims_(std::move(claims)), counters_(node.counters) {
        for (const auto& item : node.devices) {
            is_given_.push_back(item.is_taken);
            if (item.is_taken) {
                shift(item, -1);
            }
        }
    }

    bool succeeds() { return allocate(0); }

private:
    bool allocate(std::size_t claim) {
        if (claim == claims_.size()) {
            return true;
        }
        if (tries_ > most_tries || !seen_.emplace(claim, is_given_).second) {
            return false;
        }
        std::vector<const DeviceChoice*> choices;
        return choose(claim, choices);
    }

    // Decides on a choice for each request first.
    bool choose(std::size_t claim, std::vector<const DeviceChoice*>& choices) {
        const auto& requests = claims_[claim]->requests;
        if (choices.size() == requests.size()) {
            std::vector<std::pair<const DeviceChoice*, std::size_t>> had;
            return give(claim, choices, had);
        }
        for (const DeviceChoice& choice : requests[choices.size()]) {
            choices.push_back(&choice);
            const bool succeeds = choose(claim, choices);
            choices.pop_back();
            if (succeeds) {
                return true;
            }
        }
        return false;
    }

    // `had`: devices of the claim so far. Those of one choice are in ascending order.
    bool give(std::size_t claim, const std::vector<const DeviceChoice*>& choices,
              std::vector<std::pair<const DeviceChoice*, std::size_t>>& had) {
        const DeviceChoice* next = next_choice(choices, had);
        if (next == nullptr) {
            return allocate(claim + 1);
        }
        std::size_t first = 0;
        if (!had.empty() && had.back().first == next) {
            first = had.back().second + 1;
        }
        for (std::size_t device = first; device < is_given_.size() && ++tries_ <= most_tries; ++device) {
            if (!may_have(*claims_[claim], *next, device, had)) {
                continue;
            }
            is_given_[device] = true;
            shift(node_.devices[device], -1);
            had.emplace_back(next, device);
            const bool succeeds = give(claim, choices, had);
            had.pop_back();
            shift(node_.devices[device], 1);
            is_given_[device] = false;
            if (succeeds) {
                return true;
            }
        }
        return false;
    }

    // The first choice that lacks devices; null: none.
    const DeviceChoice* next_choice(const std::vector<const DeviceChoice*>& choices,
                                    const std::vector<std::pair<const DeviceChoice*, std::size_t>>& had) const {
        for (const DeviceChoice* choice : choices) {
            const auto has = std::ranges::count(had, choice, [](const auto& entry) { return entry.first; });
            if (has < (choice->wants_all ? all_of(*choice) : choice->count)) {
                return choice;
            }
        }
        return nullptr;
    }

    // At least one; more than there are, if a request for all can't be served.
    std::int64_t all_of(const DeviceChoice& choice) const {
        const auto is_meant = [&](const NodeDevices::Item& item) { return names(item.takers, choice); };
        return names(node_.never_all, choice)
                   ? std::ssize(node_.devices) + 1
                   : std::max<std::int64_t>(1, std::ranges::count_if(node_.devices, is_meant));
    }

    // `kinds`: one bit for each kind of the node.
    bool names(std::uint64_t kinds, const DeviceChoice& choice) const {
        const auto kind = std::ranges::find(node_.kinds, choice.kind) - node_.kinds.begin();
        return kind < std::ssize(node_.kinds) && ((kinds >> static_cast<unsigned>(kind)) & 1U) != 0;
    }

    bool may_have(const ClaimAsk& claim, const DeviceChoice& choice, std::size_t device,
                  const std::vector<std::pair<const DeviceChoice*, std::size_t>>& had) const {
        const NodeDevices::Item& item = node_.devices[device];
        const auto has = [&](const auto& counter) { return counters_[counter.first] >= counter.second; };
        const auto is_kept = [&](std::uint32_t rule) { return keeps(claim.rules[rule], rule, item, had); };
        return !is_given_[device] && names(item.takers & ~item.hidden, choice) &&
               std::ranges::all_of(item.counters, has) && std::ranges::all_of(choice.rules, is_kept);
    }

    bool keeps(const model::AttributeRule& rule, std::uint32_t number, const NodeDevices::Item& item,
               const std::vector<std::pair<const DeviceChoice*, std::size_t>>& had) const {
        const auto at =
            static_cast<std::size_t>(std::ranges::find(node_.attributes, rule.attribute) - node_.attributes.begin());
        if (at == node_.attributes.size() || item.values[at].empty()) {
            return false;
        }
        return std::ranges::all_of(had, [&](const auto& entry) {
            const bool is_bound = std::ranges::find(entry.first->rules, number) != entry.first->rules.end();
            const bool is_equal = node_.devices[entry.second].values[at] == item.values[at];
            return !is_bound || is_equal != rule.is_distinct;
        });
    }

    void shift(const NodeDevices::Item& item, std::int64_t sign) {
        for (const auto& [counter, amount] : item.counters) {
            counters_[counter] += sign * amount;
        }
    }

    const NodeDevices& node_;
    std::vector<const ClaimAsk*> claims_;
    std::vector<std::int64_t> counters_;
    std::vector<bool> is_given_;  // [device]
    std::set<std::pair<std::size_t, std::vector<bool>>> seen_;
    std::size_t tries_ = 0;
};

}  // namespace

std::vector<std::string> broken_devices(const model::Snapshot& snapshot, const model::Gang& gang, const Plan& plan) {
    std::map<NodeId, std::vector<const ClaimAsk*>> claims_on;
    const auto add = [](const DeviceAsks& asks, std::vector<const ClaimAsk*>& claims) {
        std::ranges::for_each(asks, [&claims](const ClaimAsk& ask) { claims.push_back(&ask); });
    };
    for (const Seat& seat : plan.seats) {
        const DeviceAsks& asks = *snapshot.pod_classes[gang.members[seat.member].pod_class].devices;
        if (!asks.empty() && snapshot.matched.contains(seat.node)) {
            add(asks, claims_on[seat.node]);
        }
    }
    std::vector<std::string> broken;
    for (auto& [node, claims] : claims_on) {
        const MatchedNode& matched = snapshot.matched.at(node);
        for (const auto& [asks, pods] : matched.expected) {
            for (std::int64_t i = 0; i < pods; ++i) {
                add(asks, claims);
            }
        }
        // Claims that can choose less come first.
        std::ranges::stable_sort(claims, std::ranges::greater{},
                                 [](const ClaimAsk* claim) { return claim->rules.size(); });
        if (!Allocation(*matched.devices, claims).succeeds()) {
            broken.push_back(fmt::format("the devices of node {} serve its pods in no way", snapshot.node_names[node]));
        }
    }
    return broken;
}

}  // namespace echelon::solver

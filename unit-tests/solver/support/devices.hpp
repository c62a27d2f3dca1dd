#pragma once

// How does a test make nodes whose devices are matched one by one, and can claims have them? The answer tries every
// choice and every device.

#include "model/facts/node_devices.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace echelon::solver::testing {

// Claims that get devices of one node, as the API describes it: every device of a claim is noted with its choice, and
// rules and counters are checked at the end.
class EveryWay {
public:
    EveryWay(const model::NodeDevices& node, std::vector<model::ClaimAsk> claims)
        : node_(node), claims_(std::move(claims)), owner_(node.devices.size(), nobody) {
        for (std::size_t d = 0; d < owner_.size(); ++d) {
            owner_[d] = node.devices[d].is_taken ? taken : nobody;
        }
    }

    [[nodiscard]] bool exists() { return give(0, 0); }

private:
    static constexpr int nobody = -1;
    static constexpr int taken = -2;

    struct Given {
        std::size_t claim = 0;
        const model::DeviceChoice* choice = nullptr;
        std::size_t device = 0;
    };

    bool give(std::size_t claim, std::size_t request) {
        if (claim == claims_.size()) {
            return keeps_rules() && keeps_counters();
        }
        if (request == claims_[claim].requests.size()) {
            return give(claim + 1, 0);
        }
        return std::ranges::any_of(claims_[claim].requests[request], [&](const model::DeviceChoice& choice) {
            if (!choice.wants_all) {
                return give_some(claim, request, choice, choice.count, 0);
            }
            std::int64_t all = 0;
            for (const auto& item : node_.devices) {
                all += takes(item, choice) ? 1 : 0;
            }
            return may_have_all(choice) && all > 0 && give_some(claim, request, choice, all, 0);
        });
    }

    bool give_some(std::size_t claim, std::size_t request, const model::DeviceChoice& choice, std::int64_t count,
                   std::size_t from) {
        if (count == 0) {
            return give(claim, request + 1);
        }
        for (std::size_t d = from; d < owner_.size(); ++d) {
            if (owner_[d] != nobody || !takes(node_.devices[d], choice)) {
                continue;
            }
            owner_[d] = static_cast<int>(claim);
            given_.push_back({claim, &choice, d});
            const bool exists = give_some(claim, request, choice, count - 1, d + 1);
            given_.pop_back();
            owner_[d] = nobody;
            if (exists) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] bool takes(const model::NodeDevices::Item& item, const model::DeviceChoice& choice) const {
        for (std::size_t kind = 0; kind < node_.kinds.size(); ++kind) {
            if (node_.kinds[kind] == choice.kind) {
                return (((item.takers & ~item.hidden) >> kind) & 1U) != 0;
            }
        }
        return false;
    }

    [[nodiscard]] bool may_have_all(const model::DeviceChoice& choice) const {
        for (std::size_t kind = 0; kind < node_.kinds.size(); ++kind) {
            if (node_.kinds[kind] == choice.kind && ((node_.never_all >> kind) & 1U) != 0) {
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] bool keeps_rules() const {
        for (std::size_t claim = 0; claim < claims_.size(); ++claim) {
            for (std::uint32_t rule = 0; rule < claims_[claim].rules.size(); ++rule) {
                if (!keeps(claim, rule)) {
                    return false;
                }
            }
        }
        return true;
    }

    [[nodiscard]] bool keeps(std::size_t claim, std::uint32_t number) const {
        const model::AttributeRule& rule = claims_[claim].rules[number];
        std::vector<std::string> values;
        for (const Given& given : given_) {
            if (given.claim == claim && std::ranges::count(given.choice->rules, number) > 0) {
                const auto at = std::ranges::find(node_.attributes, rule.attribute) - node_.attributes.begin();
                values.push_back(node_.devices[given.device].values[static_cast<std::size_t>(at)]);
            }
        }
        std::ranges::sort(values);
        const bool lacks = std::ranges::count(values, "") > 0;
        const auto different = values.end() - std::ranges::unique(values).begin();  // Those that were equal to others.
        return !lacks && (rule.is_distinct ? different == 0 : std::ssize(values) - different <= 1);
    }

    [[nodiscard]] bool keeps_counters() const {
        std::vector<std::int64_t> left = node_.counters;
        std::vector<bool> is_asked(left.size(), false);  // For what is taken already nobody is asked.
        for (std::size_t d = 0; d < owner_.size(); ++d) {
            for (const auto& [counter, amount] : node_.devices[d].counters) {
                left[counter] -= owner_[d] == nobody ? 0 : amount;
                is_asked[counter] = is_asked[counter] || owner_[d] >= 0;
            }
        }
        for (std::size_t counter = 0; counter < left.size(); ++counter) {
            if (is_asked[counter] && left[counter] < 0) {
                return false;
            }
        }
        return true;
    }

    const model::NodeDevices& node_;
    std::vector<model::ClaimAsk> claims_;
    std::vector<int> owner_;  // [device]
    std::vector<Given> given_;
};

// A node of few devices, and claims that may fit.
struct RandomMatching {
    model::NodeDevices node;
    std::vector<model::ClaimAsk> claims;
};

class RandomMatchings {
public:
    explicit RandomMatchings(unsigned seed) : random_(seed) {}

    RandomMatching next() {
        RandomMatching out;
        model::NodeDevices& node = out.node;
        node.kinds = {"k0", "k1", "k2"};
        node.attributes = {"a", "b"};
        node.never_all = upto(4) == 0 ? static_cast<std::uint64_t>(1 + upto(6)) : 0;
        for (auto counters = upto(1) * upto(3); counters > 0; --counters) {
            node.counters.push_back(1 + upto(3));
        }
        for (auto devices = upto(6); devices > 0; --devices) {
            node.devices.push_back(item(node));
            node.never_all |= node.devices.back().hidden;
        }
        for (auto claims = 1 + upto(3); claims > 0; --claims) {
            out.claims.push_back(upto(2) == 0 && !out.claims.empty() ? out.claims.back() : claim());
        }
        return out;
    }

private:
    std::int64_t upto(int most) { return static_cast<std::int64_t>(random_() % static_cast<unsigned>(most + 1)); }

    model::NodeDevices::Item item(const model::NodeDevices& node) {
        if (!node.devices.empty() && upto(2) == 0) {
            return node.devices.back();
        }
        model::NodeDevices::Item item{
            .takers = static_cast<std::uint64_t>(1 + upto(6)), .is_taken = upto(7) == 0, .values = {}};
        item.hidden = upto(9) == 0 ? item.takers & static_cast<std::uint64_t>(1 + upto(6)) : 0;
        for (int attribute = 0; attribute < 2; ++attribute) {
            const auto value = upto(5);
            item.values.push_back(value == 0 ? "" : value < 4 ? "x" : "y");
        }
        for (std::uint32_t counter = 0; counter < node.counters.size(); ++counter) {
            if (upto(1) == 0) {
                item.counters.emplace_back(counter, upto(2));
            }
        }
        return item;
    }

    model::ClaimAsk claim() {
        model::ClaimAsk claim;
        for (auto rules = upto(1) * upto(2); rules > 0; --rules) {
            claim.rules.push_back({.attribute = upto(1) == 0 ? "a" : "b", .is_distinct = upto(2) == 0});
        }
        for (auto requests = 1 + upto(1); requests > 0; --requests) {
            auto& choices = claim.requests.emplace_back();
            for (auto count = 1 + upto(3) / 3; count > 0; --count) {
                model::DeviceChoice choice{.kind = "k" + std::to_string(upto(2)), .count = 1 + upto(3) / 2};
                choice.wants_all = upto(9) == 0;
                for (std::uint32_t rule = 0; rule < claim.rules.size(); ++rule) {
                    if (upto(3) > 0) {
                        choice.rules.push_back(rule);
                    }
                }
                choices.push_back(std::move(choice));
            }
        }
        return claim;
    }

    std::mt19937 random_;
};

}  // namespace echelon::solver::testing

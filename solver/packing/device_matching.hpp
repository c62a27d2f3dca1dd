#pragma once

// Can these claims have devices of one node at the same time? (DR3)
//
// Exact: a search over choices and devices for claims whose devices depend on each other, and augmenting paths for the
// rest. Equal devices are tried once, and no state twice; whole GPUs with equal partitions are equal. Pure.

#include "model/facts/node_devices.hpp"
#include "solver/packing/feasibility.hpp"
#include "solver/packing/search_budget.hpp"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace echelon::solver {

using ClaimCounts = std::map<model::ClaimAsk, std::int64_t>;

class DeviceMatching {
public:
    // `is_empty`: as if no claim had a device yet, and none that is free ended a search with an error.
    DeviceMatching(const model::NodeDevices& node, bool is_empty);

    // Unknown after a fixed amount of work. Adds the work that it did to `work`.
    [[nodiscard]] Feasibility fit(const ClaimCounts& claims, Operations& work) const;

    // Free devices that are alike.
    struct Type {
        model::NodeDevices::Item item;
        std::int64_t count = 0;
    };
    // One way to satisfy a request, with its kind by number.
    struct Choice {
        std::uint32_t kind = 0;
        std::int64_t count = 0;
        bool wants_all = false;
        std::vector<std::uint32_t> rules;
    };
    struct Rule {
        std::uint32_t attribute = 0;
        bool is_distinct = false;
    };
    struct Claim {
        std::vector<std::vector<Choice>> requests;
        std::vector<Rule> rules;
        bool is_plain = false;     // One choice for each request, and no rule.
        std::int64_t share = 0;    // The most that one device of it takes of counters; 0: none.
        std::int64_t devices = 0;  // At least.
    };

    // Types that share counters with each other and with no others.
    struct Part {
        std::vector<std::size_t> types;
        std::size_t kind = 0;  // Parts of one kind are alike.
    };

private:
    using PartRow = std::tuple<std::int64_t, model::NodeDevices::Item, std::vector<std::int64_t>>;

    void find_parts();
    [[nodiscard]] std::vector<PartRow> rows_of(const Part& part) const;
    [[nodiscard]] Claim claim_of(const model::ClaimAsk& ask) const;
    [[nodiscard]] std::int64_t share_of(std::uint32_t kind) const;

    const model::NodeDevices& node_;
    std::vector<std::int64_t> counters_;  // What is left of each.
    std::vector<Type> types_;
    std::vector<Part> parts_;
    std::uint64_t taken_ = 0;  // Kinds of which a claim has a device.
};

}  // namespace echelon::solver

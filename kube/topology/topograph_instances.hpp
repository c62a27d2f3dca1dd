#pragma once

// What does a document of Topograph tell of single nodes, before it becomes a topology? Pure.

#include "kube/json/field.hpp"

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::kube {

// What is read of labels and annotations; empty: not said.
struct ReportedAttributes {
    std::string region;
    std::string zone;
    std::string domain;  // Of accelerators.
    std::string sub_domain;

    // What `below` says counts more.
    void overlay(const ReportedAttributes& below);
    bool operator==(const ReportedAttributes&) const = default;
};

struct ReportedInstance {
    std::vector<std::string> names;   // What its node may be called; the first is its own.
    std::vector<std::string> layers;  // The closest switch first; empty: none at that tier.
    ReportedAttributes attributes;

    bool operator==(const ReportedInstance&) const = default;
};

inline constexpr std::size_t most_layers = 16;
inline constexpr std::size_t most_told_nodes = 200'000;

// A part that can't be used.
struct ReportedFault {
    std::string sentence;
    std::vector<std::string> names = {};  // Of the nodes that it concerns.
    std::size_t first_tier = 0;           // What they lack: these tiers, the last one included ...
    std::size_t last_tier = std::numeric_limits<std::size_t>::max();
    bool lacks_accelerators = true;  // ... and these.
};

struct ReportedInstances {
    std::vector<ReportedInstance> instances;
    std::vector<ReportedFault> flaws;

    // Takes out those that are told of twice, and not alike.
    void drop_duplicates(std::string_view list);
};

// Faults of the document as a whole are noted in `document`, those of parts become flaws.
[[nodiscard]] ReportedInstances read_graph(const Field& document);
[[nodiscard]] ReportedInstances read_model(const Field& document);

// "gpu[001-003,7]" as "gpu001", "gpu002", "gpu003", "gpu7"; any other text as it is. Appends at most `most` names; a
// sentence when it isn't a range, or more than that.
[[nodiscard]] std::string expand_names(std::string_view text, std::size_t most, std::vector<std::string>& names);

}  // namespace echelon::kube

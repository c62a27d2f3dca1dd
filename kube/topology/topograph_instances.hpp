#pragma once

// What does a document of Topograph state for each node, before it becomes a topology? Pure.

#include "kube/json/field.hpp"

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::kube {

// Values of labels and annotations; empty: not stated.
struct ReportedAttributes {
    std::string region;
    std::string zone;
    std::string domain;  // Accelerator domain.
    std::string sub_domain;

    // Takes the values that `below` states.
    void overlay(const ReportedAttributes& below);
    bool operator==(const ReportedAttributes&) const = default;
};

struct ReportedInstance {
    std::vector<std::string> names;   // Possible names of the node; the first one is the instance's own.
    std::vector<std::string> layers;  // Switches, closest first; "": none at that tier.
    ReportedAttributes attributes;

    bool operator==(const ReportedInstance&) const = default;
};

inline constexpr std::size_t most_layers = 16;

// A part of the document that can't be used.
struct ReportedFault {
    std::string sentence;
    std::vector<std::string> names = {};  // The affected nodes.
    std::size_t first_tier = 0;           // They lack the tiers first_tier to last_tier, inclusive ...
    std::size_t last_tier = std::numeric_limits<std::size_t>::max();
    bool lacks_accelerators = true;  // ... and the accelerator levels.
};

struct ReportedInstances {
    std::vector<ReportedInstance> instances;
    std::vector<ReportedFault> flaws;

    // Keeps one of several equal entries of a node. Removes entries that differ, and adds a flaw, whose sentence names
    // `list`.
    void drop_duplicates(std::string_view list);
};

// Faults of the whole document are noted in `document`; faults of parts become flaws.
[[nodiscard]] ReportedInstances read_graph(const Field& document);
[[nodiscard]] ReportedInstances read_model(const Field& document);

// How many names `expand_names` would make of the text; of an invalid one, up to the fault.
[[nodiscard]] std::size_t count_names(std::string_view text);

// Expands "gpu[001-003,7]" into "gpu001", "gpu002", "gpu003", "gpu7"; a text without brackets is one name. Appends at
// most `most` names. Returns a fault if the range is invalid or larger, else "".
[[nodiscard]] std::string expand_names(std::string_view text, std::size_t most, std::vector<std::string>& names);

}  // namespace echelon::kube

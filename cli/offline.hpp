#pragma once

// What does a command know that asks nobody? Manifests, and the configuration beside them.
//
// Reads files and standard input, says what is wrong with them on standard error.

#include "config/settings.hpp"
#include "kube/manifests.hpp"
#include "model/cluster/cluster.hpp"
#include "model/facts/event.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::cli {

struct OfflineInput {
    config::Settings settings;
    kube::Manifests manifests;
};

// `files`: FILE, DIR or "-"; `config_file`: empty: none. nullopt: `command` has been said to be given bad input.
[[nodiscard]] std::optional<OfflineInput> read_offline(std::string_view command, const std::vector<std::string>& files,
                                                       const std::string& config_file,
                                                       kube::Keep keep = kube::Keep::events);

// What the events tell of, with the profiles and topologies of the configuration. Pods of default-scheduler are ours,
// too (Z2).
[[nodiscard]] model::Cluster cluster_of(const std::vector<model::Event>& events, const config::Settings& settings);

}  // namespace echelon::cli

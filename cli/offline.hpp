#pragma once

// What does a command read if it asks no service? Manifests and a configuration.
//
// Reads files and standard input. Faults go to standard error.

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

// `files`: FILE, DIR or "-"; `config_file`: empty: none. nullopt: the input is bad; standard error has the faults, led
// by `command`.
[[nodiscard]] std::optional<OfflineInput> read_offline(std::string_view command, const std::vector<std::string>& files,
                                                       const std::string& config_file, kube::FaultyNodes faulty_nodes,
                                                       kube::Keep keep = kube::Keep::events);

// The profiles of the configuration, and default-scheduler (Z2).
[[nodiscard]] model::Profiles offline_profiles(const config::Settings& settings);

// The cluster that the events describe, with `offline_profiles` and the topologies of the configuration.
[[nodiscard]] model::Cluster cluster_of(const std::vector<model::Event>& events, const config::Settings& settings);

}  // namespace echelon::cli

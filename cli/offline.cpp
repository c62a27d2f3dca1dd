#include "cli/offline.hpp"

#include "app/complaint.hpp"
#include "app/settings_mapping.hpp"
#include "app/topology_files.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

namespace echelon::cli {

std::optional<OfflineInput> read_offline(std::string_view command, const std::vector<std::string>& files,
                                         const std::string& config_file, kube::FaultyNodes faulty_nodes,
                                         kube::Keep keep) {
    auto settings = app::load_settings(config_file);
    if (!settings) {
        app::complain("{}", settings.error().sentence);
        return std::nullopt;
    }
    kube::Reading reading({}, app::model_limits(*settings), app::node_health(*settings));
    reading.faulty_nodes = faulty_nodes;
    auto manifests = kube::read_manifests(files, keep, reading);
    if (!manifests) {
        app::complain("echelon {}: {}", command, manifests.error().sentence);
        return std::nullopt;
    }
    for (const auto& topology : settings->topologies) {
        if (topology.file.empty())
            continue;
        auto read = app::read_topology_file(topology);
        if (!read) {
            app::complain("echelon {}: {}", command, read.error().sentence);
            return std::nullopt;
        }
        std::ranges::move(*read, std::back_inserter(manifests->events));
    }
    return OfflineInput{std::move(*settings), std::move(*manifests)};
}

model::Profiles offline_profiles(const config::Settings& settings) {
    auto profiles = app::model_profiles(settings);
    profiles.try_emplace("default-scheduler");
    return profiles;
}

model::Cluster cluster_of(const std::vector<model::Event>& events, const config::Settings& settings) {
    model::Cluster cluster(offline_profiles(settings), app::model_limits(settings));
    for (const auto& event : app::topologies_of(settings)) {
        static_cast<void>(cluster.apply(event));
    }
    for (const auto& event : events) {
        static_cast<void>(cluster.apply(event));
    }
    return cluster;
}

}  // namespace echelon::cli

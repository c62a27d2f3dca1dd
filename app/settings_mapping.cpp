#include "app/settings_mapping.hpp"

#include "app/running_settings.hpp"
#include "engine/engine.hpp"
#include "kube/lease/lease_follower.hpp"

#include <utility>

namespace echelon::app {

base::Result<config::Settings> load_settings(const std::string& file) {
    if (file.empty())
        return config::Settings{};
    auto loaded = config::load(file);
    if (loaded)
        return std::move(*loaded);
    std::string lines;
    for (const auto& fault : loaded.error()) {
        lines += (lines.empty() ? "" : "\n") + config::to_line(file, fault);
    }
    return base::failure(std::move(lines));
}

model::Profiles model_profiles(const config::Settings& settings) {
    return engine::model_profiles(profiles_of(settings));
}

model::Limits model_limits(const config::Settings& settings) {
    const config::Limits& limits = settings.limits;
    return {.members = limits.members,
            .groups = limits.groups,
            .depth = limits.depth,
            .declared_groups = limits.declared_groups,
            .annotation_bytes = static_cast<std::size_t>(limits.annotation_bytes),
            .annotation_depth = static_cast<std::size_t>(limits.annotation_depth),
            .topology_nodes = limits.topology_nodes,
            .pattern_bytes = static_cast<std::size_t>(limits.pattern_bytes),
            .resources = static_cast<std::size_t>(limits.resources),
            .message_bytes = static_cast<std::size_t>(limits.message_bytes),
            .longest_hold = std::chrono::duration_cast<std::chrono::seconds>(limits.longest_hold).count(),
            .free_priority = limits.free_priority};
}

translate::TranslationOptions translation_options(const config::Settings& settings) {
    const auto translation = settings.translation.value_or(config::Translation{});
    return {.gang_mode = translation.gang_mode,
            .match_policy = translation.match_policy,
            .schedule_timeout_seconds = translation.schedule_timeout_seconds,
            .qos_class = translation.default_qos_class,
            .layers = translation.topology_key_mappings};
}

std::optional<translate::KoordinatorBackend> koordinator_backend(const config::Settings& settings) {
    if (!settings.translation)
        return std::nullopt;
    return translate::KoordinatorBackend{.scheduler_name = settings.translation->scheduler_name,
                                         .qos_class = settings.translation->default_qos_class};
}

std::optional<translate::PodGroupControllerOptions> pod_group_controller_options(const config::Settings& settings) {
    if (!settings.translation || !settings.translation->live)
        return std::nullopt;
    translate::PodGroupControllerOptions options;
    options.translation = translation_options(settings);
    options.scheduler_name = settings.translation->scheduler_name;
    options.reporter = kube::own_hostname();
    options.qps = settings.client_connection.qps;
    options.burst = settings.client_connection.burst;
    options.limits = model_limits(settings);
    return options;
}

std::shared_ptr<const kube::NodeHealth> node_health(const config::Settings& settings) {
    auto health = std::make_shared<kube::NodeHealth>();
    for (const auto& text : settings.health.conditions) {
        if (auto condition = kube::parse_condition(text))
            health->conditions.push_back(std::move(*condition));
    }
    for (const auto& text : settings.health.taints) {
        if (auto taint = kube::parse_taint(text))
            health->taints.push_back(std::move(*taint));
    }
    return health->conditions.empty() && health->taints.empty() ? nullptr : health;
}

std::vector<model::Event> topologies_of(const config::Settings& settings) {
    std::vector<model::Event> events;
    for (const auto& topology : settings.topologies) {
        if (!topology.file.empty())
            continue;  // `TopologyFiles` reads those.
        model::Topology levels;
        levels.name = topology.name;
        levels.source = model::TopologySource::configuration;
        levels.levels = topology.levels;
        events.emplace_back(model::TopologySeen{std::move(levels)});
    }
    return events;
}

}  // namespace echelon::app

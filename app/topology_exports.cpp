#include "app/topology_exports.hpp"

#include "app/engine_question.hpp"
#include "app/settings_mapping.hpp"

#include <utility>

namespace echelon::app {

namespace {

translate::TopologyTarget target_of(const config::TopologyExport& wanted) {
    return translate::topology_target(wanted.kind).value_or(translate::TopologyTarget::hyper_node);
}

}  // namespace

bool is_own_export(const model::Event& event, const config::Settings& settings) {
    const auto& wanted = settings.topology_export;
    return wanted && translate::is_exported(event, target_of(*wanted), wanted->name);
}

std::unique_ptr<translate::TopologyExporter> exporter_of(const config::Settings& settings,
                                                         const std::shared_ptr<kube::Credentials>& credentials,
                                                         EngineLoop& loop, std::function<bool()> may_write,
                                                         std::function<void(const std::string& sentence)> log) {
    if (!settings.topology_export)
        return nullptr;
    const auto& wanted = *settings.topology_export;
    translate::TopologyExporterOptions options;
    options.target = target_of(wanted);
    options.name = wanted.name;
    options.qps = settings.client_connection.qps;
    options.burst = settings.client_connection.burst;
    auto source = [&loop, wanted, target = options.target, layers = translation_options(settings)](
                      const std::stop_token& stop) -> std::optional<translate::ExportedTopology> {
        if (!loop.published()->is_synced())
            return std::nullopt;
        const auto topology = ask_engine<engine::TopologyView>(
            loop, stop, [](const engine::Engine& engine) { return engine.topology_view(); });
        if (!topology)
            return std::nullopt;
        const auto tree = translate::tree_to_export(topology->snapshot, wanted.from);
        if (!tree)
            return translate::ExportedTopology{.objects = {}, .refusal = "export.from " + tree.error().sentence};
        auto exported = translate::export_topology(**tree, topology->nodes, target, layers, wanted.name);
        if (!exported.refusal.empty())
            exported.refusal = "tree \"" + (*tree)->name + "\": " + exported.refusal;
        return exported;
    };
    return std::make_unique<translate::TopologyExporter>(credentials, std::move(options), std::move(source),
                                                         std::move(may_write), std::move(log));
}

}  // namespace echelon::app

#pragma once

// Which topology objects for other schedulers does the configuration ask for, and what keeps them in step?
//
// Thread-safe.

#include "app/engine_loop.hpp"
#include "config/settings.hpp"
#include "kube/client/credentials.hpp"
#include "translate/topology_exporter.hpp"

#include <functional>
#include <memory>
#include <string>

namespace echelon::app {

// True if the event is about an object that this service writes.
[[nodiscard]] bool is_own_export(const model::Event& event, const config::Settings& settings);
// Null when the settings export nothing. The loop must outlive it.
[[nodiscard]] std::unique_ptr<translate::TopologyExporter> exporter_of(
    const config::Settings& settings, const std::shared_ptr<kube::Credentials>& credentials, EngineLoop& loop,
    std::function<bool()> may_write, std::function<void(const std::string& sentence)> log);

}  // namespace echelon::app

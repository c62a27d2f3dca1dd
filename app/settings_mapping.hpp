#pragma once

// What does a configuration file tell the model and the edge? For the service, and for the commands that read it once.
//
// Thread-safe.

#include "base/result.hpp"
#include "config/settings.hpp"
#include "kube/core/node_health.hpp"
#include "model/cluster/cluster.hpp"
#include "model/facts/event.hpp"
#include "model/facts/limits.hpp"
#include "translate/clique_set.hpp"
#include "translate/pod_group_controller.hpp"
#include "translate/translation.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace echelon::app {

// No name: what holds without a file. An error has a line for each fault, as `echelon validate` prints them.
[[nodiscard]] base::Result<config::Settings> load_settings(const std::string& file);

// Of no section: what holds without one.
[[nodiscard]] translate::TranslationOptions translation_options(const config::Settings& settings);
// Whose pods and sets the webhook knows beside ours; nullopt: nobody's.
[[nodiscard]] std::optional<translate::KoordinatorBackend> koordinator_backend(const config::Settings& settings);
// Of translation.live; nullopt: it is off.
[[nodiscard]] std::optional<translate::PodGroupKeeperOptions> keeper_options(const config::Settings& settings);

// The bounds of what one object makes of itself, for decoders, model and engine alike.
[[nodiscard]] model::Limits model_limits(const config::Settings& settings);

// Which nodes take no pods beyond those of which Kubernetes itself says so; null: none.
[[nodiscard]] std::shared_ptr<const kube::NodeHealth> node_health(const config::Settings& settings);

// By schedulerName.
[[nodiscard]] model::Profiles model_profiles(const config::Settings& settings);
// The topologies that the file itself lists, as if they had been seen.
[[nodiscard]] std::vector<model::Event> topologies_of(const config::Settings& settings);

}  // namespace echelon::app

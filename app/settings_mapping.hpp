#pragma once

// What does a configuration mean for the model, the decoders and the translation? For the service, and for commands
// that read it once.
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

// An empty name: the defaults. An error has a line for each fault, as `echelon validate` prints them.
[[nodiscard]] base::Result<config::Settings> load_settings(const std::string& file);

// Without the section: the defaults.
[[nodiscard]] translate::TranslationOptions translation_options(const config::Settings& settings);
// The pods and sets that the webhook prepares for Koordinator; nullopt: none.
[[nodiscard]] std::optional<translate::KoordinatorBackend> koordinator_backend(const config::Settings& settings);
// Options of translation.live; nullopt: it is off.
[[nodiscard]] std::optional<translate::PodGroupControllerOptions> pod_group_controller_options(
    const config::Settings& settings);

// Limits on what one object may cause, for decoders, model and engine alike.
[[nodiscard]] model::Limits model_limits(const config::Settings& settings);

// Which nodes take no pods, beyond those that Kubernetes itself excludes; null: none.
[[nodiscard]] std::shared_ptr<const kube::NodeHealth> node_health(const config::Settings& settings);

// By schedulerName.
[[nodiscard]] model::Profiles model_profiles(const config::Settings& settings);
// The topologies that the file itself lists, as events.
[[nodiscard]] std::vector<model::Event> topologies_of(const config::Settings& settings);

}  // namespace echelon::app

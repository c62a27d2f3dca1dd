#pragma once

// What does the configuration say to the engine of a service, and as whom does it speak to the API server?
//
// Reads the kubeconfig, or what a pod is given.

#include "base/result.hpp"
#include "config/settings.hpp"
#include "engine/engine.hpp"
#include "kube/client/credentials.hpp"
#include "server/http/descriptors.hpp"

#include <memory>
#include <string>

namespace echelon::app {

// The room at the barrier follows the descriptor limit as it is now.
[[nodiscard]] engine::Options engine_options(const config::Settings& settings);
// For the log of the start: which program, at which addresses; and how many may call.
[[nodiscard]] std::string start_sentence(const config::Settings& settings);
[[nodiscard]] std::string sentence_about(const server::DescriptorLimits& limits, const config::Settings& settings);
[[nodiscard]] base::Result<std::shared_ptr<kube::Credentials>> credentials_of(const config::Settings& settings);

}  // namespace echelon::app

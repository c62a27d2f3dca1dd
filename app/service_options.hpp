#pragma once

// Which engine options follow from a configuration, and with which credentials does the service call the API server?
//
// Reads the kubeconfig, or the service account that a pod is given.

#include "base/result.hpp"
#include "config/settings.hpp"
#include "engine/engine.hpp"
#include "kube/client/credentials.hpp"
#include "server/http/descriptors.hpp"

#include <memory>
#include <string>

namespace echelon::app {

// The capacity of the barrier follows the present descriptor limit.
[[nodiscard]] engine::Options engine_options(const config::Settings& settings);
// For the log at the start: the program and its addresses, and how many members can wait.
[[nodiscard]] std::string start_sentence(const config::Settings& settings);
[[nodiscard]] std::string sentence_about(const server::DescriptorLimits& limits, const config::Settings& settings);
[[nodiscard]] base::Result<std::shared_ptr<kube::Credentials>> credentials_of(const config::Settings& settings);

}  // namespace echelon::app

#pragma once

// `echelon status`, `echelon holds` and the live `echelon topology`: what a running service, or the cluster itself,
// says now.

#include "cli/ask.hpp"
#include "model/result.hpp"

#include <cstdint>
#include <string>

namespace echelon::cli {

enum class LookAt : std::uint8_t { status, holds, topology };

struct LookArguments {
    LookAt at = LookAt::status;
    std::string server = usual_server;
    std::string kubeconfig;   // Not empty: the API server is read instead of asking the service.
    std::string config_file;  // For topologies that only the configuration has; of use with kubeconfig alone.
    bool is_json = false;
    bool is_watched = false;  // Printed anew every two seconds, until it is interrupted.
};

// One answer.
[[nodiscard]] model::Result<std::string> look_once(const LookArguments& arguments, bool has_colour);
// Exit status: 0 an answer was printed, 1 there is none, 2 bad arguments.
[[nodiscard]] int look(const LookArguments& arguments);
// $KUBECONFIG, else ~/.kube/config; empty: neither is there.
[[nodiscard]] std::string usual_kubeconfig();

}  // namespace echelon::cli

#pragma once

// `echelon status`, `echelon holds` and the live `echelon topology`: what a running service, or the cluster itself,
// says now.

#include "base/result.hpp"
#include "cli/admin_client.hpp"

#include <cstdint>
#include <string>

namespace echelon::cli {

enum class LookAt : std::uint8_t { status, holds, topology };

struct StatusArguments {
    LookAt at = LookAt::status;
    std::string server = usual_server;
    std::string kubeconfig;   // Not empty: the API server is read instead of asking the service.
    std::string config_file;  // For topologies that only the configuration has; of use with kubeconfig alone.
    bool is_json = false;
    bool is_watched = false;  // Printed anew every two seconds, until it is interrupted.
};

// One answer.
[[nodiscard]] base::Result<std::string> look_once(const StatusArguments& arguments, bool has_colour);
// Exit status: 0 an answer was printed, 1 there is none, 2 bad arguments.
[[nodiscard]] int look(const StatusArguments& arguments);
// $KUBECONFIG, else ~/.kube/config; empty: neither is there.
[[nodiscard]] std::string usual_kubeconfig();

}  // namespace echelon::cli

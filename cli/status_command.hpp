#pragma once

// `echelon status`, `echelon holds` and the live `echelon topology`: what a running service, or the cluster itself,
// says now.

#include "base/result.hpp"
#include "cli/admin_client.hpp"

#include <cstdint>
#include <string>

namespace echelon::cli {

enum class StatusView : std::uint8_t { status, holds, topology };

struct StatusArguments {
    StatusView at = StatusView::status;
    std::string server = usual_server;
    std::string kubeconfig = {};   // Not empty: the API server is asked instead of the service.
    std::string config_file = {};  // For topologies that only the configuration has; needs kubeconfig.
    bool is_json = false;
    bool is_watched = false;  // Repeats every two seconds, until interrupted.
};

// Exit status: 0 an answer was printed, 1 there is none, 2 bad arguments.
[[nodiscard]] int show_status(const StatusArguments& arguments);
// The file that $KUBECONFIG names, else ~/.kube/config; empty: neither is there. Of a list, files that are missing or
// empty don't count; several others are an error.
[[nodiscard]] base::Result<std::string> usual_kubeconfig();

}  // namespace echelon::cli

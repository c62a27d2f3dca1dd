#pragma once

// How does a command ask the admin port of a running service? On this machine, or through a port-forward.

#include "base/result.hpp"

#include <string>

namespace echelon::cli {

inline constexpr const char* usual_server = "http://127.0.0.1:9302";  // The port listens on this machine alone.

// The body of the answer; an error is one sentence. `accept` is a media type.
[[nodiscard]] base::Result<std::string> query_admin_port(const std::string& server, const std::string& target,
                                                         const std::string& accept);

}  // namespace echelon::cli

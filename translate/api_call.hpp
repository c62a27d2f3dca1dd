#pragma once

// How do the controllers of this folder send a write, and did it succeed?
//
// Pure and thread-safe.

#include "base/result.hpp"
#include "kube/client/http_client.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace echelon::translate {

// `type`: media type of the body, such as "application/json".
[[nodiscard]] kube::HttpRequest request_with(std::string method, std::string target, const nlohmann::json& body,
                                             const char* type);
// The result of a write. An error has the API server's message. `action`: such as "creating PodGroup a".
[[nodiscard]] base::Result<void> done(const std::string& action, const kube::HttpAnswer& answer);

}  // namespace echelon::translate

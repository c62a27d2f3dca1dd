#pragma once

// How do the controllers of this folder write an object, and what came of it?
//
// Pure and thread-safe.

#include "base/result.hpp"
#include "kube/client/http_client.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace echelon::translate {

// `type`: of the body, such as "application/json".
[[nodiscard]] kube::HttpRequest request_with(std::string method, std::string target, const nlohmann::json& body,
                                             const char* type);
// An error says what the API server said; `deed`: what was to be done, such as "creating PodGroup a".
[[nodiscard]] base::Result<void> done(const std::string& deed, const kube::HttpAnswer& answer);

}  // namespace echelon::translate

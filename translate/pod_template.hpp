#pragma once

// What template makes a pod like this one? For targets whose controllers create the pods.
//
// Pure and thread-safe.

#include <string_view>

#include <nlohmann/json.hpp>

namespace echelon::translate {

// `metadata` and `spec` of a template. Labels and annotations of dialects are left out. So is what a scheduler, an
// admission plugin or a workload controller adds to the single pod: node, host name, priority as a number, token.
[[nodiscard]] nlohmann::json template_of(const nlohmann::json& pod, std::string_view scheduler);

}  // namespace echelon::translate

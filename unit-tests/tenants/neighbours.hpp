#pragma once

// Which pods must stay unaffected? Sound gangs of several dialects in the namespace "sound", and a plain pod in
// "plain".
//
// Pure and deterministic. The gangs have the nodes s-0 to s-7 to themselves, the plain pod has p-0,
// and the tenant has t-0 to t-47.

#include "model/facts/write.hpp"

#include <vector>

#include <nlohmann/json.hpp>

namespace echelon::tenants {

[[nodiscard]] std::vector<nlohmann::json> fabric();
[[nodiscard]] std::vector<nlohmann::json> sound_objects();
[[nodiscard]] std::vector<nlohmann::json> late_objects();  // One more gang that comes later.
[[nodiscard]] nlohmann::json plain_pod(const std::string& name);

[[nodiscard]] model::PodRef reference(const nlohmann::json& pod);
[[nodiscard]] bool is_pod(const nlohmann::json& object);

}  // namespace echelon::tenants

#include "kube/json/compact_text.hpp"

#include <nlohmann/json.hpp>

namespace echelon::kube {

std::string compact_text(const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace echelon::kube

#include "translate/api_call.hpp"

#include "kube/write/write_request.hpp"

#include <utility>

namespace echelon::translate {

using nlohmann::json;

kube::HttpRequest request_with(std::string method, std::string target, const json& body, const char* type) {
    return {.method = std::move(method),
            .target = std::move(target),
            .body = body.dump(-1, ' ', false, json::error_handler_t::replace),
            .content_type = type};
}

base::Result<void> done(const std::string& action, const kube::HttpAnswer& answer) {
    const model::Outcome outcome = kube::outcome_of(action, answer);
    return outcome.kind == model::Outcome::Kind::done ? base::Result<void>() : base::failure(outcome.sentence);
}

}  // namespace echelon::translate

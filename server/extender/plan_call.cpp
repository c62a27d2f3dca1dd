#include "server/extender/plan_call.hpp"

#include "server/extender/explain.hpp"
#include "server/http/refused.hpp"

#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace echelon::server {
namespace {

constexpr unsigned seconds_until_next = 1;  // A plan takes less, most of the time.

Answer answer_of(Backend::PlanReply reply, bool is_text) {
    if (reply.status == 200)
        return {.type = is_text ? text_type : json_type, .body = std::move(reply.text)};
    return {.status = reply.status,
            .type = text_type,
            .body = std::move(reply.text) + "\n",
            .retry_after = reply.status == 429 ? seconds_until_next : 0};
}

// The sentence about a wrong parameter; empty: none is wrong. A misspelt one must not be ignored: the plan would look
// like the one that was asked for.
std::string fault_in(const std::multimap<std::string, std::string>& query) {
    for (const auto& [name, value] : query) {
        if (name != "gang" && name != "preempt" && name != "colour")
            return fmt::format("parameter \"{}\" isn't known: a plan has gang, preempt and colour", name);
        if (name == "preempt" && value != "1" && value != "0")
            return fmt::format("preempt must be 1 or 0, not \"{}\"", value);
    }
    return {};
}

}  // namespace

std::optional<Answer> begin_plan(const Backend& backend, const Request& request, std::function<void(Answer)> complete) {
    if (request.method != "POST")
        return wrong_method("POST");
    if (!backend.plan)
        return no_explanation("nothing is planned here");
    if (const auto fault = fault_in(request.query); !fault.empty())
        return Answer{.status = 400, .type = text_type, .body = fault + "\n"};
    Backend::PlanCall call{.manifests = std::string(request.body),
                           .gang = std::string(request.parameter("gang")),
                           .preempts = request.parameter("preempt") == "1",
                           .is_text = wants_text(request.accept),
                           .has_colour = request.parameter("colour") == "1"};
    const bool is_text = call.is_text;
    backend.plan(std::move(call), [is_text, complete = std::move(complete)](Backend::PlanReply reply) {
        complete(answer_of(std::move(reply), is_text));
    });
    return std::nullopt;
}

}  // namespace echelon::server

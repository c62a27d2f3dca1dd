#pragma once

// What is the state of a gang, and why? The gangs of the published state as JSON, for operators.

#include "engine/publish/published_state.hpp"
#include "model/gang/explanation.hpp"
#include "server/http/request.hpp"

#include <expected>
#include <memory>
#include <string_view>

namespace echelon::server {

// 503: what is asked for may not be listed yet.
[[nodiscard]] Answer not_listed_yet(const engine::PublishedState& published);
// The gang of a request, by "namespace/name". An answer instead: no gang is named (400), or it isn't known (404), as on
// a standby that never led.
[[nodiscard]] std::expected<std::shared_ptr<const engine::GangView>, Answer> find_gang(
    const engine::PublishedState& published, std::string_view gang, bool leads);
// The gang's plan, seats and groups as JSON, and its explanation if there is one (may be null).
[[nodiscard]] Answer explain_answer(const engine::GangView& view, const model::Explanation* explanation);
// True if the header Accept prefers plain text.
[[nodiscard]] bool wants_text(std::string_view accept);
// All gangs in short, with the counters of the engine.
[[nodiscard]] Answer state_answer(const engine::PublishedState& published);

}  // namespace echelon::server

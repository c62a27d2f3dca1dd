#pragma once

// Why is this gang where it is? The published state's gangs as JSON, for people with access to the machine.

#include "engine/publish/published_state.hpp"
#include "model/gang/explanation.hpp"
#include "server/http/request.hpp"

#include <expected>
#include <memory>
#include <string_view>

namespace echelon::server {

// The gang of a request, "namespace/name"; an answer instead when none is named (400) or the published state has none
// (404).
[[nodiscard]] std::expected<std::shared_ptr<const engine::GangView>, Answer> find_gang(
    const engine::PublishedState& published, std::string_view gang);
// Its plan, seats and groups as JSON, and why it is refused when that is known.
[[nodiscard]] Answer explain_answer(const engine::GangView& view, const model::Explanation* explanation);
// True when the caller would rather read than parse.
[[nodiscard]] bool wants_text(std::string_view accept);
// Every gang in short, with the counters of the engine.
[[nodiscard]] Answer state_answer(const engine::PublishedState& published);

}  // namespace echelon::server

#pragma once

// Why is this gang where it is? The picture's gangs as JSON, for people with access to the machine.

#include "engine/picture.hpp"
#include "server/request.hpp"

#include <string_view>

namespace echelon::server {

// One gang, "namespace/name": its plan, seats and groups. 404 when the picture has no such gang.
[[nodiscard]] Answer explain_answer(const engine::Picture& picture, std::string_view gang);
// Every gang in short, with the counters of the engine.
[[nodiscard]] Answer state_answer(const engine::Picture& picture);

}  // namespace echelon::server

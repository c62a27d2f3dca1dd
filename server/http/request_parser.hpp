#pragma once

// What does a framed request ask for?
//
// parse_framing() has read the head already and says where its parts are. This only decodes the target. Pure.

#include "base/result.hpp"
#include "server/http/request.hpp"
#include "server/http/request_framing.hpp"

#include <string_view>

namespace echelon::server {

// `bytes`: the whole request, as it was framed. Fails on a target with broken percent-encoding, or with one that
// stands for a control character. Sets neither peer nor ticket.
[[nodiscard]] base::Result<Request> parse_request(std::string_view bytes, const Framing& framing);

}  // namespace echelon::server

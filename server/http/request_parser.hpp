#pragma once

// What do the method, path and query of a framed request say?
//
// parse_framing() has located the parts of the header; only the target is decoded here. Pure.

#include "base/result.hpp"
#include "server/http/request.hpp"
#include "server/http/request_framing.hpp"

#include <string_view>

namespace echelon::server {

// `bytes`: the whole framed request. An error: the target has invalid percent-encoding, or encodes a control character.
// Sets neither peer nor ticket.
[[nodiscard]] base::Result<Request> parse_request(std::string_view bytes, const Framing& framing);

}  // namespace echelon::server

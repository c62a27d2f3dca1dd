#pragma once

// Which answer does a request get that isn't served? Pure.

#include "server/http/request.hpp"

#include <string_view>

#include <fmt/format.h>

namespace echelon::server {

[[nodiscard]] inline Answer no_such_path() {
    return {.status = 404, .type = text_type, .body = "not found\n"};
}

// The view or explanation isn't available now.
[[nodiscard]] inline Answer no_explanation(std::string_view sentence) {
    return {.status = 503, .type = text_type, .body = fmt::format("{}\n", sentence)};
}

[[nodiscard]] inline Answer wrong_method(std::string_view allowed) {
    return {.status = 405, .type = text_type, .body = "method not allowed\n", .allow = allowed};
}

}  // namespace echelon::server

#pragma once

// How are "1m30s" and "127.0.0.1:9300" parsed? The two kinds of text in the configuration with a grammar.
//
// Pure.

#include "config/settings.hpp"

#include <chrono>
#include <expected>
#include <string>
#include <string_view>

namespace echelon::config {

// A Go duration ("1m30s", "50ms", "1.5h", "0"), not negative, rounded up to milliseconds. The error is the end of a
// sentence about a field: `"50" isn't a duration ...`.
[[nodiscard]] std::expected<std::chrono::milliseconds, std::string> parse_duration(std::string_view text);

// HOST:PORT; HOST is a name, an IPv4 address or an IPv6 address in brackets, and the port is from 1 to 65535.
[[nodiscard]] std::expected<Address, std::string> parse_address(std::string_view text);

}  // namespace echelon::config

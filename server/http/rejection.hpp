#pragma once

// Why does a port turn a connection away, or end it?
//
// Pure.

#include "base/enum_count.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace echelon::server {

enum class Rejection : std::uint8_t { capacity, descriptors, framing, timeout, tls, name, memory };
inline constexpr std::size_t rejection_count = base::count_up_to(Rejection::memory);

// By Rejection: the values of a metric's label.
inline constexpr std::array<std::string_view, rejection_count> rejection_names = {
    "capacity", "descriptors", "framing", "timeout", "tls", "name", "memory"};

[[nodiscard]] constexpr std::string_view to_string(Rejection rejection) {
    return rejection_names[std::to_underlying(rejection)];
}

}  // namespace echelon::server

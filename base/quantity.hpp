#pragma once

// How much is "1.5Gi"? Kubernetes quantities as integers, exact and rounded up. More than int64 is the largest int64,
// as in Kubernetes.
//
// Pure. The grammar is that of the Kubernetes API: a decimal number with a binary (Ki ... Ei) or decimal (n, u, m, k,
// M ... E) suffix, or an exponent.

#include <cstdint>
#include <expected>
#include <string_view>

namespace echelon::base {

// The unit of the result: 1 or 1/1000.
enum class Unit : std::uint8_t { whole, thousandth };

enum class QuantityFault : std::uint8_t { malformed, negative };

[[nodiscard]] std::expected<std::int64_t, QuantityFault> quantity_in(std::string_view text, Unit unit);

}  // namespace echelon::base

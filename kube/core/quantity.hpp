#pragma once

// How much is "1.5Gi"? Kubernetes quantities as whole numbers, exactly and always rounded up.
//
// Pure. The grammar is that of the Kubernetes API: a decimal number with a binary (Ki ... Ei) or decimal (n, u, m, k,
// M ... E) suffix, or an exponent.

#include "base/result.hpp"
#include "kube/json/value.hpp"

#include <cstdint>
#include <string_view>

namespace echelon::kube {

// The unit that is counted in.
enum class Unit : std::uint8_t { whole, thousandth };

// "cpu" is counted in thousandths of a core, everything else in whole units (see model/facts/amounts.hpp).
[[nodiscard]] Unit unit_of(std::string_view resource);

// An error is the end of a sentence about a field: `"abc" isn't a quantity`. Negative amounts and amounts beyond int64
// are errors too.
[[nodiscard]] base::Result<std::int64_t> parse_quantity(std::string_view text, Unit unit);
// The same from a field of an object: a string or a number.
[[nodiscard]] base::Result<std::int64_t> read_quantity(const Value& value, Unit unit);

}  // namespace echelon::kube

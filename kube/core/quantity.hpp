#pragma once

// Which amount does a field with a quantity state? (base/quantity.hpp) Pure.

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "kube/json/value.hpp"

#include <cstdint>
#include <string_view>

namespace echelon::kube {

using base::Unit;

// "cpu" is counted in thousandths of a core, other resources in whole units (model/facts/amounts.hpp).
[[nodiscard]] Unit unit_of(std::string_view resource);

// An error is the end of a sentence about a field: `"abc" isn't a quantity`. Negative amounts are errors, too.
[[nodiscard]] base::Result<std::int64_t> parse_quantity(std::string_view text, Unit unit);
// Parses the value of a field: a string or a number.
[[nodiscard]] base::Result<std::int64_t> read_quantity(const Value& value, Unit unit);

}  // namespace echelon::kube

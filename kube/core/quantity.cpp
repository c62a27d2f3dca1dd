#include "kube/core/quantity.hpp"

#include "kube/json/quoted_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

Unit unit_of(std::string_view resource) {
    return resource == "cpu" ? Unit::thousandth : Unit::whole;
}

base::Result<std::int64_t> parse_quantity(std::string_view text, Unit unit) {
    const auto amount = base::quantity_in(text, unit);
    if (amount)
        return *amount;
    switch (amount.error()) {
        case base::QuantityFault::negative:
            return base::failure(fmt::format("{} is negative", shown(text)));
        case base::QuantityFault::too_large:
            return base::failure(fmt::format("{} is too large", shown(text)));
        case base::QuantityFault::malformed:
            break;
    }
    return base::failure(fmt::format("{} isn't a quantity", shown(text)));
}

base::Result<std::int64_t> read_quantity(const Value& value, Unit unit) {
    if (value.is_text())
        return parse_quantity(value.text(), unit);
    if (value.type() == Value::Type::natural)
        return parse_quantity(fmt::to_string(value.natural()), unit);
    if (value.type() == Value::Type::integer)
        return parse_quantity(fmt::to_string(value.integer()), unit);
    if (value.type() == Value::Type::real)
        return parse_quantity(fmt::to_string(value.tree().get<double>()), unit);
    return base::failure(fmt::format("{} isn't a quantity", shown(value)));
}

}  // namespace echelon::kube

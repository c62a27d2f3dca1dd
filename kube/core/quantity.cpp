#include "kube/core/quantity.hpp"

#include "kube/json/quoted_text.hpp"

#include <optional>
#include <string>

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
    const bool is_negative = amount.error() == base::QuantityFault::negative;
    return base::failure(fmt::format("{} {}", shown(text), is_negative ? "is negative" : "isn't a quantity"));
}

namespace {

// The text that states a quantity; nullopt: the value states none.
std::optional<std::string> quantity_text(const Value& value) {
    if (value.is_text())
        return std::string(value.text());
    if (value.type() == Value::Type::natural)
        return fmt::to_string(value.natural());
    if (value.type() == Value::Type::integer)
        return fmt::to_string(value.integer());
    if (value.type() == Value::Type::real)
        return fmt::to_string(value.tree().get<double>());
    return std::nullopt;
}

}  // namespace

base::Result<std::int64_t> read_quantity(const Value& value, Unit unit) {
    if (value.is_text())  // Nearly always, and no copy is needed.
        return parse_quantity(value.text(), unit);
    const auto text = quantity_text(value);
    return text ? parse_quantity(*text, unit) : base::failure(fmt::format("{} isn't a quantity", shown(value)));
}

}  // namespace echelon::kube

#include "kube/core/quantity.hpp"

#include "fuzz/sentence.hpp"
#include "fuzz/targets.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::fuzz {
namespace {

using Amount = base::Result<std::int64_t>;

std::string disagreement(const Amount& whole, const Amount& thousandths) {
    for (const Amount* amount : {&whole, &thousandths}) {
        if (!*amount) {
            if (auto fault = sentence_fault(amount->error().sentence); !fault.empty())
                return fault;
        } else if (**amount < 0) {
            return fmt::format("{} is negative", **amount);
        }
    }
    if (thousandths.has_value() != whole.has_value())
        return "an amount is readable in one unit only";
    if (!whole || *thousandths == std::numeric_limits<std::int64_t>::max())
        return {};  // An amount that is too large in thousandths may be in range in whole units.
    // Rounding up twice is rounding up once.
    const std::int64_t rounded = *thousandths / 1000 + (*thousandths % 1000 != 0 ? 1 : 0);
    if (rounded != *whole)
        return fmt::format("{} thousandths, but {} as a whole", *thousandths, *whole);
    return {};
}

}  // namespace

std::string quantity(std::string_view bytes) {
    using kube::Unit;
    const Amount whole = kube::parse_quantity(bytes, Unit::whole);
    const Amount thousandths = kube::parse_quantity(bytes, Unit::thousandth);
    if (auto found = disagreement(whole, thousandths); !found.empty())
        return found;

    const auto text = nlohmann::json(std::string(bytes));
    if (kube::read_quantity(text, Unit::whole).has_value() != whole.has_value())
        return "a string in a field means something else than the text alone";
    if (bytes.size() > 1024)
        return {};
    const auto value = nlohmann::json::parse(bytes, nullptr, false);
    if (value.is_discarded() || value.is_structured())
        return {};
    return disagreement(kube::read_quantity(value, Unit::whole), kube::read_quantity(value, Unit::thousandth));
}

}  // namespace echelon::fuzz

#include "model/facts/topology.hpp"

#include <charconv>
#include <system_error>

namespace echelon::model {

std::string title_of(const Topology& topology) {
    const auto kind = topology.api_kind.substr(0, topology.api_kind.find('.'));
    return (kind.empty() ? "topology" : kind) + " \"" + topology.name + "\"";
}

std::string tier_level(std::int64_t tier) {
    return std::string(tier_prefix) + std::to_string(tier);
}

std::optional<std::int64_t> tier_in(std::string_view level) {
    if (!level.starts_with(tier_prefix))
        return std::nullopt;
    const auto digits = level.substr(tier_prefix.size());
    std::int64_t tier = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), tier);
    if (error != std::errc{} || end != digits.data() + digits.size())
        return std::nullopt;
    return tier;
}

}  // namespace echelon::model

#include "model/facts/topology.hpp"

#include "base/whole_number.hpp"

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
    return base::whole_number<std::int64_t>(level.substr(tier_prefix.size()));
}

}  // namespace echelon::model

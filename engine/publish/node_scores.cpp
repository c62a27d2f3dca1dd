#include "engine/publish/node_scores.hpp"

#include <bit>

namespace echelon::engine {

NodePlaces::NodePlaces(const std::vector<std::string>& names) : slots_(std::bit_ceil(2 * names.size() + 2)) {
    mask_ = slots_.size() - 1;
    for (std::uint32_t place = 0; place < names.size(); ++place) {
        const auto hash = name_hash(names[place]);
        auto at = hash & mask_;
        while (slots_[at].place != free)
            at = (at + 1) & mask_;
        slots_[at] = {rest_of(hash), place};
    }
}

}  // namespace echelon::engine

#include "model/gang/gang.hpp"

#include <algorithm>

namespace echelon::model {

std::optional<LevelRef> narrowest_required(const GangGroup& group) {
    if (group.required.empty())
        return std::nullopt;
    return *std::ranges::max_element(group.required, {}, &LevelRef::depth);
}

}  // namespace echelon::model

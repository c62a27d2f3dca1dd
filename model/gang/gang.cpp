#include "model/gang/gang.hpp"

#include <algorithm>

namespace echelon::model {

std::optional<LevelRef> narrowest_required(const GangGroup& group) {
    if (group.required.empty())
        return std::nullopt;
    return *std::ranges::max_element(group.required, {}, &LevelRef::depth);
}

bool is_implied_by_required(const GangGroup& group, LevelRef preferred) {
    return std::ranges::any_of(group.required, [&](LevelRef required) {
        return required.tree == preferred.tree && required.depth >= preferred.depth;
    });
}

}  // namespace echelon::model

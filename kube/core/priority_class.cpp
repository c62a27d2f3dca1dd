#include "kube/core/priority_class.hpp"

#include <cstdint>
#include <limits>

namespace echelon::kube {

model::PriorityClassSeen read_priority_class(const Field& object, const Metadata& metadata) {
    constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const std::optional<std::int64_t> value = object.integer("value", least, most);
    if (!object.has("value"))
        object.fault().note_missing("value");
    return {.name = metadata.name, .value = value.value_or(0)};
}

}  // namespace echelon::kube

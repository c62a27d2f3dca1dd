#include "kube/core/priority_class.hpp"

#include "kube/json/quoted_text.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include <fmt/format.h>

namespace echelon::kube {

model::PriorityClassSeen read_priority_class(const Field& object, const Metadata& metadata) {
    constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const std::optional<std::int64_t> value = object.integer("value", least, most);
    if (!object.has("value"))
        object.fault().note_missing("value");
    const std::string policy = object.text("preemptionPolicy");
    if (!policy.empty() && policy != "Never" && policy != "PreemptLowerPriority")
        object.wrong("preemptionPolicy", fmt::format("must be Never or PreemptLowerPriority, not {}", shown(policy)));
    return {.name = metadata.name, .value = value.value_or(0), .preempts = policy != "Never"};
}

}  // namespace echelon::kube

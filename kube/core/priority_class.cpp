#include "kube/core/priority_class.hpp"

#include "kube/json/quoted_text.hpp"

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace echelon::kube {

model::PriorityClassSeen read_priority_class(const Field& object, const Metadata& metadata) {
    const std::optional<std::int64_t> value = object.integer("value", least_int32, most_int32);
    if (!object.has("value"))
        object.fault().note_missing("value");
    return {.name = metadata.name,
            .value = value.value_or(0),
            .preempts = read_preempts(object).value_or(true),
            .is_default = object.flag("globalDefault", false)};
}

std::optional<bool> read_preempts(const Field& holder) {
    const std::string policy = holder.text("preemptionPolicy");
    if (policy == "Never")
        return false;
    if (policy == "PreemptLowerPriority")
        return true;
    if (!policy.empty())
        holder.wrong("preemptionPolicy", fmt::format("must be Never or PreemptLowerPriority, not {}", shown(policy)));
    return std::nullopt;
}

}  // namespace echelon::kube

#pragma once

// Which extended resources does every DeviceClass have, without naming them? (DR6) Pure.

#include <optional>
#include <string_view>

namespace echelon::model {

// The class in "deviceclass.resource.kubernetes.io/CLASS"; nullopt: it is another resource.
[[nodiscard]] std::optional<std::string_view> class_in(std::string_view resource);

}  // namespace echelon::model

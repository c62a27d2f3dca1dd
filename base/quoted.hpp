#pragma once

// How is a name written in a sentence? Pure.

#include <string>
#include <string_view>

namespace echelon::base {

// `"default/x"`. A control character is shown as "?".
[[nodiscard]] std::string quoted(std::string_view name);

}  // namespace echelon::base

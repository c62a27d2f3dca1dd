#pragma once

// Do foreign objects, with any content, leave unrelated gangs unchanged?
//
// Pure.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace echelon::fuzz {

// All names of the sane gangs, and of the objects that they need, contain this. No foreign object may contain it.
inline constexpr std::string_view sane_mark = "sane";

// Reads the objects before the sane gangs, after them, and deletes them. Returns the first broken promise; empty: none.
[[nodiscard]] std::string beside_sane_gangs(const std::vector<nlohmann::json>& objects);

}  // namespace echelon::fuzz

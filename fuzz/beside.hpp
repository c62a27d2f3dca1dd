#pragma once

// Do foreign objects, whatever they say, leave gangs that they have nothing to do with as they are?
//
// Pure.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace echelon::fuzz {

// All names of the sane gangs, and of what they need, have this in them. No foreign object may have it anywhere.
inline constexpr std::string_view sane_mark = "sane";

// The first promise that the objects break, read before the sane gangs, after them, and gone again; empty: none.
[[nodiscard]] std::string beside_sane_gangs(const std::vector<nlohmann::json>& objects);

}  // namespace echelon::fuzz

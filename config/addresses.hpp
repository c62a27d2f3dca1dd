#pragma once

// Where do the ports listen, and may they? Private to config/.
//
// Not thread-safe.

#include "config/section.hpp"
#include "config/settings.hpp"

#include <string>
#include <string_view>

namespace echelon::config {

// The required key `address` of a section. `like`: an example for the fault.
void read_address(Section& section, std::string_view like, Address& out);
// A section that has nothing but an address.
void read_port(const Value& value, const std::string& path, Address& out, Faults& faults);

// No two ports listen on the same address, and without tls extender and bind are on loopback. `root`: the document.
void check_addresses(const Section& root, const Settings& settings, Faults& faults);

}  // namespace echelon::config

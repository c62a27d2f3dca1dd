#pragma once

// How do the parts of the service log? By the name of the part.
//
// Thread-safe.

#include <string>
#include <string_view>

namespace echelon::app {

void info(const std::string& sentence);
void warn(std::string_view caller, const std::string& sentence);
// For parts that sample their warnings themselves.
void pass_on(std::string_view caller, const std::string& sentence);
// That changed files can't be used.
void complain_of_files(const std::string& sentence);

}  // namespace echelon::app

#include "app/version.hpp"

#include <fmt/format.h>

// Given by the build.
#ifndef ECHELON_VERSION
#define ECHELON_VERSION "unknown"
#endif
#ifndef ECHELON_COMMIT
#define ECHELON_COMMIT "unknown"
#endif

namespace echelon::app {

std::string version_line() {
    return fmt::format("echelon {} ({})", ECHELON_VERSION, ECHELON_COMMIT);
}

}  // namespace echelon::app

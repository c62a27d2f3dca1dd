#include "engine/texts.hpp"

#include "base/time_text.hpp"

#include <chrono>

#include <fmt/format.h>

namespace echelon::engine::texts {

std::string about(std::string_view gang, std::string_view what) {
    return fmt::format("echelon: gang {}: {}", gang, what);
}

std::string time(std::int64_t seconds) {
    return base::time_text(std::chrono::sys_seconds(std::chrono::seconds(seconds)));
}

}  // namespace echelon::engine::texts

#include "base/time_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace echelon::base {

std::string time_text(std::chrono::sys_seconds moment) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", moment);
}

std::string time_text_with_microseconds(std::chrono::system_clock::time_point moment) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(moment);
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(moment - seconds).count();
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", seconds, micros);
}

}  // namespace echelon::base

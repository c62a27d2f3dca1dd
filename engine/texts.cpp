#include "engine/texts.hpp"

#include "base/time_text.hpp"

#include <chrono>

namespace echelon::engine::texts {

std::string about(std::string_view gang, std::string_view what) {
    constexpr std::string_view begin = "echelon: gang ";
    constexpr std::string_view middle = ": ";
    std::string text;
    text.reserve(begin.size() + gang.size() + middle.size() + what.size());
    text.append(begin).append(gang).append(middle).append(what);
    return text;
}

std::string time(std::int64_t seconds) {
    return base::time_text(std::chrono::sys_seconds(std::chrono::seconds(seconds)));
}

}  // namespace echelon::engine::texts

#include "engine/texts.hpp"

#include <fmt/format.h>

namespace echelon::engine::texts {

std::string about(std::string_view gang, std::string_view what) {
    return fmt::format("echelon: gang {}: {}", gang, what);
}

}  // namespace echelon::engine::texts

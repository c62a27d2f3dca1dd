#include "unit-tests/simulator/world.hpp"

#include <utility>

#include <fmt/format.h>

namespace echelon::simulator {

void World::fail(std::string_view invariant, std::string sentence) {
    if (!watched.empty() && invariant != watched)
        return;
    tell(fmt::format("{:>9} VIOLATION {}: {}", clock.now().count(), invariant, sentence));
    if (!violation)
        violation = Violation{std::string(invariant), std::move(sentence), steps, clock.now()};
}

}  // namespace echelon::simulator

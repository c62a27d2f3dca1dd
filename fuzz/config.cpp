#include "config/settings.hpp"
#include "fuzz/sentence.hpp"
#include "fuzz/targets.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace echelon::fuzz {

std::string config(std::string_view bytes) {
    if (bytes.size() > 64UL << 10U)
        return {};
    const auto settings = echelon::config::parse(bytes);
    if (settings) {
        const auto again = echelon::config::parse(bytes);
        return again && *again == *settings ? "" : "the same file means something else the second time";
    }
    if (settings.error().empty())
        return "a bad file has no fault";
    // Every kind of line end counts, so that this is an upper bound.
    const auto lines = 1 + std::ranges::count(bytes, '\n') + std::ranges::count(bytes, '\r');
    for (const auto& fault : settings.error()) {
        if (fault.line < 1 || fault.line > lines)
            return fmt::format("a fault on line {} of {}: {}", fault.line, lines, fault.what);
        if (auto found = sentence_fault(echelon::config::to_line("echelon.yaml", fault)); !found.empty())
            return found;
    }
    return {};
}

}  // namespace echelon::fuzz

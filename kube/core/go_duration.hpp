#pragma once

// How long is a duration as Go writes it, "1h30m" or "90s"? Koordinator's annotations hold such texts.
//
// Pure. Reads what Go's time.ParseDuration reads, and nothing else; `config` has a reader of its own, since neither of
// the two may use the other.

#include <cstdint>
#include <optional>
#include <string_view>

namespace echelon::kube {

// In seconds, of which a part counts as a whole one; 0 for what isn't above 0. nullopt: it can't be read, or Go has no
// number for it (292 years).
[[nodiscard]] std::optional<std::int64_t> seconds_of_go_duration(std::string_view text);

}  // namespace echelon::kube

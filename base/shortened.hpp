#pragma once

// How is a long text cut? At a whole character, with a note about its length.
//
// Pure.

#include <cstddef>
#include <string>
#include <string_view>

namespace echelon::base {

// At most `most` bytes of a UTF-8 text, without a partial character at the end.
[[nodiscard]] std::string_view beginning(std::string_view text, std::size_t most);

// The text, or its beginning and "... (200 of 9000 bytes)", within `most` bytes. Used for messages and conditions
// (`limits.messageBytes`).
[[nodiscard]] std::string shortened(std::string text, std::size_t most);

}  // namespace echelon::base

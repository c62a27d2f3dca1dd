#pragma once

// How is a text that echelon did not write shown in a sentence? Control characters become "?". Pure.

#include <cstddef>
#include <string>
#include <string_view>

namespace echelon::base {

// A name: `"default/x"`.
[[nodiscard]] std::string quoted(std::string_view name);
// A message of another program, on one line: at most `most` bytes of UTF-8.
[[nodiscard]] std::string on_one_line(std::string_view message, std::size_t most);

}  // namespace echelon::base

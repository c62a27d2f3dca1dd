#pragma once

// Is this text fit for a person? Foreign bytes are quoted in our sentences, and must do no harm there.
//
// Pure.

#include <string>
#include <string_view>

namespace echelon::fuzz {

// What is wrong with a sentence about bad input; empty: nothing.
[[nodiscard]] std::string sentence_fault(std::string_view sentence);

}  // namespace echelon::fuzz

#pragma once

// May a person read this text? Our sentences quote foreign bytes, which must do no harm there.
//
// Pure.

#include <string>
#include <string_view>

namespace echelon::fuzz {

// What is wrong with a sentence about bad input; empty: nothing.
[[nodiscard]] std::string sentence_fault(std::string_view sentence);

}  // namespace echelon::fuzz

#include "fuzz/sentence.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace echelon::fuzz {

std::string sentence_fault(std::string_view sentence) {
    if (sentence.empty())
        return "an error says nothing";
    if (sentence.size() > 4096)
        return fmt::format("an error has {} bytes", sentence.size());
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (std::ranges::any_of(sentence, is_control))
        return fmt::format("an error holds a control character: {:?}", sentence);
    return {};
}

}  // namespace echelon::fuzz

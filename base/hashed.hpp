#pragma once

// Which characters are looked up in a hash table? A view of them with their hash, which a `Text` knows already.
//
// A parameter type: any string converts to it. Valid as long as the characters.

#include "base/text.hpp"

#include <concepts>
#include <cstdint>
#include <string_view>

namespace echelon::base {

class Hashed {
public:
    Hashed(const Text& text) : view_(text), hash_(text.hash()) {}  // NOLINT(google-explicit-constructor)
    template <typename Other>
        requires std::convertible_to<const Other&, std::string_view>
    Hashed(const Other& text) : view_(text), hash_(hash_of(view_)) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] std::uint32_t hash() const { return hash_; }
    operator std::string_view() const { return view_; }  // NOLINT(google-explicit-constructor)

private:
    std::string_view view_;
    std::uint32_t hash_;
};

[[nodiscard]] inline std::uint32_t hash_of(const Hashed& text) {
    return text.hash();
}

}  // namespace echelon::base

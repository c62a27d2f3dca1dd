#pragma once

// How do values that name the same few texts, such as namespaces, share them? By a short memory of texts, which never
// grows.
//
// Not thread-safe; the texts are.

#include "base/text.hpp"

#include <array>
#include <cstddef>

namespace echelon::base {

class RecentTexts {
public:
    // An equal text, if it is remembered. Otherwise `text`, which is remembered from now on.
    [[nodiscard]] const Text& shared(const Text& text) {
        auto& known = known_[text.hash() % known_.size()];
        if (known != text)
            known = text;
        return known;
    }

private:
    static constexpr std::size_t most = 256;

    std::array<Text, most> known_;
};

}  // namespace echelon::base

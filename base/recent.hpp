#pragma once

// How do values that are often equal, such as namespaces or requests of pods, share one object? By a short memory of
// values, which never grows.
//
// Not thread-safe; the values are as thread-safe as their type.

#include <array>
#include <cstddef>

namespace echelon::base {

// `T`: a copy shares what it holds, the default value holds nothing, and `hash_of` hashes it.
template <typename T>
class Recent {
public:
    // An equal value, if it is remembered. Otherwise `value`, which is remembered from now on.
    [[nodiscard]] const T& shared(const T& value) {
        auto& known = known_[hash_of(value) % known_.size()];
        if (known != value)
            known = value;
        return known;
    }

private:
    static constexpr std::size_t most = 256;

    std::array<T, most> known_;
};

}  // namespace echelon::base

#pragma once

// Where does chance come from? One 64-bit seed and nothing else: the same seed gives the same run on every machine.
//
// A plain value; not thread-safe.

#include <cstdint>
#include <vector>

namespace echelon::simulator {

// One round of splitmix64.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31U);
}

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(mixed(seed)) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ULL;
        return mixed(state_);
    }
    // 0 .. limit-1; 0 for a limit of 0.
    std::uint64_t below(std::uint64_t limit) { return limit == 0 ? 0 : next() % limit; }
    // first .. last, both included.
    std::int64_t between(std::int64_t first, std::int64_t last) {
        return first + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(last - first + 1)));
    }
    bool chance(std::uint64_t per_mille) { return below(1000) < per_mille; }
    template <typename T>
    const T& one_of(const std::vector<T>& values) {
        return values[below(values.size())];
    }

private:
    std::uint64_t state_;
};

}  // namespace echelon::simulator

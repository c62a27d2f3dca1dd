#include "model/facts/usage.hpp"

#include <algorithm>
#include <limits>

namespace echelon::model {

namespace {

constexpr std::int64_t bound = std::int64_t{1} << 60;

}  // namespace

std::int64_t bounded(std::int64_t amount) {
    return std::clamp(amount, -bound, bound);
}

std::int64_t freed(std::int64_t room, std::int64_t amount) {
    return room <= -bound ? 0 : amount;
}

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
    using Limits = std::numeric_limits<std::int64_t>;
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return a < 0 ? Limits::min() : Limits::max();
}

void Usage::add(const Amounts& requests) {
    shift(requests, 1);
}

void Usage::remove(const Amounts& requests) {
    shift(requests, -1);
}

void Usage::shift(const Amounts& requests, int sign) {
    for (const auto& [name, amount] : requests.entries()) {
        if (amount == 0)
            continue;
        auto at = std::ranges::lower_bound(sums_, name, {}, &std::pair<std::string, Sum>::first);
        if (at == sums_.end() || at->first != name)
            at = sums_.insert(at, {name, 0});
        at->second += Sum{amount} * sign;
        if (at->second == 0)
            sums_.erase(at);
    }
}

std::int64_t Usage::left_of(std::string_view name, std::int64_t allocatable) const {
    const auto name_of = [](const std::pair<std::string, Sum>& sum) { return std::string_view(sum.first); };
    const auto at = std::ranges::lower_bound(sums_, name, {}, name_of);
    const Sum taken = at != sums_.end() && at->first == name ? at->second : Sum{0};
    const Sum left = Sum{allocatable} - taken;
    return static_cast<std::int64_t>(std::clamp(left, Sum{-bound}, Sum{bound}));
}

}  // namespace echelon::model

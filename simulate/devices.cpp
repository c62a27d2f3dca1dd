#include "simulate/devices.hpp"

#include <algorithm>
#include <numeric>

namespace echelon::simulate {

Devices::Devices(std::span<const std::int64_t> counts) : free_whole_(counts.begin(), counts.end()) {
    first_.reserve(counts.size() + 1);
    first_.push_back(0);
    for (const auto count : counts)
        first_.push_back(first_.back() + static_cast<std::size_t>(count));
    free_.assign(first_.back(), whole);
}

std::span<const std::int32_t> Devices::free_of(std::uint32_t node) const {
    return std::span(free_).subspan(first_[node], first_[node + 1] - first_[node]);
}

std::int64_t Devices::free_shares(std::uint32_t node, std::int64_t share) const {
    std::int64_t count = 0;
    for (const auto free : free_of(node))
        count += free / share;
    return count;
}

std::int64_t Devices::free_milli(std::uint32_t node) const {
    const auto free = free_of(node);
    return std::accumulate(free.begin(), free.end(), std::int64_t{0});
}

std::vector<std::uint32_t> Devices::take(std::uint32_t node, std::int64_t count) {
    std::vector<std::uint32_t> taken;
    taken.reserve(static_cast<std::size_t>(count));
    const auto all = static_cast<std::uint32_t>(free_of(node).size());
    for (std::uint32_t device = 0; device < all && std::ssize(taken) < count; ++device) {
        if (at(node, device) < whole)
            continue;
        at(node, device) = 0;
        taken.push_back(device);
    }
    free_whole_[node] -= std::ssize(taken);
    return taken;
}

std::uint32_t Devices::take_share(std::uint32_t node, std::int64_t share) {
    const auto free = free_of(node);
    std::uint32_t best = 0;
    for (std::uint32_t device = 0; device < free.size(); ++device) {
        const bool fits_best = free[best] >= share;
        if (free[device] >= share && (!fits_best || free[device] < free[best]))
            best = device;
    }
    free_whole_[node] -= free[best] == whole ? 1 : 0;
    at(node, best) -= static_cast<std::int32_t>(share);
    return best;
}

void Devices::give_back(std::uint32_t node, std::span<const std::uint32_t> devices, std::int64_t amount) {
    for (const auto device : devices) {
        at(node, device) += static_cast<std::int32_t>(amount);
        free_whole_[node] += at(node, device) == whole ? 1 : 0;
    }
}

}  // namespace echelon::simulate

#include "solver/scores/node_room.hpp"

#include <algorithm>

namespace echelon::solver {

bool NodeRoom::fits(const PodNeed& need) const {
    for (std::size_t i = 0; i < amounts.size(); ++i) {
        if (amounts[i] < need.amounts[i])
            return false;
    }
    if (need.share > 0)
        return !devices.empty() && devices.back() >= need.share;
    if (need.whole == 0)
        return true;
    const auto count = static_cast<std::size_t>(need.whole);
    return devices.size() >= count && devices[devices.size() - count] == whole_device;
}

bool NodeRoom::take(const PodNeed& need) {
    if (!fits(need))
        return false;
    for (std::size_t i = 0; i < amounts.size(); ++i)
        amounts[i] -= need.amounts[i];
    if (need.share > 0) {
        // The device has less left, and moves towards the front.
        const auto device = std::ranges::lower_bound(devices, need.share);
        const auto rest = *device - need.share;
        const auto place = std::upper_bound(devices.begin(), device, rest);
        std::move_backward(place, device, device + 1);
        *place = rest;
    } else if (need.whole > 0) {
        const auto count = static_cast<std::ptrdiff_t>(need.whole);
        std::move_backward(devices.begin(), devices.end() - count, devices.end());
        std::fill_n(devices.begin(), count, 0);
    }
    return true;
}

}  // namespace echelon::solver

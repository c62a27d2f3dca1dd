// Which devices does a node have, and which of them can a kind of requests reach? (DR1, DR2)
//
// kube-scheduler looks through the free devices of a node in a fixed order: pools by driver and name, slices by name.
// It gives up at the first one on which a selector ends with an error. Devices before that are taken all the same.

#include "model/devices/device_catalog.hpp"

#include <algorithm>
#include <ranges>
#include <string_view>
#include <tuple>
#include <unordered_set>

namespace echelon::model {

namespace {

// True if devices of these slices, which a pool has on a node, have one name. kube-scheduler takes none of them then.
// The API server sees to it that devices of one slice have different names.
bool have_namesakes(const auto& slices) {
    if (slices.size() < 2)
        return false;
    std::unordered_set<std::string_view> names;
    const auto is_namesake = [&](const Device& device) { return !names.insert(device.name).second; };
    return std::ranges::any_of(slices,
                               [&](const auto* kept) { return std::ranges::any_of(kept->slice.devices, is_namesake); });
}

}  // namespace

void DeviceCatalog::add_devices(const Kept& kept, const std::string& node, KindSet& failed, NodeDevices& found) {
    const auto& slice = kept.slice;
    found.devices.reserve(found.devices.size() + slice.devices.size());
    for (std::size_t i = 0; i < slice.devices.size(); ++i) {
        const auto& device = slice.devices[i];
        const auto& judgement = kept.judgements[i];
        const bool is_free = kept.uses[i].claims == 0;
        failed |= is_free ? judgement.fails : 0;
        found.never_all |= judgement.fails;
        if (slice.node_of(device) != node)
            continue;
        found.never_all |= judgement.repels;
        if (why_uncounted(device) != Uncounted::none)
            continue;
        const auto lacks = [&](const DeviceCounter& counter) {
            return kept.pool->counters.at({counter.set, counter.name}) < counter.amount;
        };
        found.devices.push_back({.kinds = judgement.takes,
                                 .taken = kept.uses[i].claims,
                                 .taken_by_extended = kept.uses[i].extended,
                                 .taken_by_class = kept.uses[i].extended_class,
                                 .is_blocked = is_free && std::ranges::any_of(device.counters, lacks),
                                 .hidden = is_free ? judgement.takes & failed : 0,
                                 .device = &device,
                                 .counters = &kept.pool->counters});
    }
}

DeviceCatalog::NodeDevices DeviceCatalog::on(const std::string& node) const {
    NodeDevices found;
    const auto here = by_node_.find(node);
    if (here == by_node_.end())
        return found;
    std::vector<const Kept*> complete;
    for (const auto& [name, kept] : here->second) {
        if (kept->slice.generation != kept->pool->generation)
            continue;
        if (kept->pool->is_complete) {
            complete.push_back(kept);
        } else {
            found.lacks_slices = true;
        }
    }
    const auto by_pool = [](const Kept* kept) { return std::tie(kept->slice.driver, kept->slice.pool); };
    std::ranges::stable_sort(complete, {}, by_pool);
    KindSet failed = 0;
    for (auto from = complete.begin(); from != complete.end();) {
        const auto end =
            std::find_if(from, complete.end(), [&](const Kept* kept) { return kept->pool != (*from)->pool; });
        if (have_namesakes(std::ranges::subrange(from, end))) {
            found.lacks_slices = true;
        } else {
            std::for_each(from, end, [&](const Kept* kept) { add_devices(*kept, node, failed, found); });
        }
        from = end;
    }
    if (found.lacks_slices)
        found.never_all = ~KindSet{0};
    return found;
}

}  // namespace echelon::model

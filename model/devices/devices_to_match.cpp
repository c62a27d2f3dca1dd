// Which devices of a node are matched to requests one by one? (DR3)

#include "model/devices/device_index.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace echelon::model {

namespace {

// Values of different types are never equal.
std::string text_of(const DeviceAttribute& attribute) {
    using Kind = DeviceAttribute::Kind;
    switch (attribute.kind) {
        case Kind::text:
            return "text " + attribute.text;
        case Kind::version:
            return "version " + attribute.text;
        case Kind::number:
            return "number " + std::to_string(attribute.number);
        case Kind::truth:
            return "truth " + std::to_string(attribute.number);
    }
    return {};
}

// Numbers the counters of one node: a pool, a counter set and a name each.
class CounterNumbers {
public:
    explicit CounterNumbers(NodeDevices& out) : out_(out) {}

    void add(const DeviceCatalog::NodeDevice& device, NodeDevices::Item& item) {
        for (const auto& counter : device.device->counters) {
            const auto left = device.counters->find({counter.set, counter.name});
            const auto [known, is_new] = numbers_.try_emplace(&*left, static_cast<std::uint32_t>(out_.counters.size()));
            if (is_new)
                out_.counters.push_back(left->second);
            out_.counters[known->second] += item.is_taken ? counter.amount : 0;
            item.counters.emplace_back(known->second, counter.amount);
        }
    }

private:
    NodeDevices& out_;
    std::map<const void*, std::uint32_t> numbers_;
};

}  // namespace

std::optional<NodeDevices> DeviceIndex::devices_to_match(const std::string& node) const {
    if (counting_.matched.empty())
        return std::nullopt;
    const auto here = catalog_.on(node);
    std::map<std::string, std::uint32_t> kinds;  // By name, which orders them.
    for (const auto& [kind, name] : counting_.matched) {
        const auto takes = [&](const auto& device) { return (device.kinds & (KindSet{1} << kind)) != 0; };
        if (std::ranges::any_of(here.devices, takes))
            kinds.emplace(name, kind);
    }
    if (kinds.empty())
        return std::nullopt;
    NodeDevices out{.kinds = {}, .attributes = counting_.attributes, .counters = {}, .devices = {}, .never_all = 0};
    for (const auto& [name, kind] : kinds) {
        out.never_all |= ((here.never_all >> kind) & 1U) << out.kinds.size();
        out.kinds.push_back(name);
    }
    CounterNumbers numbers(out);
    for (const auto& device : here.devices) {
        NodeDevices::Item item{.takers = 0, .is_taken = device.taken > 0, .values = {}};
        std::uint32_t bit = 0;
        for (const auto& [name, kind] : kinds) {
            item.takers |= ((device.kinds >> kind) & 1U) << bit;
            item.hidden |= ((device.hidden >> kind) & 1U) << bit++;
        }
        // What a taken one uses of a counter is free again in the empty cluster.
        if (item.takers == 0 && (!item.is_taken || device.device->counters.empty()))
            continue;
        for (const auto& attribute : out.attributes) {
            const auto value = device.device->attributes.find(attribute);
            item.values.push_back(value == device.device->attributes.end() ? "" : text_of(value->second));
        }
        numbers.add(device, item);
        out.devices.push_back(std::move(item));
    }
    return out;
}

}  // namespace echelon::model

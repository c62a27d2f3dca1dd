#include "model/devices/device_catalog.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace echelon::model {

namespace {

bool selects(const DeviceTaintRule& rule, const DeviceSlice& slice) {
    return (!rule.driver || *rule.driver == slice.driver) && (!rule.pool || *rule.pool == slice.pool);
}

bool selects(const DeviceTaintRule& rule, const DeviceSlice& slice, const Device& device) {
    return selects(rule, slice) && (!rule.device || *rule.device == device.name);
}

std::set<std::string> nodes_of_slice(const DeviceSlice& slice) {
    std::set<std::string> nodes;
    for (const auto& device : slice.devices)
        nodes.insert(slice.node_of(device));
    nodes.insert(slice.node);
    nodes.erase("");
    return nodes;
}

// Requires: its counters exist.
void charge(DeviceCatalog::Counters& counters, const Device& device, int sign) {
    for (const auto& counter : device.counters)
        counters.at({counter.set, counter.name}) -= sign * counter.amount;
}

// Which kinds can take the device, with the taints that rules give it?
RequestKinds::Judgement judge(const std::map<std::string, DeviceTaintRule>& rules, const DeviceSlice& slice,
                              const Device& device, KindSet kinds, const RequestKinds& table) {
    std::optional<Device> tainted;
    for (const auto& [name, rule] : rules) {
        if (!rule.taint || !selects(rule, slice, device))
            continue;
        if (!tainted)
            tainted = device;
        tainted->taints.push_back(*rule.taint);
    }
    return table.judge(slice.driver, tainted ? *tainted : device, kinds);
}

// `slices`: of a pool, by name.
std::set<std::string> nodes_of(const auto& slices) {
    std::set<std::string> nodes;
    for (const auto& [name, kept] : slices)
        nodes.merge(nodes_of_slice(kept->slice));
    return nodes;
}

}  // namespace

DeviceCatalog::Uncounted DeviceCatalog::why_uncounted(const Device& device) {
    if (device.is_of_many_nodes)
        return Uncounted::of_many_nodes;
    return device.is_shared ? Uncounted::shared : Uncounted::none;
}

// For each kind that an error may stop there is the set in which it alone is left of those that may be stopped. Smaller
// sets than these make no difference to `sets_to_count`.
std::vector<KindSet> DeviceCatalog::takers(KindSet kinds) const {
    KindSet failing = 0;
    for (const auto& [of, count] : failing_)
        failing |= of & kinds;
    std::vector<KindSet> sets;
    for (const auto& [all, count] : takers_) {
        const auto of = all & kinds;
        sets.push_back(of);
        sets.push_back(of & ~failing);
        for (auto rest = of & failing; rest != 0; rest &= rest - 1)
            sets.push_back((of & ~failing) | (rest & ~(rest - 1)));
    }
    std::ranges::sort(sets);
    const auto repeated = std::ranges::unique(sets);
    sets.erase(repeated.begin(), repeated.end());
    std::erase(sets, KindSet{0});
    return sets;
}

KindSet DeviceCatalog::takers_of_partitions() const {
    KindSet kinds = 0;
    for (const auto& [of, count] : partitions_)
        kinds |= of;
    return kinds;
}

std::string_view DeviceCatalog::why_uncounted(std::uint32_t kind) const {
    const auto takes = [&](const auto& entry) { return (entry.first.second & bit(kind)) != 0; };
    const auto found = std::ranges::find_if(uncounted_, takes);
    if (found == uncounted_.end())
        return {};
    switch (found->first.first) {
        case Uncounted::of_many_nodes:
            return "its devices belong to several nodes";
        case Uncounted::shared:
            return "its devices are shared by several claims";
        case Uncounted::doubtful:
            return "a selector of an alternative ends with an error on a device";
        case Uncounted::none:
            break;
    }
    return {};
}

void DeviceCatalog::refresh(Pool& pool) {
    pool.generation = 0;
    for (const auto& [name, kept] : pool.slices)
        pool.generation = std::max(pool.generation, kept->slice.generation);
    std::int64_t there = 0;
    std::int64_t wanted = 0;
    for (const auto& [name, kept] : pool.slices) {
        if (kept->slice.generation != pool.generation)
            continue;
        ++there;
        wanted = kept->slice.slice_count;
    }
    pool.is_complete = there == wanted && count_counters(pool);
}

// False: a counter is in two sets of one name, or a partition takes one that doesn't exist.
bool DeviceCatalog::count_counters(Pool& pool) {
    pool.counters.clear();
    const auto visit = [&](auto with) {
        return std::ranges::all_of(pool.slices, [&](const auto& entry) {
            const Kept& kept = *entry.second;
            return kept.slice.generation != pool.generation || with(kept);
        });
    };
    const auto add_totals = [&](const Kept& kept) {
        return std::ranges::all_of(kept.slice.counters, [&](const DeviceCounter& counter) {
            return pool.counters.emplace(std::pair(counter.set, counter.name), counter.amount).second;
        });
    };
    const auto take_used = [&](const Kept& kept) {
        for (std::size_t i = 0; i < kept.slice.devices.size(); ++i) {
            const auto& device = kept.slice.devices[i];
            const auto exists = [&](const DeviceCounter& counter) {
                return pool.counters.contains({counter.set, counter.name});
            };
            if (!std::ranges::all_of(device.counters, exists))
                return false;
            if (kept.uses[i].claims > 0)
                charge(pool.counters, device, 1);
        }
        return true;
    };
    return visit(add_totals) && visit(take_used);
}

std::set<std::string> DeviceCatalog::set_rule(const std::string& name, const DeviceTaintRule* rule,
                                              const RequestKinds& kinds) {
    const auto before = rules_.extract(name);
    if (rule != nullptr)
        rules_.emplace(name, *rule);
    std::set<std::string> nodes;
    if (before.empty() ? rule == nullptr : rule != nullptr && before.mapped() == *rule)
        return nodes;
    const auto is_selected = [&](const auto&... what) {
        return (!before.empty() && selects(before.mapped(), what...)) || (rule != nullptr && selects(*rule, what...));
    };
    for (auto& [slice_name, kept] : slices_) {
        if (!is_selected(kept.slice))
            continue;
        count(kept, -1);
        for (std::size_t i = 0; i < kept.slice.devices.size(); ++i) {
            const auto& device = kept.slice.devices[i];
            if (!is_selected(kept.slice, device))
                continue;
            kept.judgements[i] = judge(rules_, kept.slice, device, kinds.matched(), kinds);
            nodes.insert(kept.slice.node_of(device));
        }
        count(kept, 1);
    }
    nodes.erase("");
    return nodes;
}

void DeviceCatalog::count(const Device& device, const RequestKinds::Judgement& judgement, int sign) {
    const auto shift = [sign](auto& counts, const auto& key) {
        auto& count = counts[key];
        count = sign > 0 ? count + 1 : count - 1;
        if (count == 0)
            counts.erase(key);
    };
    if ((judgement.takes | judgement.fails | judgement.doubts) == 0)
        return;
    ++version_;
    if (judgement.fails != 0)
        shift(failing_, judgement.fails);
    if (judgement.doubts != 0)
        shift(uncounted_, std::pair(Uncounted::doubtful, judgement.doubts));
    if (judgement.takes == 0)
        return;
    const auto why = why_uncounted(device);
    if (why == Uncounted::none) {
        shift(takers_, judgement.takes);
        if (!device.counters.empty())
            shift(partitions_, judgement.takes);
    } else {
        shift(uncounted_, std::pair(why, judgement.takes));
    }
}

void DeviceCatalog::count(const Kept& kept, int sign) {
    for (std::size_t i = 0; i < kept.slice.devices.size(); ++i)
        count(kept.slice.devices[i], kept.judgements[i], sign);
}

void DeviceCatalog::index(Kept& kept, bool comes) {
    for (const auto& node : nodes_of_slice(kept.slice)) {
        if (comes) {
            by_node_[node].emplace(kept.slice.name, &kept);
            continue;
        }
        const auto here = by_node_.find(node);
        here->second.erase(kept.slice.name);
        if (here->second.empty())
            by_node_.erase(here);
    }
}

std::set<std::string> DeviceCatalog::see(const DeviceSlice& slice, const RequestKinds& kinds) {
    if (const auto known = slices_.find(slice.name); known != slices_.end() && known->second.slice == slice)
        return {};
    auto nodes = forget(slice.name);
    auto& kept = slices_[slice.name];
    kept.slice = slice;
    for (const auto& device : slice.devices) {
        kept.judgements.push_back(judge(rules_, slice, device, kinds.matched(), kinds));
        kept.uses.push_back(use_of(slice, device));
    }
    count(kept, 1);
    index(kept, true);
    auto& pool = pools_[{slice.driver, slice.pool}];
    pool.slices.emplace(slice.name, &kept);
    kept.pool = &pool;
    refresh(pool);
    nodes.merge(nodes_of(pool.slices));
    return nodes;
}

std::set<std::string> DeviceCatalog::forget(const std::string& name) {
    const auto known = slices_.find(name);
    if (known == slices_.end())
        return {};
    const auto pool = pools_.find({known->second.slice.driver, known->second.slice.pool});
    auto nodes = nodes_of(pool->second.slices);
    count(known->second, -1);
    index(known->second, false);
    pool->second.slices.erase(name);
    slices_.erase(known);
    if (pool->second.slices.empty()) {
        pools_.erase(pool);
    } else {
        refresh(pool->second);
    }
    return nodes;
}

std::vector<const DeviceSlice*> DeviceCatalog::slices() const {
    std::vector<const DeviceSlice*> slices;
    slices.reserve(slices_.size());
    for (const auto& [name, kept] : slices_)
        slices.push_back(&kept.slice);
    return slices;
}

DeviceCatalog::Use DeviceCatalog::use_of(const DeviceSlice& slice, const Device& device) const {
    const auto known = uses_.find({slice.driver, slice.pool, device.name});
    return known == uses_.end() ? Use{} : known->second;
}

std::set<std::string> DeviceCatalog::take(const DeviceAllocation& allocation, bool is_of_extended) {
    return change_use(allocation, is_of_extended, 1);
}

std::set<std::string> DeviceCatalog::give_back(const DeviceAllocation& allocation, bool is_of_extended) {
    return change_use(allocation, is_of_extended, -1);
}

std::set<std::string> DeviceCatalog::change_use(const DeviceAllocation& allocation, bool is_of_extended, int sign) {
    std::set<std::string> nodes;
    const auto step = static_cast<std::uint32_t>(sign);  // Wraps, as sums of unsigned numbers do.
    for (std::size_t i = 0; i < allocation.devices.size(); ++i) {
        const auto& device = allocation.devices[i];
        auto& use = uses_[device];
        use.claims += step;
        use.extended += is_of_extended ? step : 0;
        if (use.extended == 0) {
            use.extended_class.clear();
        } else if (is_of_extended && sign > 0) {
            use.extended_class = i < allocation.classes.size() ? allocation.classes[i] : "";
        }
        const auto now = use;
        const int change = now.claims > 0 ? 1 : -1;  // A use has begun, or ended.
        if (use.claims == 0)
            uses_.erase(device);
        const auto pool = pools_.find({device.driver, device.pool});
        if (pool == pools_.end())
            continue;
        for (const auto& [name, slice] : pool->second.slices) {
            auto& kept = *slice;
            const auto at = std::ranges::find(kept.slice.devices, device.device, &Device::name);
            if (at == kept.slice.devices.end())
                continue;
            const auto index = static_cast<std::size_t>(at - kept.slice.devices.begin());
            const auto before = std::exchange(kept.uses[index], now);
            if (const auto& node = kept.slice.node_of(*at); !node.empty())
                nodes.insert(node);
            if (kept.judgements[index].fails != 0)
                nodes.merge(nodes_of_slice(kept.slice));  // Devices behind it are reached again, or no longer.
            if (at->counters.empty() || kept.slice.generation != pool->second.generation || !pool->second.is_complete)
                continue;
            if ((before.claims > 0) != (now.claims > 0))
                charge(pool->second.counters, *at, change);
            nodes.merge(nodes_of(pool->second.slices));
        }
    }
    return nodes;
}

void DeviceCatalog::match(KindSet kinds, const RequestKinds& table) {
    for (auto& [name, kept] : slices_) {
        count(kept, -1);
        for (std::size_t i = 0; i < kept.slice.devices.size(); ++i) {
            kept.judgements[i].drop(kinds);
            kept.judgements[i].add(judge(rules_, kept.slice, kept.slice.devices[i], kinds, table));
        }
        count(kept, 1);
    }
    ++version_;
}

void DeviceCatalog::add_nodes_of(KindSet kinds, std::set<std::string>& nodes) const {
    const auto concerns = [kinds](const RequestKinds::Judgement& judgement) {
        return ((judgement.takes | judgement.fails | judgement.doubts | judgement.repels) & kinds) != 0;
    };
    for (const auto& [name, kept] : slices_) {
        if (kinds != 0 && std::ranges::any_of(kept.judgements, concerns))
            nodes.merge(nodes_of_slice(kept.slice));
    }
}

std::vector<std::string> DeviceCatalog::nodes() const {
    std::vector<std::string> names;
    for (const auto& [node, slices] : by_node_)
        names.push_back(node);
    std::ranges::sort(names);
    return names;
}

}  // namespace echelon::model

// Which kinds of requests do pods ask for, and what is counted for them? (DR3)

#include "model/devices/device_index.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace echelon::model {

namespace {

KindSet bit(std::uint32_t kind) {
    return KindSet{1} << kind;
}

}  // namespace

bool DeviceIndex::is_choice(const DeviceRequest& request, const DeviceDemand& demand) {
    const auto takes_one = [](const DeviceRequest& choice) { return choice.count == 1 && !choice.wants_all; };
    const auto names_choice = [&](const DeviceConstraint& constraint) {
        return std::ranges::any_of(constraint.requests,
                                   [&](const auto& name) { return name.starts_with(request.name + "/"); });
    };
    return !request.alternatives.empty() &&
           (!takes_one(request) || !std::ranges::all_of(request.alternatives, takes_one) ||
            std::ranges::any_of(demand.constraints, names_choice));
}

void DeviceIndex::note_request(PodRow& row, const DeviceDemand& demand, const DeviceRequest& request) const {
    auto key = key_of(request);
    if (!key || !request.not_understood.empty() || request.admin_access)
        return;
    const bool has_choices = is_choice(request, demand);
    if (has_choices) {
        row.has_choices = true;
        row.asks.emplace_back(first_choice(*key), false);
        for (const auto& alternative : key->alternatives)
            row.asks.emplace_back(alternative, false);
    }
    row.asks.emplace_back(std::move(*key), request.wants_all && !has_choices);
    for (const auto& constraint : demand.constraints)
        row.attributes.insert(constraint.attribute);
}

void DeviceIndex::note_asks(PodRow& row) {
    for (const auto& claim : row.event.claims) {
        const auto* demand = demand_of(row.event.pod.ns, claim);
        const auto* object = claim_of(row.event.pod.ns, claim);
        if (demand == nullptr || (object != nullptr && object->allocation))
            continue;
        for (const auto& request : demand->requests)
            note_request(row, *demand, request);
    }
    for (const auto& [key, wants_all] : row.asks) {
        auto& askers = askers_[key];
        are_kinds_stale_ = are_kinds_stale_ || askers.pods == 0 || (wants_all && askers.for_all == 0);
        ++askers.pods;
        askers.for_all += wants_all ? 1U : 0U;
    }
    for (const auto& attribute : row.attributes)
        are_kinds_stale_ = ++attributes_[attribute] == 1 || are_kinds_stale_;
    if (row.has_choices)
        are_kinds_stale_ = ++choosing_pods_ == 1 || are_kinds_stale_;
}

void DeviceIndex::drop_asks(PodRow& row) {
    for (const auto& [key, wants_all] : row.asks) {
        const auto askers = askers_.find(key);
        askers->second.for_all -= wants_all ? 1U : 0U;
        --askers->second.pods;
        are_kinds_stale_ = are_kinds_stale_ || askers->second.pods == 0 || (wants_all && askers->second.for_all == 0);
        if (askers->second.pods == 0)
            askers_.erase(askers);
    }
    row.asks.clear();
    for (const auto& attribute : row.attributes) {
        const auto known = attributes_.find(attribute);
        if (--known->second > 0)
            continue;
        attributes_.erase(known);
        are_kinds_stale_ = true;
    }
    row.attributes.clear();
    if (std::exchange(row.has_choices, false))
        are_kinds_stale_ = --choosing_pods_ == 0 || are_kinds_stale_;
}

void DeviceIndex::note_asks_of(const std::set<std::string>& uids) {
    for (const auto& uid : uids) {
        auto& row = pods_.at(uid);
        drop_asks(row);
        note_asks(row);
    }
}

void DeviceIndex::refresh(Delta& delta) {
    if (!are_kinds_stale_ && seen_version_ == catalog_.version())
        return;
    const bool are_others = are_kinds_stale_ && refresh_kinds();
    are_kinds_stale_ = false;
    seen_version_ = catalog_.version();
    auto counting = counted();
    if (are_others || counting != counting_) {
        counting_ = std::move(counting);
        add_everybody(delta);
    }
}

// True if some kind numbers have a new meaning.
bool DeviceIndex::refresh_kinds() {
    std::set<RequestKey> wanted;
    for (const auto& [name, device_class] : classes_)
        wanted.insert(key_of(device_class, nullptr));
    for (const auto& [key, askers] : askers_)
        wanted.insert(key);
    KindSet gone = 0;
    for (auto rest = kinds_.all(); rest != 0; rest &= rest - 1) {
        const auto kind = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (!wanted.contains(kinds_.key_of(kind)))
            gone |= bit(kind);
    }
    for (auto rest = gone; rest != 0; rest &= rest - 1)
        kinds_.drop(static_cast<std::uint32_t>(std::countr_zero(rest)));
    if (gone != 0)
        catalog_.drop_kinds(gone);
    not_understood_.clear();
    const auto before = kinds_.all();
    for (const auto& key : wanted) {
        if (const auto kind = kinds_.intern(key); !kind)
            not_understood_.emplace(key, kind.error());
    }
    if (kinds_.all() != before)
        catalog_.add_kinds(kinds_.all() & ~before, kinds_);
    return gone != 0 || kinds_.all() != before;
}

DeviceIndex::Counting DeviceIndex::counted() const {
    Counting counting{.sets = kinds_.sets_to_count(catalog_.takers()),
                      .for_all = {},
                      .uncounted = {},
                      .extended = {},
                      .matched = {},
                      .attributes = {}};
    KindSet asked = 0;
    for (auto rest = kinds_.all(); rest != 0; rest &= rest - 1) {
        const auto kind = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (const auto why = catalog_.why_uncounted(kind); !why.empty())
            counting.uncounted.emplace(kind, why);
        const auto askers = askers_.find(kinds_.key_of(kind));
        asked |= askers == askers_.end() ? 0 : bit(kind);
        if (askers != askers_.end() && askers->second.for_all > 0)
            counting.for_all.emplace(kind, kinds_.name_of_all(kind));
    }
    for (const auto& [name, device_class] : classes_) {
        const auto kind = kinds_.find(key_of(device_class, nullptr));
        if (kind && !device_class.extended_resource.empty())
            counting.extended.emplace_back(*kind, device_class.extended_resource);
    }
    if (choosing_pods_ == 0 && attributes_.empty() && counting.for_all.empty() &&
        (asked & catalog_.takers_of_partitions()) == 0)
        return counting;
    for (const auto& [attribute, pods] : attributes_)
        counting.attributes.push_back(attribute);
    for (auto rest = asked; rest != 0; rest &= rest - 1) {
        const auto kind = static_cast<std::uint32_t>(std::countr_zero(rest));
        counting.matched.emplace(kind, kinds_.name_of(kind));
    }
    return counting;
}

}  // namespace echelon::model

// Which kinds of requests do pods ask for, and what is counted for them? (DR3)

#include "model/devices/device_index.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace echelon::model {

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

bool DeviceIndex::is_choice_of_all(const DeviceRequest& request) {
    return !request.alternatives.empty() &&
           (request.wants_all || std::ranges::any_of(request.alternatives, &DeviceRequest::wants_all));
}

void DeviceIndex::note_ask(PodRow& row, const RequestKey& key, bool wants_all) {
    const auto note = asked_.add(row.event.pod.ns, key, wants_all);
    row.asks.emplace_back(note.key, wants_all);
    are_kinds_stale_ = are_kinds_stale_ || note.is_news;
}

void DeviceIndex::note_request(PodRow& row, const DeviceDemand& demand, const DeviceRequest& request) {
    if (!request.not_understood.empty())
        return;
    const auto key = key_of(request);
    if (!key)
        return;
    if (request.admin_access) {
        note_ask(row, *key, false);
        row.admin_asks.push_back(*key);
        return;
    }
    const bool has_choices = is_choice(request, demand);
    if (has_choices) {
        row.has_choices = true;
        row.has_choices_of_all = row.has_choices_of_all || is_choice_of_all(request);
        note_ask(row, first_choice(*key), false);
        for (const auto& alternative : key->alternatives)
            note_ask(row, alternative, false);
    }
    note_ask(row, *key, request.wants_all && !has_choices);
    for (const auto& constraint : demand.constraints)
        row.attributes.insert(constraint.attribute);
}

void DeviceIndex::note_asks(PodRow& row) {
    for (const auto& claim : row.event.claims) {
        const auto* demand = demand_of(row.event.pod.ns, claim);
        const auto* object = claim_of(row.event.pod.ns, claim);
        if (demand == nullptr || (object != nullptr && (object->allocation || object->is_deleted)))
            continue;
        for (const auto& request : demand->requests)
            note_request(row, *demand, request);
    }
    for (const auto& [resource, amount] : row.event.pod.pod_class.requests.entries()) {
        if (amount == 0 || class_of(resource) == nullptr)
            continue;
        row.resources.push_back(resource);
        are_kinds_stale_ = ++asked_resources_[resource] == 1 || are_kinds_stale_;
    }
    for (const auto& key : row.admin_asks)
        are_kinds_stale_ = ++admin_asks_[key] == 1 || are_kinds_stale_;
    for (const auto& attribute : row.attributes)
        are_kinds_stale_ = ++attributes_[attribute] == 1 || are_kinds_stale_;
    if (row.has_choices)
        are_kinds_stale_ = ++choosing_pods_ == 1 || are_kinds_stale_;
    if (row.has_choices_of_all)
        are_kinds_stale_ = ++pods_choosing_all_ == 1 || are_kinds_stale_;
}

void DeviceIndex::drop_asks(PodRow& row) {
    for (const auto& [key, wants_all] : row.asks)
        are_kinds_stale_ = asked_.drop(row.event.pod.ns, *key, wants_all) || are_kinds_stale_;
    row.asks.clear();
    const auto drop_all = [this](auto& counts, auto& names) {
        for (const auto& name : names) {
            const auto known = counts.find(name);
            if (--known->second > 0)
                continue;
            counts.erase(known);
            are_kinds_stale_ = true;
        }
        names.clear();
    };
    drop_all(asked_resources_, row.resources);
    drop_all(admin_asks_, row.admin_asks);
    drop_all(attributes_, row.attributes);
    if (std::exchange(row.has_choices, false))
        are_kinds_stale_ = --choosing_pods_ == 0 || are_kinds_stale_;
    if (std::exchange(row.has_choices_of_all, false))
        are_kinds_stale_ = --pods_choosing_all_ == 0 || are_kinds_stale_;
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
    std::set<const RequestKey*> keys;
    auto changed = std::exchange(are_kinds_stale_, false) ? refresh_kinds(delta, keys) : 0;
    seen_version_ = catalog_.version();
    auto counting = counted();
    changed |= differing(counting_, counting);
    delta.changes_plugin_nodes = delta.changes_plugin_nodes || counting_.joint != counting.joint;
    auto resources = resources_of(changed, counting_);
    resources.merge(resources_of(changed, counting));
    counting_ = std::move(counting);
    catalog_.add_nodes_of(changed, delta.nodes);
    for (auto rest = changed & kinds_.all(); rest != 0; rest &= rest - 1)
        keys.insert(asked_.kept(kinds_.key_of(static_cast<std::uint32_t>(std::countr_zero(rest)))));
    keys.erase(nullptr);
    if (keys.empty() && resources.empty())
        return;
    for (const auto& [uid, row] : pods_) {
        if (std::ranges::any_of(row.asks, [&](const auto& ask) { return keys.contains(ask.first); }) ||
            std::ranges::any_of(row.resources, [&](const auto& resource) { return resources.contains(resource); }))
            delta.pods.insert(uid);
    }
}

KindSet DeviceIndex::refresh_kinds(Delta& delta, std::set<const RequestKey*>& keys) {
    const auto renewal = kinds_.renew(kinds_to_count());
    for (const auto& key : renewal.ended_keys)
        keys.insert(asked_.kept(key));
    catalog_.add_nodes_of(renewal.ended, delta.nodes);
    if (renewal.fresh != 0)
        catalog_.match(renewal.fresh, kinds_);
    return renewal.begun;
}

// Classes come first: they are the administrator's.
std::set<RequestKey> DeviceIndex::kinds_to_count() const {
    std::set<RequestKey> chosen;
    for (const auto& [name, device_class] : classes_) {
        auto key = key_of(device_class, nullptr);
        if (chosen.size() < RequestKinds::most_kinds && why_not_understood(key).empty())
            chosen.insert(std::move(key));
    }
    asked_.choose(chosen);
    return chosen;
}

DeviceIndex::Counting DeviceIndex::counted() const {
    Counting counting{.sets = kinds_.sets_to_count(catalog_.takers(kinds_.all())),
                      .for_all = {},
                      .uncounted = {},
                      .extended = {},
                      .joint = {},
                      .for_admin = {},
                      .has_choices_of_all = pods_choosing_all_ > 0,
                      .matched = {},
                      .attributes = {}};
    KindSet asked = 0;
    for (auto rest = kinds_.all(); rest != 0; rest &= rest - 1) {
        const auto kind = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (const auto why = catalog_.why_uncounted(kind); !why.empty())
            counting.uncounted.emplace(kind, why);
        const auto* requests = asked_.find(kinds_.key_of(kind));
        asked |= requests == nullptr ? 0 : bit(kind);
        if (requests != nullptr && requests->for_all > 0)
            counting.for_all.emplace(kind, kinds_.name_of_all(kind));
        if (admin_asks_.contains(kinds_.key_of(kind)))
            counting.for_admin.emplace(kind, "admin access to " + kinds_.name_of(kind));
    }
    add_extended(counting);
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

// Kinds that anything differs for.
KindSet DeviceIndex::differing(const Counting& before, const Counting& after) {
    const bool is_alike =
        before.attributes == after.attributes && before.has_choices_of_all == after.has_choices_of_all;
    KindSet kinds = is_alike ? 0 : ~KindSet{0};
    const auto compare = [&kinds](const auto& a, const auto& b, auto kinds_of) {
        for (const auto& entry : a)
            kinds |= std::ranges::find(b, entry) == b.end() ? kinds_of(entry) : 0;
    };
    const auto compare_both = [&compare](const auto& a, const auto& b, auto kinds_of) {
        compare(a, b, kinds_of);
        compare(b, a, kinds_of);
    };
    const auto kind_of = [](const auto& entry) { return bit(entry.first); };
    const auto kinds_of = [](const auto& set) { return set.kinds; };
    compare_both(before.sets, after.sets, kinds_of);
    compare_both(before.joint, after.joint, kinds_of);
    compare_both(before.for_all, after.for_all, kind_of);
    compare_both(before.for_admin, after.for_admin, kind_of);
    compare_both(before.uncounted, after.uncounted, kind_of);
    compare_both(before.extended, after.extended, kind_of);
    compare_both(before.matched, after.matched, kind_of);
    return kinds;
}

}  // namespace echelon::model

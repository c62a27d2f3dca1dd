#include "model/devices/device_index.hpp"

#include "base/quoted.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace echelon::model {

namespace {

constexpr const char* host_key = "kubernetes.io/hostname";

KindSet bit(std::uint32_t kind) {
    return KindSet{1} << kind;
}

// The mark of pods that share a claim; no label can have such a key.
std::string mark_of(const std::string& claim) {
    return ":claim/" + claim;
}

RequestKey key_of(const DeviceClass& device_class, const DeviceRequest* request) {
    RequestKey key{.device_class = device_class.name,
                   .selectors = device_class.selectors,
                   .class_selectors = device_class.selectors.size()};
    if (request != nullptr) {
        key.selectors.insert(key.selectors.end(), request->selectors.begin(), request->selectors.end());
        key.tolerations = request->tolerations;
        std::ranges::sort(key.tolerations);
    }
    return key;
}

// Each of the terms of one and each of the other, together: what both allow.
std::vector<NodeTerm> both(const std::vector<NodeTerm>& a, const std::vector<NodeTerm>& b) {
    std::vector<NodeTerm> joined;
    for (const auto& left : a) {
        for (const auto& right : b) {
            auto& term = joined.emplace_back(left);
            term.labels.insert(term.labels.end(), right.labels.begin(), right.labels.end());
            term.fields.insert(term.fields.end(), right.fields.begin(), right.fields.end());
        }
    }
    return joined;
}

}  // namespace

class DeviceIndex::Demand {
public:
    Demand(const DeviceIndex& index, const PodSeen& event) : index_(index), event_(event) {
        for (const auto& claim : event.claims)
            add(claim);
    }

    [[nodiscard]] const Remarks& remarks() const { return remarks_; }

    // Puts it into the pod.
    void write(PodSeen& event) const {
        auto& shape = event.pod.shape;
        for (const auto& [resource, amount] : amounts_)
            shape.requests.add(resource, amount);
        for (const auto* pin : pins_)
            shape.node_affinity = shape.node_affinity ? both(*shape.node_affinity, *pin) : *pin;
        for (const auto& claim : shared_) {
            event.labels.insert_or_assign(mark_of(claim), "");
            event.pod.terms.push_back(
                {.kind = PodTerm::Kind::together,
                 .key = host_key,
                 .labels = {{.key = mark_of(claim), .op = Requirement::Operator::exists, .values = {}}},
                 .namespaces = {event.pod.ns}});
        }
        std::ranges::sort(event.pod.terms);
    }

private:
    void add(const PodClaim& claim) {
        const auto* object = index_.claim_of(event_.pod.ns, claim);
        if (object != nullptr && object->allocation) {
            if (object->allocation->nodes)
                pins_.push_back(&*object->allocation->nodes);
            return;
        }
        const auto* demand = index_.told_demand(event_.pod.ns, claim);
        if (demand == nullptr)
            return add_missing(claim);
        if (!demand->constraint.empty())
            remarks_.warnings.insert("devices of claim " + base::quoted(claim.name) +
                                     " are left to kube-scheduler in part: " + demand->constraint);
        const auto users = index_.users_of(index_.claim_users_, {event_.pod.ns, claim.claim});
        const bool is_shared = claim.claim_template.empty() && users.size() > 1;
        const bool is_counted = !is_shared || first_of(users) == event_.pod.uid;
        bool counts = false;
        for (const auto& request : demand->requests)
            counts = add(request, is_counted) || counts;
        if (is_shared && counts)
            shared_.insert(claim.claim);
    }

    // Of pods that share a claim one asks, and the others follow it.
    [[nodiscard]] const std::string& first_of(const std::set<std::string>& users) const {
        return *std::ranges::min_element(users, {}, [this](const std::string& uid) {
            const auto& pod = index_.pods_.at(uid).told.pod;
            return std::pair(pod.name, pod.uid);
        });
    }

    void add_missing(const PodClaim& claim) {
        const bool is_template = claim.claim.empty();
        if (remarks_.missing.empty() && !(is_template && claim.claim_template.empty())) {
            remarks_.missing = (is_template ? "resource claim template " : "resource claim ") +
                               base::quoted(event_.pod.ns + "/" + (is_template ? claim.claim_template : claim.claim)) +
                               ", which doesn't exist yet";
        }
    }

    // True: it counts on the node.
    bool add(const DeviceRequest& request, bool is_counted) {
        if (!request.not_understood.empty())
            return warn(request, request.not_understood);
        if (request.admin_access)
            return false;
        const auto known = index_.classes_.find(request.device_class);
        if (known == index_.classes_.end()) {
            amounts_["devices of class " + request.device_class + ", which doesn't exist"] += request.count;
            return false;
        }
        const auto key = key_of(known->second, &request);
        const auto kind = index_.kinds_.find(key);
        if (!kind) {
            const auto why = index_.not_understood_.find(key);
            return warn(request, why == index_.not_understood_.end() ? "it isn't counted" : why->second);
        }
        if (const auto why = index_.counting_.uncounted.find(*kind); why != index_.counting_.uncounted.end())
            return warn(request, why->second);
        if (is_counted)
            count(request, *kind, known->second.extended_resource);
        return true;
    }

    bool warn(const DeviceRequest& request, const std::string& why) {
        remarks_.warnings.insert("devices of request " + base::quoted(request.name) +
                                 " are left to kube-scheduler: " + why);
        return false;
    }

    void count(const DeviceRequest& request, std::uint32_t kind, const std::string& extended) {
        const auto amount = request.wants_all ? 1 : request.count;
        for (const auto& set : index_.counting_.sets) {
            if ((set.kinds & bit(kind)) != 0)
                amounts_[set.name] += amount;
        }
        if (request.wants_all)
            amounts_[index_.counting_.for_all.at(kind)] += 1;
        if (!extended.empty())
            amounts_[extended] += amount;
    }

    const DeviceIndex& index_;
    const PodSeen& event_;
    std::map<std::string, std::int64_t> amounts_;
    std::vector<const std::vector<NodeTerm>*> pins_;
    std::set<std::string> shared_;  // Names of claims.
    Remarks remarks_;
};

const DeviceClaim* DeviceIndex::claim_of(const std::string& ns, const PodClaim& claim) const {
    const auto found = claims_.find({ns, claim.claim});
    return found == claims_.end() ? nullptr : &found->second;
}

// A claim that is made from a template may not be seen yet.
const DeviceDemand* DeviceIndex::told_demand(const std::string& ns, const PodClaim& claim) const {
    if (const auto* object = claim_of(ns, claim); object != nullptr && object->demand)
        return &*object->demand;
    const auto found = templates_.find({ns, claim.claim_template});
    return found == templates_.end() || !found->second.demand ? nullptr : &*found->second.demand;
}

std::set<std::string> DeviceIndex::users_of(const std::map<Name, std::set<std::string>>& users,
                                            const Name& name) const {
    const auto found = users.find(name);
    return found == users.end() ? std::set<std::string>{} : found->second;
}

void DeviceIndex::note_users(const PodSeen& event, bool comes, Delta& delta) {
    const auto note = [&](auto& users, const std::string& name) {
        if (name.empty())
            return;
        auto& here = users[{event.pod.ns, name}];
        if (comes) {
            here.insert(event.pod.uid);
        } else {
            here.erase(event.pod.uid);
        }
        if (here.empty())
            users.erase({event.pod.ns, name});
    };
    for (const auto& claim : event.claims) {
        note(claim_users_, claim.claim);
        note(template_users_, claim.claim_template);
        if (claim.claim_template.empty())
            delta.pods.merge(users_of(claim_users_, {event.pod.ns, claim.claim}));
    }
    delta.pods.erase(event.pod.uid);
}

void DeviceIndex::note_asks(PodRow& row) {
    for (const auto& claim : row.told.claims) {
        const auto* demand = told_demand(row.told.pod.ns, claim);
        const auto* object = claim_of(row.told.pod.ns, claim);
        if (demand == nullptr || (object != nullptr && object->allocation))
            continue;
        for (const auto& request : demand->requests) {
            const auto known = classes_.find(request.device_class);
            if (known != classes_.end() && request.not_understood.empty() && !request.admin_access)
                row.asks.emplace_back(key_of(known->second, &request), request.wants_all);
        }
    }
    for (const auto& [key, wants_all] : row.asks) {
        auto& askers = askers_[key];
        are_kinds_stale_ = are_kinds_stale_ || askers.pods == 0 || (wants_all && askers.for_all == 0);
        ++askers.pods;
        askers.for_all += wants_all ? 1U : 0U;
    }
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

// True: the numbers of kinds mean something else now.
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
    Counting counting{.sets = kinds_.sets_to_count(catalog_.takers()), .for_all = {}, .uncounted = {}};
    for (auto rest = kinds_.all(); rest != 0; rest &= rest - 1) {
        const auto kind = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (const auto why = catalog_.why_uncounted(kind); !why.empty())
            counting.uncounted.emplace(kind, why);
        const auto askers = askers_.find(kinds_.key_of(kind));
        if (askers != askers_.end() && askers->second.for_all > 0)
            counting.for_all.emplace(kind, kinds_.name_of_all(kind));
    }
    return counting;
}

void DeviceIndex::add_everybody(Delta& delta) const {
    for (auto& node : catalog_.nodes())
        delta.nodes.insert(std::move(node));
    for (const auto& [uid, row] : pods_)
        delta.pods.insert(uid);
}

// Every pod may ask for what a class is.
DeviceIndex::Delta DeviceIndex::on_class_changed() {
    Delta delta;
    add_everybody(delta);
    are_kinds_stale_ = true;
    note_asks_of(delta.pods);
    refresh(delta);
    return delta;
}

// Those that name a claim or a template.
DeviceIndex::Delta DeviceIndex::on_users_changed(Delta delta) {
    note_asks_of(delta.pods);
    refresh(delta);
    return delta;
}

DeviceIndex::Delta DeviceIndex::see(const DeviceSlice& slice) {
    Delta delta{.nodes = catalog_.see(slice, kinds_), .pods = {}};
    refresh(delta);
    return delta;
}

DeviceIndex::Delta DeviceIndex::forget_slice(const std::string& name) {
    Delta delta{.nodes = catalog_.forget(name), .pods = {}};
    refresh(delta);
    return delta;
}

DeviceIndex::Delta DeviceIndex::see(const DeviceClass& device_class) {
    const auto [known, is_new] = classes_.try_emplace(device_class.name);
    if (!is_new && known->second == device_class)
        return {};
    known->second = device_class;
    return on_class_changed();
}

DeviceIndex::Delta DeviceIndex::forget_class(const std::string& name) {
    return classes_.erase(name) == 0 ? Delta{} : on_class_changed();
}

DeviceIndex::Delta DeviceIndex::see(const DeviceClaim& claim) {
    const Name name{claim.ns, claim.name};
    const auto [known, is_new] = claims_.try_emplace(name);
    if (!is_new && known->second == claim)
        return {};
    const auto before = std::exchange(known->second, claim);
    Delta delta{.nodes = {}, .pods = users_of(claim_users_, name)};
    if (before.allocation)
        delta.nodes.merge(catalog_.give_back(before.allocation->devices, !before.demand));
    if (claim.allocation)
        delta.nodes.merge(catalog_.take(claim.allocation->devices, !claim.demand));
    return on_users_changed(std::move(delta));
}

DeviceIndex::Delta DeviceIndex::forget_claim(const std::string& ns, const std::string& name) {
    const auto known = claims_.extract({ns, name});
    if (known.empty())
        return {};
    Delta delta{.nodes = {}, .pods = users_of(claim_users_, {ns, name})};
    const auto& before = known.mapped();
    if (before.allocation)
        delta.nodes = catalog_.give_back(before.allocation->devices, !before.demand);
    return on_users_changed(std::move(delta));
}

DeviceIndex::Delta DeviceIndex::see(const DeviceClaimTemplate& claim_template) {
    const Name name{claim_template.ns, claim_template.name};
    const auto [known, is_new] = templates_.try_emplace(name);
    if (!is_new && known->second == claim_template)
        return {};
    known->second = claim_template;
    return on_users_changed({.nodes = {}, .pods = users_of(template_users_, name)});
}

DeviceIndex::Delta DeviceIndex::forget_template(const std::string& ns, const std::string& name) {
    if (templates_.erase({ns, name}) == 0)
        return {};
    return on_users_changed({.nodes = {}, .pods = users_of(template_users_, {ns, name})});
}

DeviceIndex::Delta DeviceIndex::keep(const PodSeen& event) {
    Delta delta;
    const auto [known, is_new] = pods_.try_emplace(event.pod.uid);
    auto& row = known->second;
    const bool asks_alike = !is_new && row.told.claims == event.claims;
    if (!is_new && !asks_alike) {
        drop_asks(row);
        note_users(row.told, false, delta);
    }
    row.told = event;
    if (asks_alike)
        return delta;
    note_asks(row);
    note_users(event, true, delta);
    refresh(delta);
    delta.pods.erase(event.pod.uid);
    return delta;
}

DeviceIndex::Delta DeviceIndex::drop(const std::string& uid) {
    Delta delta;
    const auto known = pods_.find(uid);
    if (known == pods_.end())
        return delta;
    drop_asks(known->second);
    note_users(known->second.told, false, delta);
    pods_.erase(known);
    refresh(delta);
    return delta;
}

PodSeen DeviceIndex::resolve(const std::string& uid) {
    auto& row = pods_.at(uid);
    const Demand demand(*this, row.told);
    row.remarks = demand.remarks();
    auto resolved = row.told;
    demand.write(resolved);
    return resolved;
}

PodSeen DeviceIndex::resolved(const PodSeen& event) const {
    auto resolved = event;
    Demand(*this, event).write(resolved);
    return resolved;
}

const DeviceIndex::Remarks* DeviceIndex::remarks(const std::string& uid) const {
    const auto found = pods_.find(uid);
    return found == pods_.end() ? nullptr : &found->second.remarks;
}

Amounts DeviceIndex::offered_on(const std::string& node, const Amounts& plugin) const {
    Amounts offered;
    const auto here = catalog_.on(node);
    if (here.devices.empty())
        return offered;
    const auto count = [&](KindSet kinds, auto is_free) {
        return std::ranges::count_if(
            here.devices, [&](const auto& device) { return (device.kinds & kinds) != 0 && is_free(device); });
    };
    const auto is_free = [](const auto& device) { return device.taken == 0; };
    for (const auto& set : counting_.sets) {
        if (const auto free = count(set.kinds, is_free); free > 0)
            offered.set(set.name, free);
    }
    for (const auto& [kind, name] : counting_.for_all) {
        const auto free = count(bit(kind), is_free);
        if (here.is_complete && free > 0 && free == count(bit(kind), [](const auto&) { return true; }))
            offered.set(name, 1);
    }
    for (const auto& [name, device_class] : classes_) {
        const auto kind = kinds_.find(key_of(device_class, nullptr));
        if (device_class.extended_resource.empty() || !kind || plugin.of(device_class.extended_resource) > 0)
            continue;
        const auto is_left = [](const auto& device) { return device.taken == device.taken_by_extended; };
        if (const auto left = count(bit(*kind), is_left); left > 0)
            offered.add(device_class.extended_resource, left);
    }
    return offered;
}

}  // namespace echelon::model

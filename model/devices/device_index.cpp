#include "model/devices/device_index.hpp"

#include "model/devices/device_demand.hpp"

#include <algorithm>
#include <utility>

namespace echelon::model {

const DeviceClaim* DeviceIndex::claim_of(const std::string& ns, const PodClaim& claim) const {
    const auto found = claims_.find({ns, claim.claim});
    return found == claims_.end() ? nullptr : &found->second;
}

// A claim that is created from a template may not be seen yet.
const DeviceDemand* DeviceIndex::demand_of(const std::string& ns, const PodClaim& claim) const {
    if (const auto* object = claim_of(ns, claim); object != nullptr && object->demand)
        return &*object->demand;
    const auto found = templates_.find({ns, claim.claim_template});
    return found == templates_.end() || !found->second.demand ? nullptr : &*found->second.demand;
}

RequestKey DeviceIndex::key_of(const DeviceClass& device_class, const DeviceRequest* request) {
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

std::optional<RequestKey> DeviceIndex::key_of(const DeviceRequest& request) const {
    const auto known = classes_.find(request.device_class);
    if (known == classes_.end())
        return std::nullopt;
    auto key = key_of(known->second, &request);
    for (const auto& alternative : request.alternatives) {
        auto other = key_of(alternative);
        if (!other)
            return std::nullopt;
        key.alternatives.push_back(std::move(*other));
    }
    return key;
}

const DeviceIndex::Users* DeviceIndex::users_of(const Name& claim) const {
    const auto found = claim_users_.find(claim);
    return found == claim_users_.end() ? nullptr : &found->second;
}

std::set<std::string> DeviceIndex::pods_of(const std::map<Name, Users>& users, const Name& name) {
    std::set<std::string> uids;
    if (const auto found = users.find(name); found != users.end()) {
        for (const auto& user : found->second)
            uids.insert(user.uid);
    }
    return uids;
}

std::string DeviceIndex::first_of(const Users& users, const GroupKey& root) const {
    const auto found = std::ranges::find_if(users, [&](const User& user) { return pods_.at(user.uid).root == root; });
    return found == users.end() ? std::string() : found->uid;
}

// The first user of a claim in each gang requests its devices. Only the old and the new first user change, however many
// pods share it.
void DeviceIndex::note_user(const PodSeen& event, const std::string& claim, bool comes, Delta& delta) {
    auto& here = claim_users_[{event.pod.ns, claim}];
    const auto& row = pods_.at(event.pod.uid);
    const auto note_first = [&] {
        if (auto first = first_of(here, row.root); !first.empty())
            delta.pods.insert(std::move(first));
        if (here.size() <= 2) {
            for (const auto& user : here)
                delta.pods.insert(user.uid);  // It begins to share the claim, or ends.
        }
    };
    const User user{row.is_kept_back, event.pod.name, event.pod.uid};
    note_first();
    if (comes) {
        here.insert(user);
    } else {
        here.erase(user);
    }
    note_first();
    if (here.empty())
        claim_users_.erase({event.pod.ns, claim});
    delta.pods.erase(event.pod.uid);
}

void DeviceIndex::note_users(const PodSeen& event, bool comes, Delta& delta) {
    for (const auto& claim : event.claims) {
        if (!claim.claim.empty())
            note_user(event, claim.claim, comes, delta);
        if (claim.claim_template.empty())
            continue;
        const Name name{event.pod.ns, claim.claim_template};
        const User user{pods_.at(event.pod.uid).is_kept_back, event.pod.name, event.pod.uid};
        auto& here = template_users_[name];
        if (comes) {
            here.insert(user);
        } else {
            here.erase(user);
        }
        if (here.empty())
            template_users_.erase(name);
    }
}

bool DeviceIndex::is_kept_back(const PodSeen& event) const {
    return event.pod.has_foreign_gate() || std::ranges::any_of(event.claims, [&](const PodClaim& claim) {
               const auto* object = claim_of(event.pod.ns, claim);
               return object != nullptr ? object->is_deleted : demand_of(event.pod.ns, claim) == nullptr;
           });
}

void DeviceIndex::judge_again(PodRow& row, Delta& delta) {
    const bool is_kept_back_now = is_kept_back(row.event);
    if (is_kept_back_now == row.is_kept_back)
        return;
    note_users(row.event, false, delta);
    row.is_kept_back = is_kept_back_now;
    note_users(row.event, true, delta);
}

void DeviceIndex::add_everybody(Delta& delta) const {
    for (auto& node : catalog_.nodes())
        delta.nodes.insert(std::move(node));
    for (const auto& [uid, row] : pods_)
        delta.pods.insert(uid);
}

// A class may affect every pod.
DeviceIndex::Delta DeviceIndex::on_class_changed() {
    Delta delta;
    add_everybody(delta);
    are_kinds_stale_ = true;
    note_asks_of(delta.pods);
    refresh(delta);
    return delta;
}

// For pods that name a claim or a template.
DeviceIndex::Delta DeviceIndex::on_users_changed(Delta delta) {
    Delta beside;
    for (const auto& uid : delta.pods)
        judge_again(pods_.at(uid), beside);
    delta.pods.merge(beside.pods);
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

DeviceIndex::Delta DeviceIndex::see(const DeviceTaintRule& rule) {
    Delta delta{.nodes = catalog_.set_rule(rule.name, &rule, kinds_), .pods = {}};
    refresh(delta);
    return delta;
}

DeviceIndex::Delta DeviceIndex::forget_rule(const std::string& name) {
    Delta delta{.nodes = catalog_.set_rule(name, nullptr, kinds_), .pods = {}};
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
    Delta delta{.nodes = {}, .pods = pods_of(claim_users_, name)};
    if (before.allocation)
        delta.nodes.merge(catalog_.give_back(*before.allocation, !before.demand));
    if (claim.allocation)
        delta.nodes.merge(catalog_.take(*claim.allocation, !claim.demand));
    note_served(before, false, delta);
    note_served(claim, true, delta);
    return on_users_changed(std::move(delta));
}

DeviceIndex::Delta DeviceIndex::forget_claim(const std::string& ns, const std::string& name) {
    const auto known = claims_.extract({ns, name});
    if (known.empty())
        return {};
    Delta delta{.nodes = {}, .pods = pods_of(claim_users_, {ns, name})};
    const auto& before = known.mapped();
    if (before.allocation)
        delta.nodes = catalog_.give_back(*before.allocation, !before.demand);
    note_served(before, false, delta);
    return on_users_changed(std::move(delta));
}

DeviceIndex::Delta DeviceIndex::see(const DeviceClaimTemplate& claim_template) {
    const Name name{claim_template.ns, claim_template.name};
    const auto [known, is_new] = templates_.try_emplace(name);
    if (!is_new && known->second == claim_template)
        return {};
    known->second = claim_template;
    return on_users_changed({.nodes = {}, .pods = pods_of(template_users_, name)});
}

DeviceIndex::Delta DeviceIndex::forget_template(const std::string& ns, const std::string& name) {
    if (templates_.erase({ns, name}) == 0)
        return {};
    return on_users_changed({.nodes = {}, .pods = pods_of(template_users_, {ns, name})});
}

DeviceIndex::Delta DeviceIndex::keep(const PodSeen& event) {
    Delta delta;
    const auto [known, is_new] = pods_.try_emplace(event.pod.uid);
    auto& row = known->second;
    const bool asks_alike =
        !is_new && row.event.claims == event.claims && row.event.pod.pod_class.requests == event.pod.pod_class.requests;
    if (!is_new && !asks_alike) {
        drop_asks(row);
        note_users(row.event, false, delta);
    }
    row.event = event;
    if (asks_alike) {
        judge_again(row, delta);
        return delta;
    }
    row.is_kept_back = is_kept_back(event);
    if (is_new && event.pod.membership)
        row.root = event.pod.membership->leaf;
    note_asks(row);
    note_users(event, true, delta);
    refresh(delta);
    delta.pods.erase(event.pod.uid);
    return delta;
}

DeviceIndex::Delta DeviceIndex::set_root(const std::string& uid, const GroupKey& root) {
    Delta delta;
    const auto known = pods_.find(uid);
    if (known == pods_.end() || known->second.root == root)
        return delta;
    note_users(known->second.event, false, delta);
    known->second.root = root;
    note_users(known->second.event, true, delta);
    delta.pods.insert(uid);
    return delta;
}

DeviceIndex::Delta DeviceIndex::drop(const std::string& uid) {
    Delta delta;
    const auto known = pods_.find(uid);
    if (known == pods_.end())
        return delta;
    drop_asks(known->second);
    note_users(known->second.event, false, delta);
    pods_.erase(known);
    refresh(delta);
    return delta;
}

PodSeen DeviceIndex::resolve(const std::string& uid) {
    auto& row = pods_.at(uid);
    const Demand demand(*this, row.event);
    row.remarks = demand.remarks();
    auto resolved = row.event;
    demand.write(resolved);
    return resolved;
}

PodSeen DeviceIndex::resolved(const PodSeen& event) const {
    auto resolved = event;
    Demand(*this, event).write(resolved);
    return resolved;
}

void DeviceIndex::append_objects(std::vector<Event>& events) const {
    for (const auto& [name, device_class] : classes_)
        events.emplace_back(DeviceClassSeen{device_class});
    for (const auto* slice : catalog_.slices())
        events.emplace_back(DeviceSliceSeen{*slice});
    for (const auto& [name, rule] : catalog_.rules())
        events.emplace_back(DeviceTaintRuleSeen{rule});
    for (const auto& [name, claim] : claims_)
        events.emplace_back(DeviceClaimSeen{claim});
    for (const auto& [name, claim_template] : templates_)
        events.emplace_back(DeviceTemplateSeen{claim_template});
}

const DeviceIndex::Remarks* DeviceIndex::remarks(const std::string& uid) const {
    const auto found = pods_.find(uid);
    return found == pods_.end() ? nullptr : &found->second.remarks;
}

}  // namespace echelon::model

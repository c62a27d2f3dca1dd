#include "engine/reserve/ledger.hpp"

#include "model/facts/usage.hpp"

#include <algorithm>
#include <utility>

namespace echelon::engine {

namespace {

template <typename Map, typename Key>
void erase_from(Map& map, const Key& key, const std::string& uid) {
    auto found = map.find(key);
    if (found == map.end())
        return;
    found->second.erase(uid);
    if (found->second.empty())
        map.erase(found);
}

}  // namespace

void shift_room(model::Snapshot& snapshot, model::NodeId node, const model::Amounts& amounts, std::int64_t sign) {
    for (const auto& [name, amount] : amounts.entries()) {
        auto at = std::ranges::lower_bound(snapshot.resources, name);
        if (at == snapshot.resources.end() || *at != name)
            continue;
        snapshot.room[static_cast<std::size_t>(at - snapshot.resources.begin())][node] += sign * amount;
    }
}

void Ledger::put(const std::string& uid, Hold hold) {
    release(uid);
    ++version_;
    changed_.insert(hold.node);
    touched_.insert(hold.node);
    by_node_[hold.node].insert(uid);
    by_owner_[hold.owner].insert(uid);
    holds_.emplace(uid, std::move(hold));
}

bool Ledger::release(const std::string& uid) {
    auto found = holds_.find(uid);
    if (found == holds_.end())
        return false;
    ++version_;
    changed_.insert(found->second.node);
    touched_.insert(found->second.node);
    erase_from(by_node_, found->second.node, uid);
    erase_from(by_owner_, found->second.owner, uid);
    holds_.erase(found);
    return true;
}

const Hold* Ledger::find(const std::string& uid) const {
    auto found = holds_.find(uid);
    return found == holds_.end() ? nullptr : &found->second;
}

std::set<model::GroupKey> Ledger::owners_on(const std::string& node) const {
    std::set<model::GroupKey> owners;
    if (auto found = by_node_.find(node); found != by_node_.end()) {
        for (const auto& uid : found->second) {
            if (const auto& owner = holds_.at(uid).owner; !owner.name.empty())
                owners.insert(owner);
        }
    }
    return owners;
}

std::set<model::GroupKey> Ledger::owners_where(const std::function<bool(const std::string&)>& is_meant) const {
    std::set<model::GroupKey> owners;
    for (const auto& [node, uids] : by_node_) {
        if (is_meant(node))
            owners.merge(owners_on(node));
    }
    return owners;
}

std::vector<const Hold*> Ledger::on(const std::string& node) const {
    std::vector<const Hold*> holds;
    if (const auto found = by_node_.find(node); found != by_node_.end()) {
        for (const auto& uid : found->second)
            holds.push_back(&holds_.at(uid));
    }
    return holds;
}

std::set<std::string> Ledger::nodes_of(const model::GroupKey& owner) const {
    std::set<std::string> nodes;
    if (const auto found = by_owner_.find(owner); found != by_owner_.end()) {
        for (const auto& uid : found->second)
            nodes.insert(holds_.at(uid).node);
    }
    return nodes;
}

std::int64_t Ledger::taken_on(const std::string& node, std::string_view resource) const {
    std::int64_t taken = 0;
    if (const auto found = by_node_.find(node); found != by_node_.end()) {
        for (const auto& uid : found->second)
            taken += model::bounded(holds_.at(uid).requests.of(resource));
    }
    for (const auto& [owner, by_node] : leaving_) {
        if (const auto found = by_node.find(node); found != by_node.end())
            taken -= model::bounded(found->second.of(resource));
    }
    return taken;
}

std::vector<model::ExpectedPod> Ledger::placed_by_others(const model::GroupKey& owner) const {
    std::vector<model::ExpectedPod> placed;
    for (const auto& [uid, hold] : holds_) {
        if (hold.owner != owner)
            placed.push_back({uid, hold.node});
    }
    return placed;
}

void Ledger::apply(model::Snapshot& snapshot) const {
    for (const auto& [name, uids] : by_node_) {
        auto node = snapshot.node(name);
        if (!node)
            continue;
        for (const auto& uid : uids)
            shift(snapshot, *node, holds_.at(uid), -1);
    }
    for (const auto& [owner, by_node] : leaving_)
        shift(snapshot, by_node, 1);
}

void Ledger::apply(model::Snapshot& snapshot, model::NodeId node) const {
    const auto& name = snapshot.node_names[node];
    if (const auto found = by_node_.find(name); found != by_node_.end()) {
        for (const auto& uid : found->second)
            shift(snapshot, node, holds_.at(uid), -1);
    }
    for (const auto& [owner, by_node] : leaving_) {
        if (const auto found = by_node.find(name); found != by_node.end())
            shift_room(snapshot, node, found->second, 1);
    }
}

void Ledger::apply(model::Snapshot& snapshot, const std::string& uid) const {
    const auto* hold = find(uid);
    const auto node = hold == nullptr ? std::nullopt : snapshot.node(hold->node);
    if (node)
        shift(snapshot, *node, *hold, -1);
}

void Ledger::set_leaving(const model::GroupKey& owner, std::map<std::string, model::Amounts> by_node) {
    for (const auto& [node, amounts] : leaving_[owner])
        touched_.insert(node);
    for (const auto& [node, amounts] : by_node)
        touched_.insert(node);
    if (by_node.empty()) {
        leaving_.erase(owner);
    } else {
        leaving_.insert_or_assign(owner, std::move(by_node));
    }
}

std::map<std::string, model::Amounts> Ledger::held_by(const model::GroupKey& owner) const {
    std::map<std::string, model::Amounts> by_node;
    if (const auto found = by_owner_.find(owner); found != by_owner_.end()) {
        for (const auto& uid : found->second) {
            const auto& hold = holds_.at(uid);
            by_node[hold.node].add(hold.requests);
        }
    }
    return by_node;
}

void Ledger::shift(model::Snapshot& snapshot, const std::map<std::string, model::Amounts>& by_node, std::int64_t sign) {
    for (const auto& [name, amounts] : by_node) {
        if (const auto node = snapshot.node(name))
            shift_room(snapshot, *node, amounts, sign);
    }
}

// `sign`: 1 gives back, -1 takes.
void Ledger::shift(model::Snapshot& snapshot, model::NodeId node, const Hold& hold, std::int64_t sign) {
    shift_room(snapshot, node, hold.requests, sign);
    if (const auto zoned = snapshot.zoned.find(node); zoned != snapshot.zoned.end())
        zoned->second.add(model::zone_parts(hold.requests, *hold.alignment, *zoned->second.zones), -sign);
    if (const auto matched = snapshot.matched.find(node); matched != snapshot.matched.end())
        matched->second.add(*hold.devices, -sign);
}

void Ledger::give_back(model::Snapshot& snapshot, const model::GroupKey& owner) const {
    shift_owner(snapshot, owner, 1);
}

void Ledger::apply_owner(model::Snapshot& snapshot, const model::GroupKey& owner) const {
    shift_owner(snapshot, owner, -1);
}

void Ledger::shift_owner(model::Snapshot& snapshot, const model::GroupKey& owner, std::int64_t sign) const {
    if (const auto leaving = leaving_.find(owner); leaving != leaving_.end())
        shift(snapshot, leaving->second, -sign);
    auto found = by_owner_.find(owner);
    if (found == by_owner_.end())
        return;
    for (const auto& uid : found->second) {
        const auto& hold = holds_.at(uid);
        if (auto node = snapshot.node(hold.node))
            shift(snapshot, *node, hold, sign);
    }
}

}  // namespace echelon::engine

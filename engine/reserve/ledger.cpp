#include "engine/reserve/ledger.hpp"

#include "model/facts/usage.hpp"

#include <algorithm>
#include <utility>

namespace echelon::engine {

namespace {

// Calls `take(index, amount)` for each amount whose resource the snapshot knows.
void for_each_known(const model::Snapshot& snapshot, const model::Amounts& amounts, const auto& take) {
    for (const auto& [name, amount] : amounts.entries()) {
        const auto at = std::ranges::lower_bound(snapshot.resources, name);
        if (at != snapshot.resources.end() && *at == name)
            take(static_cast<std::size_t>(at - snapshot.resources.begin()), model::bounded(amount));
    }
}

// Holds of one gang mostly share their requests, which are then looked up once.
class HoldShifter {
public:
    HoldShifter(model::Snapshot& snapshot, std::int64_t sign) : snapshot_(snapshot), sign_(sign) {}

    void shift(model::NodeId node, const Hold& hold) {
        if (!hold.requests.is_shared_with(requests_))
            look_up(hold.requests);
        for (const auto& [resource, amount] : amounts_)
            snapshot_.room[resource][node] += sign_ * amount;
        if (const auto zoned = snapshot_.zoned.find(node); zoned != snapshot_.zoned.end())
            zoned->second.add(model::zone_parts(hold.requests, *hold.alignment, *zoned->second.zones), -sign_);
        if (const auto matched = snapshot_.matched.find(node); matched != snapshot_.matched.end())
            matched->second.add(*hold.devices, -sign_);
    }

private:
    void look_up(const model::Amounts& requests) {
        requests_ = requests;
        amounts_.clear();
        for_each_known(snapshot_, requests,
                       [this](std::size_t resource, std::int64_t amount) { amounts_.emplace_back(resource, amount); });
    }

    model::Snapshot& snapshot_;
    const std::int64_t sign_;
    model::Amounts requests_;                                    // Of the last hold.
    std::vector<std::pair<std::size_t, std::int64_t>> amounts_;  // Index of the resource in the snapshot, and amount.
};

}  // namespace

void shift_room(model::Snapshot& snapshot, model::NodeId node, const model::Amounts& amounts, std::int64_t sign) {
    for_each_known(snapshot, amounts,
                   [&](std::size_t resource, std::int64_t amount) { snapshot.room[resource][node] += sign * amount; });
}

void shift_hold(model::Snapshot& snapshot, model::NodeId node, const Hold& hold, std::int64_t sign) {
    HoldShifter(snapshot, sign).shift(node, hold);
}

void Ledger::put(const base::Text& uid, Hold&& hold) {
    release(uid);
    ++version_;
    holds_.add(uid, std::move(hold));
}

bool Ledger::release(base::Hashed uid) {
    const bool is_there = holds_.remove(uid);
    version_ += is_there ? 1 : 0;
    return is_there;
}

std::vector<const Held*> Ledger::holds() const {
    std::vector<const Held*> holds;
    holds.reserve(holds_.size());
    for (const auto& held : holds_.all())
        holds.push_back(held.get());
    std::ranges::sort(holds, {}, [](const Held* held) -> const std::string& { return held->first; });
    return holds;
}

std::set<model::GroupKey> Ledger::owners_on(const std::string& node) const {
    std::set<model::GroupKey> owners;
    for (const auto* held : on(node)) {
        if (const auto& owner = held->second.owner; !owner.name.empty())
            owners.insert(owner);
    }
    return owners;
}

std::set<model::GroupKey> Ledger::owners_where(const std::function<bool(const std::string&)>& is_meant) const {
    std::set<model::GroupKey> owners;
    for (const auto& held : holds_.all()) {
        const auto& hold = held->second;
        if (!hold.owner.name.empty() && is_meant(hold.node))
            owners.insert(hold.owner);
    }
    return owners;
}

std::set<std::string> Ledger::nodes_of(const model::GroupKey& owner) const {
    std::set<std::string> nodes;
    for (const auto* held : holds_.of(owner))
        nodes.insert(held->second.node);
    return nodes;
}

std::int64_t Ledger::taken_on(const std::string& node, std::string_view resource) const {
    std::int64_t taken = 0;
    for (const auto* held : on(node))
        taken += model::bounded(held->second.requests.of(resource));
    for (const auto& [owner, by_node] : leaving_) {
        if (const auto found = by_node.find(node); found != by_node.end())
            taken -= model::bounded(found->second.of(resource));
    }
    return taken;
}

std::vector<model::ExpectedPod> Ledger::placed_by_others(const model::GroupKey& owner) const {
    std::vector<model::ExpectedPod> placed;
    for (const auto* held : holds()) {
        if (held->second.owner != owner)
            placed.push_back({held->first, held->second.node});
    }
    return placed;
}

void Ledger::apply(model::Snapshot& snapshot) const {
    HoldShifter shifter(snapshot, -1);
    for (const auto& held : holds_.all()) {
        if (const auto node = snapshot.node(held->second.node))
            shifter.shift(*node, held->second);
    }
    for (const auto& [owner, by_node] : leaving_)
        shift(snapshot, by_node, 1);
}

void Ledger::apply(model::Snapshot& snapshot, std::span<const model::NodeId> nodes) const {
    HoldShifter shifter(snapshot, -1);
    for (const auto node : nodes) {
        const auto& name = snapshot.node_names[node];
        for (const auto* held : on(name))
            shifter.shift(node, held->second);
        for_each_leaving_on(name, [&](const model::GroupKey&, const model::Amounts& amounts) {
            shift_room(snapshot, node, amounts, 1);
        });
    }
}

void Ledger::apply(model::Snapshot& snapshot, base::Hashed uid) const {
    const auto* hold = find(uid);
    const auto node = hold == nullptr ? std::nullopt : snapshot.node(hold->node);
    if (node)
        shift_hold(snapshot, *node, *hold, -1);
}

void Ledger::set_leaving(const model::GroupKey& owner, std::map<std::string, model::Amounts> by_node) {
    for (const auto& [name, amounts] : leaving_[owner])
        holds_.note_change(name);
    for (const auto& [name, amounts] : by_node)
        holds_.note_change(name);
    if (by_node.empty()) {
        leaving_.erase(owner);
    } else {
        leaving_.insert_or_assign(owner, std::move(by_node));
    }
}

std::map<std::string, model::Amounts> Ledger::held_by(const model::GroupKey& owner) const {
    std::map<std::string, model::Amounts> by_node;
    for (const auto* held : holds_.of(owner))
        by_node[held->second.node].add(held->second.requests);
    return by_node;
}

void Ledger::shift(model::Snapshot& snapshot, const std::map<std::string, model::Amounts>& by_node, std::int64_t sign) {
    for (const auto& [name, amounts] : by_node) {
        if (const auto node = snapshot.node(name))
            shift_room(snapshot, *node, amounts, sign);
    }
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
    HoldShifter shifter(snapshot, sign);
    for (const auto* held : holds_.of(owner)) {
        if (const auto node = snapshot.node(held->second.node))
            shifter.shift(*node, held->second);
    }
}

}  // namespace echelon::engine

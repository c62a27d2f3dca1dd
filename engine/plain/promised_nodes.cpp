#include "engine/plain/promised_nodes.hpp"

#include "model/facts/usage.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace echelon::engine {

namespace {

constexpr std::size_t least_rooms = 64;  // Beyond this number, rooms that no node has any more are dropped.

std::vector<Promises::Entry> listed(const base::FlatTable<Promises::Entry>& table) {
    std::vector<Promises::Entry> entries;
    entries.reserve(table.size());
    for (const auto& entry : table)
        entries.push_back(entry);
    return entries;
}

// What gangs of one priority hold on a node, and how much of it their victims still use.
struct Share {
    std::int64_t priority = 0;
    model::Amounts held;
    model::Amounts leaving;
};

Share& share_of(std::int64_t priority, std::vector<Share>& shares) {
    const auto known = std::ranges::find(shares, priority, &Share::priority);
    return known == shares.end() ? shares.emplace_back(Share{.priority = priority, .held = {}, .leaving = {}}) : *known;
}

// Both are sorted by name, and `taken` lists every resource that `left` does.
void subtract(const model::Amounts& taken, std::vector<model::Amounts::Entry>& left) {
    auto at = taken.entries().begin();
    for (auto& [resource, amount] : left) {
        while (at->first != resource)
            ++at;
        amount -= model::bounded(at->second);
    }
}

// Victims use the room already: it counts once (P3).
void take_share(const Share& share, model::Amounts& taken) {
    if (share.leaving.empty())
        return taken.add(share.held);
    for (const auto& [resource, amount] : share.held.entries())
        taken.add(resource, std::max<std::int64_t>(0, amount - share.leaving.of(resource)));
}

}  // namespace

void PromisedNodes::note(const std::string& node) {
    if (!ledger_.on(node).empty() || reserved_.contains(node))
        changed_.insert(node);
}

void PromisedNodes::note(const model::Event& event) {
    if (const auto* seen = std::get_if<model::PodSeen>(&event)) {
        note(seen->pod.node);
    } else if (const auto* gone = std::get_if<model::PodGone>(&event)) {
        if (const auto* pod = facts_.cluster.pod(gone->uid))
            note(pod->node);
    } else if (const auto* node = std::get_if<model::NodeSeen>(&event)) {
        note_labels(node->node);
    } else if (std::holds_alternative<model::NodeGone>(event)) {
        are_domains_stale_ = true;
    }
}

void PromisedNodes::note_labels(const model::Node& node) {
    if (reservations_.size() == 0)
        return;
    const auto known = facts_.cluster.node(node.name);
    if (!known || known->labels != node.labels || known->annotations != node.annotations)
        are_domains_stale_ = true;
}

void PromisedNodes::note(const GangState& gang) {
    const auto priority = gang.tree().priority;
    const auto [known, is_new] = priorities_.try_emplace(gang.root(), priority);
    if (is_new || known->second == priority)
        return;
    known->second = priority;
    changed_.merge(ledger_.nodes_of(gang.root()));
}

Promises PromisedNodes::publish() {
    auto nodes = ledger_.take_changed(Holds::Reader::promised_nodes);
    if (!changed_.empty()) {
        for (const auto& node : nodes)
            changed_.erase(node);
    }
    for (const auto& node : std::exchange(changed_, {}))
        nodes.emplace_back(node);
    if (nodes.empty())
        return published_;
    Judged last;
    for (const auto& node : nodes)
        update(node, room_on(node, last));
    for (std::size_t shard = 0; shard < Promises::shard_count; ++shard) {
        if (is_stale_[shard])
            published_.set(shard, listed(entries_[shard]));
    }
    is_stale_.reset();
    return published_;
}

bool PromisedNodes::keep_out(const std::string& node, const model::PlainPod& pod, Protection protection) {
    if (protection == Protection::none)
        return false;
    update_reserved_nodes();
    return judged(node).keep_out(pod, protection, facts_.now);
}

bool PromisedNodes::update_reserved_nodes() {
    const bool is_same = reservations_seen_ == reservations_.version();
    if (is_same && (!are_domains_stale_ || reservations_.size() == 0))
        return false;
    reservations_seen_ = reservations_.version();
    are_domains_stale_ = false;
    std::map<std::string, std::vector<PromisedRoom::Reserved>> reserved;
    if (reservations_.size() > 0) {
        const auto& snapshot = facts_.cluster.current();
        for (const auto& [owner, reservation] : reservations_.all()) {
            for (const auto node : reserved_nodes(snapshot, reservation)) {
                reserved[snapshot.node_names[node]].push_back(
                    {.priority = reservation.priority, .until = reservation.until, .free_by = reservation.free_by});
            }
        }
    }
    for (const auto* nodes : {&reserved, &reserved_}) {
        for (const auto& [node, of_domains] : *nodes)
            changed_.insert(node);
    }
    reserved_ = std::move(reserved);
    return reservations_.size() > 0;
}

PromisedRoom PromisedNodes::judged(const base::Text& node) const {
    PromisedRoom promises;
    if (const auto found = reserved_.find(node); found != reserved_.end())
        promises.reserved = found->second;
    model::Amounts taken;  // First by plain pods that are being bound, then also by gangs.
    std::vector<Share> shares;
    for (const auto* held : ledger_.on(node)) {
        const auto& hold = held->second;
        const auto* gang = hold.owner.name.empty() ? nullptr : gangs_.find(hold.owner);
        (gang == nullptr ? taken : share_of(gang->tree().priority, shares).held).add(hold.requests);
    }
    ledger_.for_each_leaving_on(node, [&](const model::GroupKey& owner, const model::Amounts& amounts) {
        if (const auto* gang = gangs_.find(owner); gang != nullptr)
            share_of(gang->tree().priority, shares).leaving.add(amounts);
    });
    std::ranges::sort(shares, std::greater(), &Share::priority);
    model::Amounts promised;
    promises.left.reserve(shares.size());
    for (const auto& share : shares) {
        take_share(share, taken);
        promised.add(share.held);
        auto& left = promises.left.emplace_back(share.priority, facts_.cluster.left_on(node, promised));
        subtract(taken, left.amounts);
    }
    return promises;
}

bool PromisedNodes::has_holds_alone(const base::Text& node) const {
    bool do_victims_leave = false;
    ledger_.for_each_leaving_on(node, [&](const auto&, const auto&) { do_victims_leave = true; });
    return !do_victims_leave && !reserved_.contains(node);
}

bool PromisedNodes::are_alike(const base::Text& node, HoldsOnNode holds, const Judged& other) const {
    return facts_.cluster.has_same_room(node, *other.node) &&
           std::ranges::equal(holds, other.holds, [](const Held* one, const Held* two) {
               return one->second.owner == two->second.owner && one->second.requests == two->second.requests;
           });
}

PromisedNodes::Room PromisedNodes::room_on(const base::Text& node, Judged& last) {
    const bool is_comparable = has_holds_alone(node);
    const auto holds = ledger_.on(node);
    if (is_comparable && last.node != nullptr && are_alike(node, holds, last))
        return last.room;
    auto now = judged(node);
    const bool is_empty = now.left.empty() && now.reserved.empty();
    auto room = is_empty ? nullptr : shared(std::move(now));
    last = {.node = is_comparable ? &node : nullptr, .holds = holds, .room = room};
    return room;
}

PromisedNodes::Room PromisedNodes::shared(PromisedRoom room) {
    if (rooms_.size() > 2 * count_ + least_rooms)
        std::erase_if(rooms_, [](const auto& known) { return known.second.expired(); });
    auto& known = rooms_[room];
    auto found = known.lock();
    if (!found)
        known = found = std::make_shared<const PromisedRoom>(std::move(room));
    return found;
}

void PromisedNodes::update(const base::Text& node, Room room) {
    const auto hash = name_hash(node);
    const auto own_hash = base::hash_of(node);  // Entries of a shard have six bits of `hash` in common.
    const auto shard = Promises::shard_of(hash);
    auto& entries = entries_[shard];
    const auto is_its = [&](const Promises::Entry& entry) { return entry.promises->node == node; };
    const auto* known = entries.find(own_hash, is_its);
    if ((known != nullptr ? known->promises->room : nullptr) == room)  // Equal rooms are one object.
        return;
    is_stale_.set(shard);
    if (known != nullptr) {
        entries.take(own_hash, is_its);
        --count_;
    }
    if (room) {
        entries.insert(own_hash, {hash, std::make_shared<const NodePromises>(node, std::move(room))});
        ++count_;
    }
}

}  // namespace echelon::engine

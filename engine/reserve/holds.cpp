#include "engine/reserve/holds.hpp"

#include <algorithm>

namespace echelon::engine {

Holds::Holds(const Holds& other) {
    for (const auto& held : other.holds_)
        add(held->first, Hold(held->second));
    for (const auto reader : {Reader::promised_nodes, Reader::node_room})
        static_cast<void>(take_changed(reader));
}

void Holds::add(const base::Text& uid, Hold&& hold) {
    auto held = std::make_unique<Held>(uid, std::move(hold));
    auto& node = row_of(held->second.node);
    held->second.next = std::exchange(node.first, held.get());
    change(node);
    auto& of_owner = by_owner_[held->second.owner];
    held->second.place = static_cast<std::uint32_t>(of_owner.size());
    of_owner.push_back(held.get());
    holds_.insert(base::hash_of(uid), std::move(held));
}

bool Holds::remove(base::Hashed uid) {
    const auto held = holds_.take(uid.hash(), [&](const auto& one) { return one->first == uid; });
    if (!held)
        return false;
    auto& node = row_of(held->second.node);
    auto** link = &node.first;
    while (*link != held.get())
        link = &(*link)->second.next;
    *link = held->second.next;
    change(node);
    const auto owner = by_owner_.find(held->second.owner);
    auto& of_owner = owner->second;
    of_owner.back()->second.place = held->second.place;
    of_owner[held->second.place] = of_owner.back();
    of_owner.pop_back();
    if (of_owner.empty())
        by_owner_.erase(owner);
    return true;
}

const Hold* Holds::find(base::Hashed uid) const {
    const auto* found = holds_.find(uid.hash(), [&](const auto& held) { return held->first == uid; });
    return found == nullptr ? nullptr : &(*found)->second;
}

HoldsOnNode Holds::on(base::Hashed node) const {
    const auto* known = nodes_.find(node.hash(), [&](const auto& row) { return row->name == node; });
    return HoldsOnNode(known == nullptr ? nullptr : (*known)->first);
}

std::span<const Held* const> Holds::of(const model::GroupKey& owner) const {
    const auto found = by_owner_.find(owner);
    return found == by_owner_.end() ? std::span<const Held* const>() : found->second;
}

Holds::Node& Holds::row_of(const base::Text& node) {
    if (const auto* known = nodes_.find(base::hash_of(node), [&](const auto& row) { return row->name == node; }))
        return **known;
    auto made = std::make_unique<Node>(Node{.name = node});
    auto& row = *made;
    nodes_.insert(base::hash_of(node), std::move(made));
    return row;
}

void Holds::change(Node& node) {
    for (std::size_t reader = 0; reader < changed_.size(); ++reader) {
        if (!std::exchange(node.is_changed.at(reader), true))
            changed_.at(reader).push_back(&node);
    }
}

std::vector<base::Text> Holds::take_changed(Reader reader) {
    const auto index = static_cast<std::size_t>(reader);
    std::vector<base::Text> names;
    names.reserve(changed_.at(index).size());
    for (auto* node : std::exchange(changed_.at(index), {})) {
        names.push_back(node->name);
        node->is_changed.at(index) = false;
        if (node->first == nullptr && std::ranges::none_of(node->is_changed, std::identity{}))
            nodes_.take(base::hash_of(names.back()), [&](const auto& row) { return row.get() == node; });
    }
    return names;
}

}  // namespace echelon::engine

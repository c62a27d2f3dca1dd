// Faults of nodes and groups, and their repair.

#include "unit-tests/simulator/tenants.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::simulator {

const model::Pod* Tenants::any_member(Random& random, bool waiting) const {
    std::vector<const model::Pod*> found;
    for (const auto& [uid, pod] : world_.api.truth().pods) {
        if (pod.membership && pod.node.empty() == waiting)
            found.push_back(&pod);
    }
    return found.empty() ? nullptr : random.one_of(found);
}

const model::Node* Tenants::any_node(Random& random) const {
    const auto& nodes = world_.api.truth().nodes;
    if (nodes.empty())
        return nullptr;
    return &std::next(nodes.begin(), static_cast<std::ptrdiff_t>(random.below(nodes.size())))->second;
}

void Tenants::delete_gang(Random& random) {
    if (gangs_.empty())
        return;
    const auto chosen = std::next(gangs_.begin(), static_cast<std::ptrdiff_t>(random.below(gangs_.size())));
    const auto gang = chosen->second;
    gangs_.erase(chosen);
    for (const auto& group : gang.groups)
        world_.clock.after(Time{random.between(0, 200)}, [this, key = group.key] { world_.api.remove_group(key); });
    for (const auto& pod : gang.pods) {
        if (const auto* there = world_.api.truth().pod_named(pod.full_name()))
            delete_pod(there->uid, random);
    }
    remake(Time{random.between(300, 3000)});
}

void Tenants::delete_group(Random& random) {
    if (gangs_.empty())
        return;
    auto& gang = std::next(gangs_.begin(), static_cast<std::ptrdiff_t>(random.below(gangs_.size())))->second;
    if (gang.groups.empty())
        return;
    auto group = random.one_of(gang.groups);
    world_.api.remove_group(group.key);
    remake(Time{random.between(10, 500)});
    if (!random.chance(700))
        return;
    world_.clock.after(Time{random.between(10, 8000)}, [this, group]() mutable {
        const bool is_wanted = std::ranges::any_of(gangs_, [&](const auto& entry) {
            return std::ranges::any_of(entry.second.groups, [&](const auto& g) { return g.key == group.key; });
        });
        if (!is_wanted || world_.api.truth().group(group.key) != nullptr)
            return;
        group.uid = world_.api.fresh_uid(group.key.name);
        world_.api.put(group);
    });
}

void Tenants::change_minimum(Random& random) {
    if (gangs_.empty())
        return;
    auto& gang = std::next(gangs_.begin(), static_cast<std::ptrdiff_t>(random.below(gangs_.size())))->second;
    if (gang.groups.empty())
        return;
    auto& group = gang.groups[random.below(gang.groups.size())];
    const auto* there = world_.api.truth().group(group.key);
    if (there == nullptr)
        return;
    auto changed = *there;
    changed.minimum = std::max<std::int64_t>(1, *group.minimum + random.between(-2, 1));
    ++changed.generation;
    world_.api.put(changed);
}

void Tenants::change_level(Random& random) {
    if (gangs_.empty())
        return;
    auto& gang = std::next(gangs_.begin(), static_cast<std::ptrdiff_t>(random.below(gangs_.size())))->second;
    if (gang.groups.empty())
        return;
    auto& group = gang.groups[random.below(gang.groups.size())];
    const auto* there = world_.api.truth().group(group.key);
    if (there == nullptr)
        return;
    static const std::vector<std::vector<std::string>> levels{{}, {rack_key}, {block_key}};
    auto changed = *there;
    changed.required = random.one_of(levels);
    ++changed.generation;
    world_.api.put(changed);
}

void Tenants::close_a_cycle(Random& random) {
    for (const auto& [key, group] : world_.api.truth().groups) {
        if (!group.parent || !random.chance(500))
            continue;
        const auto* parent = world_.api.truth().group(*group.parent);
        if (parent == nullptr)
            continue;
        auto changed = *parent;
        changed.parent = key;
        ++changed.generation;
        return world_.api.put(changed);
    }
}

void Tenants::spoil_a_group(Random& random) {
    const auto& groups = world_.api.truth().groups;
    if (groups.empty())
        return;
    auto changed = std::next(groups.begin(), static_cast<std::ptrdiff_t>(random.below(groups.size())))->second;
    if (random.chance(500)) {
        changed.problem = "a field can't be read";
    } else {
        changed.required = {"example.com/unheard-of"};
    }
    ++changed.generation;
    world_.api.put(changed);
}

void Tenants::relabel(Random& random) {
    const auto* node = any_node(random);
    if (node == nullptr)
        return;
    auto changed = *node;
    if (random.chance(300)) {
        changed.labels.erase(rack_key);
    } else {
        changed.labels[rack_key] = fmt::format("r{}", random.below(static_cast<std::uint64_t>(racks_)));
        changed.labels[block_key] = fmt::format("b{}", random.below(static_cast<std::uint64_t>(blocks_)));
    }
    world_.api.put(changed);
}

void Tenants::lose_node(Random& random) {
    if (const auto* node = any_node(random); node != nullptr && world_.api.truth().nodes.size() > 3) {
        world_.clock.after(Time{devices_.between(0, 2000)},
                           [this, name = node->name] { world_.api.remove_slice(name); });
        world_.api.remove_node(std::string(node->name));
        remake(Time{random.between(10, 10'000)});
    }
}

void Tenants::open_gates() {
    std::vector<model::Pod> gated;
    for (const auto& [uid, pod] : world_.api.truth().pods) {
        if (pod.has_foreign_gate())
            gated.push_back(pod);
    }
    for (auto& pod : gated) {
        std::erase_if(pod.gates, [](const auto& gate) { return gate != model::gang_gate; });
        world_.api.put(pod);
    }
    for (auto& [name, gang] : gangs_) {
        for (auto& pod : gang.pods)
            std::erase_if(pod.gates, [](const auto& gate) { return gate != model::gang_gate; });
    }
}

void Tenants::set_right() {
    open_gates();
    // Else most clusters are full, and nothing shows whether extras would be bound.
    for (auto nodes = late_.chance(400) ? late_.between(2, 10) : 0; nodes > 0; --nodes)
        add_node(late_);
    for (const auto& [name, gang] : gangs_) {
        for (const auto& wanted : gang.groups) {
            const auto* there = world_.api.truth().group(wanted.key);
            auto group = wanted;
            group.uid = there != nullptr ? there->uid : world_.api.fresh_uid(wanted.key.name);
            if (there != nullptr) {
                group.generation = there->generation;
                group.minimum = std::min(there->minimum, wanted.minimum);
                if (there->problem.empty() && there->required != std::vector<std::string>{"example.com/unheard-of"})
                    group.required = there->required;
            }
            world_.api.put(group);
        }
    }
    remake(Time{100});
    remake(Time{20'000});
}

// Now and then a kubelet hangs for minutes.
void Tenants::end_evicted(const std::string& uid) {
    const bool hangs = !world_.is_quiet && evictions_.chance(150);
    const auto delay = Time{hangs ? evictions_.between(20'000, 400'000) : evictions_.between(5, 8000)};
    world_.clock.after(delay, [this, uid] { world_.api.remove_pod(uid); });
    remake(delay + Time{evictions_.between(5, 3000)});
}

}  // namespace echelon::simulator

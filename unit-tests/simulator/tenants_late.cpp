// Members and groups that come later than others.

#include "unit-tests/simulator/tenants.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace echelon::simulator {

// Of some leaves only the first members come at once; the others, maybe of another pod class, when those have nodes.
void Tenants::let_come_late(Gang& gang) {
    for (auto& group : gang.groups) {
        if (group.kind == model::GroupKind::leaf && !late_.chance(300))
            let_come_late(gang, group);
    }
}

void Tenants::let_come_late(Gang& gang, model::Group& leaf) {
    const bool has_claims = std::ranges::any_of(gang.pods, [](const auto& pod) { return !claim_of(pod).empty(); });
    const auto is_of_leaf = [&](const model::Pod& pod) { return pod.membership->leaf == leaf.key; };
    leaf.expected = std::ranges::count_if(gang.pods, is_of_leaf);
    leaf.start_set = late_.between(1, std::max<std::int64_t>(1, *leaf.expected - 1));
    const bool is_alike = late_.chance(600);
    if (stages_.chance(400))
        one_by_one_.insert(leaf.key);
    std::int64_t number = 0;
    for (auto& pod : gang.pods) {
        if (!is_of_leaf(pod) || number++ < *leaf.start_set)
            continue;
        if (!is_alike)
            pod.pod_class.requests = {
                {"cpu", 1000}, {"pods", 1}, {has_claims ? device : gpu, std::min<std::int64_t>(2, gpus_)}};
        leaf.late_pod_class = pod.pod_class;
    }
    if (is_alike && late_.chance(500) && !has_claims)
        leaf.late_pod_class.reset();
}

bool Tenants::may_come(const Gang& gang, const model::Pod& pod) const {
    if (!pod.membership)
        return true;
    const auto leaf = std::ranges::find(gang.groups, pod.membership->leaf, &model::Group::key);
    if (leaf == gang.groups.end() || !leaf->start_set)
        return true;
    auto first = *leaf->start_set;
    const bool is_one_by_one = one_by_one_.contains(leaf->key);
    bool have_nodes = true;
    for (const auto& other : gang.pods) {
        if (other.membership->leaf != leaf->key)
            continue;
        if (other.name == pod.name)
            return have_nodes || first > 0;
        const auto* there = world_.api.truth().pod_named(other.full_name());
        have_nodes = have_nodes && there != nullptr && !there->node.empty();
        if (--first <= 0 && !is_one_by_one)
            break;
    }
    return have_nodes;
}

void Tenants::add_child_later() {
    world_.clock.after(Time{late_.between(500, 40'000)}, [this] {
        if (world_.is_quiet)
            return;
        add_child();
        add_child_later();
    });
}

// Some controllers pin late members to the first member's domain (H4).
void Tenants::follow(model::Pod& pod) {
    const auto* leaf = pod.membership ? world_.api.truth().group(pod.membership->leaf) : nullptr;
    if (leaf == nullptr || !leaf->start_set || leaf->required != std::vector<std::string>{rack_key} ||
        !late_.chance(500))
        return;
    for (const auto& [uid, other] : world_.api.truth().pods) {
        const auto node = world_.api.truth().nodes.find(other.node);
        if (!other.membership || other.membership->leaf != leaf->key ||
            other.membership->attempt != pod.membership->attempt || node == world_.api.truth().nodes.end())
            continue;
        const auto rack = node->second.labels.find(rack_key);
        if (rack != node->second.labels.end())
            pod.pod_class.node_selector = {{rack_key, rack->second}};
        return;
    }
}

}  // namespace echelon::simulator

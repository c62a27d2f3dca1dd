// What users and controllers change in objects that exist: sizes of pods and groups, priorities, time-outs, gates.

#include "unit-tests/simulator/tenants.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::simulator {

void Tenants::edit_later() {
    world_.clock.after(Time{edits_.between(200, 20'000)}, [this] {
        if (world_.is_quiet)
            return;
        edit();
        edit_later();
    });
}

void Tenants::edit() {
    const auto kind = edits_.below(6);
    if (kind == 0)
        return resize_pod();
    if (kind == 1)
        return open_own_gate();
    if (gangs_.empty())
        return;
    auto& gang = std::next(gangs_.begin(), static_cast<std::ptrdiff_t>(edits_.below(gangs_.size())))->second;
    if (kind == 2)
        return restart(gang);
    if (gang.groups.empty())
        return;
    if (kind == 3)
        return edit_rules(gang);
    auto& leaf = gang.groups[edits_.below(gang.groups.size())];
    if (leaf.kind != model::GroupKind::leaf)
        return;
    if (kind == 4)
        return scale_up(gang, leaf);
    scale_down(gang, leaf);
}

// In place. A pod that runs grows only into free room, as kubelets admit it.
void Tenants::resize_pod() {
    const auto* chosen = any_member(edits_, edits_.chance(300));
    if (chosen == nullptr || chosen->is_finished() || chosen->deleting)
        return;
    auto pod = *chosen;
    const auto before = pod.pod_class.requests.of("cpu");
    pod.pod_class.requests.set("cpu", edits_.between(1, 20) * 500);
    const auto rooms = room_of(world_.api.truth());
    const auto room = rooms.find(pod.node.str());
    if (room != rooms.end() && room->second.cpu < pod.pod_class.requests.of("cpu") - before)
        return;
    world_.api.put(pod);
}

// Somebody removes the gate that echelon alone should lift.
void Tenants::open_own_gate() {
    const auto* chosen = any_member(edits_, true);
    if (chosen == nullptr || chosen->gates.empty())
        return;
    auto pod = *chosen;
    std::erase(pod.gates, model::gang_gate);
    world_.api.put(pod);
}

void Tenants::edit_rules(Gang& gang) {
    auto& root = gang.groups.front();
    if (edits_.chance(700)) {
        root.priority = edits_.between(0, 2) * 10;
    } else {
        root.timeout = edits_.between(20, 300);
    }
    put_edited(root);
}

void Tenants::scale_up(Gang& gang, model::Group& leaf) {
    const auto is_of_leaf = [&](const model::Pod& pod) { return pod.membership && pod.membership->leaf == leaf.key; };
    const auto last = std::ranges::find_if(gang.pods.rbegin(), gang.pods.rend(), is_of_leaf);
    if (last == gang.pods.rend() || *leaf.minimum >= 8)
        return;
    auto pod = *last;
    const auto name = pod.name.str();
    pod.name = fmt::format("{}-s{}", name.substr(0, name.rfind('-')), ++last_scaled_);
    gang.pods.push_back(pod);
    if (edits_.chance(700))
        ++*leaf.minimum;
    if (leaf.expected)
        ++*leaf.expected;
    put_edited(leaf);
    remake(Time{edits_.between(0, 3000)});
}

void Tenants::scale_down(Gang& gang, model::Group& leaf) {
    const auto is_of_leaf = [&](const model::Pod& pod) { return pod.membership && pod.membership->leaf == leaf.key; };
    const auto members = std::ranges::count_if(gang.pods, is_of_leaf);
    if (members < 2)
        return;
    const auto last = std::ranges::find_if(gang.pods.rbegin(), gang.pods.rend(), is_of_leaf);
    const auto name = last->full_name();
    gang.pods.erase(std::next(last).base());
    leaf.minimum = std::min<std::int64_t>(*leaf.minimum, members - 1);
    if (leaf.expected)
        leaf.expected = members - 1;
    if (leaf.start_set)
        leaf.start_set = std::min<std::int64_t>(*leaf.start_set, members - 1);
    put_edited(leaf);
    if (const auto* there = world_.api.truth().pod_named(name))
        delete_pod(std::string(there->uid), edits_);
}

// As a JobSet does after a failure: all pods come anew, beside those of the last attempt, which end one by one (M1).
void Tenants::restart(Gang& gang) {
    if (gang.pods.empty() || gang.pods.front().membership->attempt.empty())
        return;
    std::vector<std::string> old;
    for (const auto& pod : gang.pods) {
        if (const auto* there = world_.api.truth().pod_named(pod.full_name()))
            old.emplace_back(there->uid);
    }
    number_attempt(gang, std::stoi(gang.pods.front().membership->attempt) + 1);
    ++last_created_;
    for (auto& pod : gang.pods) {
        const auto name = pod.name.str();
        pod.name = fmt::format("{}-a{}", name.substr(0, name.find("-a")), pod.membership->attempt);
        pod.created = last_created_;
    }
    for (const auto& uid : old)
        world_.clock.after(Time{edits_.between(0, 500)}, [this, uid] { delete_pod(uid, edits_); });
    remake(Time{edits_.between(0, 1000)});
}

void Tenants::number_attempt(Gang& gang, int attempt) {
    for (auto& pod : gang.pods)
        pod.membership->attempt = std::to_string(attempt);
}

void Tenants::put_edited(const model::Group& group) {
    const auto* there = world_.api.truth().group(group.key);
    if (there == nullptr)
        return;
    auto changed = group;
    changed.uid = there->uid;
    changed.generation = there->generation + 1;
    world_.api.put(changed);
}

}  // namespace echelon::simulator

// Pods with required anti-affinity: gangs that keep away from plain pods of one namespace, or from all pods of gangs,
// and plain pods that keep away from gangs. Co-located gangs.

#include "unit-tests/simulator/tenants.hpp"

#include <utility>

#include <fmt/format.h>

namespace echelon::simulator {

namespace {

constexpr const char* plain_namespace = "web";

model::PodTerm away_from(std::string ns, std::string key) {
    model::PodTerm term;
    term.key = std::move(key);
    term.namespaces = {std::move(ns)};
    return term;
}

}  // namespace

std::vector<model::PodTerm> Tenants::terms_of_members() {
    if (!keeps_apart_ || apart_.chance(300))
        return {};
    if (apart_.chance(250))
        return {away_from("default", host_key)};
    return {away_from(plain_namespace, apart_.chance(500) ? host_key : rack_key)};
}

// The gang shares the domain of an earlier one that requires a level. Its pods say so, and it requires that level or a
// narrower one, as a scaled PodGang of Grove does (X5).
void Tenants::anchor(Gang& gang, const std::string& name) {
    std::vector<const model::Group*> bases;
    for (const auto& [other, there] : gangs_) {
        if (other != name && !there.groups.empty() && !there.groups.front().required.empty() &&
            there.pods.front().membership->declared.empty())
            bases.push_back(&there.groups.front());
    }
    if (bases.empty() || gang.groups.empty())
        return;
    const auto& base = *anchors_.one_of(bases);
    model::Group supplement;
    supplement.only_supplements = true;
    supplement.anchor = base.key;
    gang.groups.front().required = base.required;
    if (base.required.front() == block_key && anchors_.chance(500))
        gang.groups.front().required = {rack_key};
    for (auto& pod : gang.pods) {
        supplement.key = pod.membership->leaf;
        pod.membership->declared = {supplement};
    }
}

void Tenants::keep_apart(model::Pod& plain) {
    if (!keeps_apart_ || apart_.chance(200))
        return;
    plain.ns = plain_namespace;
    if (apart_.chance(400))
        plain.terms = {away_from("default", apart_.chance(700) ? host_key : rack_key)};
}

void Tenants::add_pod_beside(Random& random) {
    const auto* node = any_node(random);
    if (node == nullptr)
        return;
    model::Pod pod;
    pod.ns = "default";
    pod.name = fmt::format("beside-{}", ++last_plain_);
    pod.uid = world_.api.fresh_uid(pod.name);
    pod.scheduler_name = "another-scheduler";
    pod.node = node->name;
    pod.pod_class.requests = {{"cpu", 1000}, {"pods", 1}, {gpu, random.between(1, 4)}};
    // As another scheduler sees it, there is room.
    keep_apart(pod);
    const auto place_of = [](const model::Pod& other) { return other.node.str(); };
    if (!room_of(world_.api.truth()).at(node->name).fits(pod.pod_class.requests) ||
        kept_apart_by(world_.api.truth(), pod, *node, place_of) != nullptr)
        return;
    world_.api.put(pod);
    world_.clock.after(Time{random.between(500, 60'000)}, [this, uid = pod.uid] { world_.api.remove_pod(uid); });
}

}  // namespace echelon::simulator

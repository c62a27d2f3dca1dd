// Which domain is a node in, which pods does it take, and how much room is left on it?

#include "unit-tests/simulator/view.hpp"

#include <algorithm>

namespace echelon::simulator {

std::optional<std::string> domain_of(const model::Node& node, const std::string& level) {
    // A host is its own domain, wherever it is.
    if (level == host_key && node.labels.contains(host_key))
        return "host " + node.name;
    std::string path;
    for (const auto* key : {block_key, rack_key, host_key}) {
        const auto label = node.labels.find(key);
        if (label == node.labels.end())
            return std::nullopt;
        path += "/" + label->second;
        if (level == key)
            return path;
    }
    return std::nullopt;
}

bool tolerates(const model::Pod& pod, const model::Node& node) {
    return std::ranges::all_of(node.taints, [&](const model::Taint& taint) {
        if (taint.effect == model::TaintEffect::prefer_no_schedule)
            return true;
        return std::ranges::any_of(pod.pod_class.tolerations, [&](const model::Toleration& toleration) {
            const bool names_it = toleration.key.empty() || toleration.key == taint.key;
            return names_it && (toleration.exists || toleration.value == taint.value) &&
                   (!toleration.effect || *toleration.effect == taint.effect);
        });
    });
}

bool admits(const model::Node& node, const model::Pod& pod) {
    const auto is_there = [&](const auto& wanted) {
        const auto label = node.labels.find(wanted.first);
        return label != node.labels.end() && label->second == wanted.second;
    };
    return node.is_usable() && tolerates(pod, node) && std::ranges::all_of(pod.pod_class.node_selector, is_there);
}

namespace {

bool keeps_apart(const model::Pod& owner, const model::Pod& other, const model::Node& one, const model::Node& two) {
    return std::ranges::any_of(owner.terms, [&](const model::PodTerm& term) {
        const auto here = one.labels.find(term.key);
        const auto there = two.labels.find(term.key);
        return std::ranges::find(term.namespaces, other.ns.str()) != term.namespaces.end() &&
               here != one.labels.end() && there != two.labels.end() && here->second == there->second;
    });
}

}  // namespace

const model::Pod* kept_apart_by(const View& view, const model::Pod& pod, const model::Node& node,
                                const std::function<std::string(const model::Pod&)>& place_of) {
    for (const auto& [uid, other] : view.pods) {
        if (uid == pod.uid || (pod.terms.empty() && other.terms.empty()) || other.is_finished())
            continue;
        const auto there = view.nodes.find(place_of(other));
        if (there == view.nodes.end())
            continue;
        if (keeps_apart(pod, other, node, there->second) || keeps_apart(other, pod, node, there->second))
            return &other;
    }
    return nullptr;
}

std::string claim_of(const model::Pod& pod) {
    return pod.pod_class.requests.of(device) == 0 ? "" : pod.ns + "/" + pod.uid + "-devices";
}

std::string claim_template_of(std::int64_t devices) {
    return fmt::format("devices-{}", devices);
}

model::DeviceDemand demand_of(std::int64_t devices) {
    model::DeviceRequest request;
    request.name = "request";
    request.device_class = device;
    request.count = devices;
    return {{request}, ""};
}

std::string allocated_on(const View& view, const model::Pod& pod) {
    const auto claim = view.claims.find(claim_of(pod));
    const bool has_devices = claim != view.claims.end() && claim->second.allocation;
    return has_devices ? claim->second.allocation->devices.front().pool : "";
}

model::Amounts wants(const View& view, const model::Pod& pod) {
    auto amounts = pod.pod_class.requests;
    if (!allocated_on(view, pod).empty())
        amounts.set(device, 0);
    return amounts;
}

void Room::add(const model::Amounts& amounts, std::int64_t sign) {
    cpu += sign * amounts.of("cpu");
    gpus += sign * amounts.of(gpu);
    pods += sign * amounts.of("pods");
    devices += sign * amounts.of(device);
}

// As kube-scheduler judges: what isn't asked for may be overcommitted.
bool Room::fits(const model::Amounts& amounts) const {
    auto left = *this;
    left.add(amounts, -1);
    return !left.lacks(amounts);
}

bool Room::lacks(const model::Amounts& amounts) const {
    const auto is_lacking = [&](std::int64_t left, std::string_view name) { return left < 0 && amounts.of(name) > 0; };
    return is_lacking(cpu, "cpu") || is_lacking(gpus, gpu) || is_lacking(pods, "pods") || is_lacking(devices, device);
}

std::map<std::string, Room> room_of(const View& view) {
    std::map<std::string, Room> rooms;
    for (const auto& [name, node] : view.nodes)
        rooms[name].add(node.allocatable, 1);
    for (const auto& [uid, pod] : view.pods) {
        if (!pod.occupies())
            continue;
        auto amounts = pod.pod_class.requests;
        if (amounts.of(device) > 0)
            amounts.set(device, 0);
        if (auto room = rooms.find(pod.node); room != rooms.end())
            room->second.add(amounts, -1);
    }
    for (const auto& [name, claim] : view.claims) {
        if (!claim.allocation)
            continue;
        const auto room = rooms.find(claim.allocation->devices.front().pool);
        if (room != rooms.end())
            room->second.devices -= std::ssize(claim.allocation->devices);
    }
    return rooms;
}

}  // namespace echelon::simulator

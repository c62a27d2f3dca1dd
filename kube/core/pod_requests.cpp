#include "kube/core/pod_requests.hpp"

#include "kube/core/quantity.hpp"
#include "model/facts/host_ports.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace echelon::kube {

namespace {

using model::Amounts;

// Every container counts, however many there are.
constexpr Bound every_container{INT32_MAX, "containers"};
constexpr Bound every_port{INT32_MAX, "ports"};
constexpr std::size_t most_host_ports = 64;  // Of a pod. More are left to kube-scheduler.
constexpr std::int64_t last_port = 65'535;

// True even for an amount of 0.
bool lists(const Amounts& amounts, std::string_view name) {
    return std::ranges::binary_search(amounts.entries(), name, {},
                                      [](const Amounts::Entry& entry) { return std::string_view(entry.first); });
}

// The resource names of one pod. Names beyond the bound are counted and ignored, and make the gang of the pod Invalid.
// cpu and memory always count.
class Names {
public:
    explicit Names(const Bound& bound) : bound_(bound) {}

    bool admit(std::string_view name, const Field& field) {
        if (name == "cpu" || name == "memory" || known_.contains(name))
            return true;
        if (std::cmp_less(known_.size(), bound_.most)) {
            known_.insert(name);
            return true;
        }
        beyond_.insert(name);
        if (!first_)
            first_ = field;
        return false;
    }

    // To be called before the names of `resources` are read, which are cut beyond `list_bound`.
    void judge_length(const Field& resources) const {
        const std::size_t size = resources.value().is_object() ? resources.value().size() : 0;
        if (bound_.most < list_bound.most && std::cmp_greater(size, list_bound.most))
            resources.excessive(beyond(static_cast<std::int64_t>(size), bound_));
    }

    // To be called after all names were read.
    void complain() const {
        if (first_)
            first_->excessive(beyond(bound_.most + std::ssize(beyond_), bound_));
    }

private:
    Bound bound_;
    std::set<std::string_view> known_;  // Views of the object.
    std::set<std::string_view> beyond_;
    std::optional<Field> first_;  // The first field with a name beyond the bound.
};

// Quantities including zeros: a stated request of 0 is not replaced by the limit. Names come sorted, so each is
// appended at the end.
Amounts stated_amounts(const Field& resources, Names& names) {
    Amounts out;
    names.judge_length(resources);
    for (const auto& [name, quantity] : resources.members()) {
        if (!quantity.exists() || !names.admit(name, resources))
            continue;
        const base::Result<std::int64_t> amount = read_quantity(quantity.value(), unit_of(name));
        if (amount) {
            out.set(name, *amount);
        } else {
            quantity.wrong(amount.error().sentence);
        }
    }
    return out;
}

Amounts without_zeros(const Amounts& amounts) {
    Amounts out;
    for (const auto& [name, amount] : amounts.entries()) {
        if (amount != 0)
            out.set(name, amount);
    }
    return out;
}

struct Stated {
    Amounts requests;
    bool is_guaranteed = false;  // cpu and memory have limits, and the requests are equal to them.
};

// The API server fills a missing request from the limit; manifests written by hand lack that.
Stated with_limits_as_defaults(const Field& resources, Names& names) {
    Stated out{.requests = stated_amounts(resources.at("requests"), names)};
    const Amounts limits = stated_amounts(resources.at("limits"), names);
    for (const auto& [name, limit] : limits.entries()) {
        if (!lists(out.requests, name))
            out.requests.set(name, limit);
    }
    const auto is_limited = [&](std::string_view name) {
        return limits.of(name) > 0 && limits.of(name) == out.requests.of(name);
    };
    out.is_guaranteed = !limits.empty() && is_limited("cpu") && is_limited("memory");
    return out;
}

// The kubelet can't carry the resize out: kube-scheduler counts what the pod has, and not what it requests.
bool is_resize_infeasible(const Field& pod) {
    return std::ranges::any_of(pod.at("status").at("conditions").items(), [](const Field& condition) {
        return condition.text("type") == "PodResizePending" && condition.text("reason") == "Infeasible";
    });
}

// The resources that the kubelet has granted to the containers of a pod, by name. During a resize the larger of request
// and granted amount counts, as for kube-scheduler.
using Granted = std::map<std::string, Amounts, std::less<>>;

Granted granted(const Field& pod, std::string_view statuses, Names& names) {
    Granted out;
    for (const Field& status : pod.at("status").at(statuses).items(every_container)) {
        Amounts amounts = stated_amounts(status.at("allocatedResources"), names);
        amounts.raise_to(stated_amounts(status.at("resources").at("requests"), names));
        if (!amounts.empty())
            out[status.text("name")].raise_to(amounts);
    }
    return out;
}

// Only cpu and memory can be resized.
void replace_resizable(const Amounts& given, Amounts& requests) {
    for (const char* name : {"cpu", "memory"}) {
        if (lists(given, name))
            requests.set(name, given.of(name));
    }
}

Stated request_of(const Field& container, const Granted& given, bool is_infeasible, Names& names) {
    Stated out = with_limits_as_defaults(container.at("resources"), names);
    if (given.empty())
        return out;
    if (const auto at = given.find(container.text("name")); at != given.end()) {
        if (is_infeasible)
            replace_resizable(at->second, out.requests);
        out.requests.raise_to(at->second);
    }
    return out;
}

struct Containers {
    Amounts effective;
    bool are_guaranteed = true;
    std::vector<model::ContainerRequest> list;  // In the order in which they start.
};

Containers of_containers(const Field& pod, Names& names) {
    using Kind = model::ContainerRequest::Kind;
    const Field spec = pod.at("spec");
    const auto given = granted(pod, "containerStatuses", names);
    const bool is_infeasible = !given.empty() && is_resize_infeasible(pod);
    Containers out;
    Amounts& together = out.effective;
    std::vector<model::ContainerRequest> ordinary;
    for (const Field& container : spec.at("containers").items(every_container)) {
        Stated stated = request_of(container, given, is_infeasible, names);
        out.are_guaranteed = out.are_guaranteed && stated.is_guaranteed;
        together.add(stated.requests);
        ordinary.push_back({.requests = std::move(stated.requests)});
    }

    const auto given_to_init = granted(pod, "initContainerStatuses", names);
    Amounts sidecars;
    Amounts starting;  // The maximum over all steps of the initialisation.
    for (const Field& container : spec.at("initContainers").items(every_container)) {
        Stated stated = request_of(container, given_to_init, is_infeasible, names);
        out.are_guaranteed = out.are_guaranteed && stated.is_guaranteed;
        const bool is_sidecar = container.text("restartPolicy") == "Always";
        if (is_sidecar) {
            together.add(stated.requests);
            sidecars.add(stated.requests);
            starting.raise_to(sidecars);
        } else {
            Amounts moment = sidecars;
            moment.add(stated.requests);
            starting.raise_to(moment);
        }
        out.list.push_back({.requests = std::move(stated.requests), .kind = is_sidecar ? Kind::sidecar : Kind::init});
    }
    together.raise_to(starting);
    out.are_guaranteed = out.are_guaranteed && !ordinary.empty();
    std::ranges::move(ordinary, std::back_inserter(out.list));
    return out;
}

bool is_pod_level(std::string_view resource) {
    return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

bool has_devices(const Amounts& requests) {
    return std::ranges::any_of(requests.entries(), [](const Amounts::Entry& entry) {
        return !is_pod_level(entry.first) && entry.first != "ephemeral-storage" && entry.second > 0;
    });
}

// `adds`: the pod requests more than the containers do.
model::Alignment alignment_of(Containers containers, bool has_pod_level, bool adds) {
    model::Alignment out{.is_guaranteed = containers.are_guaranteed && !has_pod_level};
    const bool is_one = containers.list.size() == 1 && !adds;
    if (is_one || (!out.is_guaranteed && !has_devices(containers.effective)))
        return out;
    for (model::ContainerRequest& container : containers.list) {
        container.requests = without_zeros(container.requests);
        out.containers.push_back(std::move(container));
    }
    return out;
}

// Ports of single addresses of the host are left to kube-scheduler: they conflict only with the same address.
void add_ports(const Field& container, bool uses_host_network, Amounts& ports) {
    for (const Field& port : container.at("ports").items(every_port)) {
        const std::string address = port.text("hostIP");
        std::int64_t number = port.integer("hostPort", 0, last_port).value_or(0);
        if (number == 0 && uses_host_network)
            number = port.integer("containerPort", 0, last_port).value_or(0);
        if (number == 0 || (!address.empty() && address != "0.0.0.0") || ports.entries().size() >= most_host_ports)
            continue;
        const std::string protocol = port.text("protocol");
        ports.set(model::host_port(protocol.empty() ? "TCP" : protocol, number), 1);
    }
}

// Of the containers that run as long as the pod, as for kube-scheduler.
Amounts host_ports(const Field& spec) {
    const bool uses_host_network = spec.flag("hostNetwork", false);
    Amounts ports;
    for (const Field& container : spec.at("containers").items(every_container))
        add_ports(container, uses_host_network, ports);
    for (const Field& container : spec.at("initContainers").items(every_container)) {
        if (container.text("restartPolicy") == "Always")
            add_ports(container, uses_host_network, ports);
    }
    return ports;
}

// What the kubelet has granted to the pod as a whole.
struct GrantedToPod {
    Amounts amounts;
    bool is_of_containers = false;  // It states both lists, so kube-scheduler 1.37 takes them for those of containers.
};

GrantedToPod granted_to_pod(const Field& pod, Names& names) {
    const Field status = pod.at("status");
    GrantedToPod out{.amounts = stated_amounts(status.at("allocatedResources"), names)};
    const Amounts applied = stated_amounts(status.at("resources").at("requests"), names);
    out.is_of_containers = !out.amounts.empty() && !applied.empty();
    out.amounts.raise_to(applied);
    return out;
}

}  // namespace

Amounts read_amounts(const Field& resources) {
    Names names(list_bound);
    const Amounts stated = stated_amounts(resources, names);
    names.complain();
    return without_zeros(stated);
}

Amounts effective_request(const Field& pod) {
    return pod_requests(pod).effective;
}

PodRequests pod_requests(const Field& pod) {
    Names names(resource_bound(pod.limits()));
    Containers containers = of_containers(pod, names);
    Amounts out = containers.effective;
    const Field spec = pod.at("spec");
    const Field pod_level = spec.at("resources");
    Amounts requests = stated_amounts(pod_level.at("requests"), names);
    const GrantedToPod given = granted_to_pod(pod, names);
    // For every pod, and with its overhead in it, which is added once more below: so does kube-scheduler 1.37.
    if (given.is_of_containers)
        out.raise_to(given.amounts);
    if (!requests.empty() && !given.amounts.empty()) {
        if (is_resize_infeasible(pod))
            replace_resizable(given.amounts, requests);
        requests.raise_to(given.amounts);
    }
    const Amounts limits = stated_amounts(pod_level.at("limits"), names);
    for (const auto& [name, limit] : limits.entries()) {
        if (is_pod_level(name) && !lists(out, name))
            out.set(name, limit);
    }
    for (const auto& [name, request] : requests.entries()) {
        if (is_pod_level(name))
            out.set(name, request);
    }
    const Amounts overhead = stated_amounts(spec.at("overhead"), names);
    out.add(overhead);
    names.complain();
    out.add(host_ports(spec));
    out.set("pods", 1);
    const bool has_pod_level = !requests.empty() || !limits.empty();
    return {.effective = without_zeros(out),
            .alignment = alignment_of(std::move(containers), has_pod_level, has_pod_level || !overhead.empty())};
}

}  // namespace echelon::kube

#include "kube/pod_requests.hpp"

#include "kube/quantity.hpp"

#include <map>
#include <string>
#include <utility>

namespace echelon::kube {

namespace {

using model::Amounts;

bool lists(const Amounts& amounts, std::string_view name) {
    for (const auto& [listed, amount] : amounts.entries()) {
        if (listed == name)
            return true;
    }
    return false;
}

// Quantities with their zeros: a request of 0 is stated, and no limit takes its place.
Amounts stated_amounts(const Field& resources) {
    Amounts out;
    for (const auto& [name, quantity] : resources.members()) {
        if (!quantity.exists())
            continue;
        const model::Result<std::int64_t> amount = read_quantity(quantity.value(), unit_of(name));
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

// The API server fills a request that isn't stated from the limit; manifests written by hand haven't been there.
Amounts with_limits_as_defaults(const Field& resources) {
    Amounts out = stated_amounts(resources.at("requests"));
    const Amounts limits = stated_amounts(resources.at("limits"));
    for (const auto& [name, limit] : limits.entries()) {
        if (!lists(out, name))
            out.set(name, limit);
    }
    return out;
}

// What the kubelet has given to the containers of a pod that is being resized: until it gives room back, that room is
// taken (the scheduler counts the larger of the two).
std::map<std::string, Amounts, std::less<>> granted(const Field& pod, std::string_view statuses) {
    std::map<std::string, Amounts, std::less<>> out;
    for (const Field& status : pod.at("status").at(statuses).items()) {
        Amounts amounts = stated_amounts(status.at("allocatedResources"));
        amounts.raise_to(stated_amounts(status.at("resources").at("requests")));
        if (!amounts.empty())
            out[status.text("name")].raise_to(amounts);
    }
    return out;
}

Amounts request_of(const Field& container, const std::map<std::string, Amounts, std::less<>>& given) {
    Amounts out = with_limits_as_defaults(container.at("resources"));
    if (given.empty())
        return out;
    if (const auto at = given.find(container.text("name")); at != given.end())
        out.raise_to(at->second);
    return out;
}

Amounts of_containers(const Field& pod) {
    const Field spec = pod.at("spec");
    const auto given = granted(pod, "containerStatuses");
    Amounts together;
    for (const Field& container : spec.at("containers").items())
        together.add(request_of(container, given));

    const auto given_to_init = granted(pod, "initContainerStatuses");
    Amounts sidecars;
    Amounts starting;  // The most that any moment of the initialisation needs.
    for (const Field& container : spec.at("initContainers").items()) {
        const Amounts request = request_of(container, given_to_init);
        if (container.text("restartPolicy") == "Always") {
            together.add(request);
            sidecars.add(request);
            starting.raise_to(sidecars);
        } else {
            Amounts moment = sidecars;
            moment.add(request);
            starting.raise_to(moment);
        }
    }
    together.raise_to(starting);
    return together;
}

bool is_pod_level(std::string_view resource) {
    return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

}  // namespace

Amounts read_amounts(const Field& resources) {
    return without_zeros(stated_amounts(resources));
}

Amounts effective_request(const Field& pod) {
    Amounts out = of_containers(pod);
    const Field spec = pod.at("spec");
    const Field pod_level = spec.at("resources");
    const Amounts requests = stated_amounts(pod_level.at("requests"));
    const Amounts limits = stated_amounts(pod_level.at("limits"));
    for (const auto& [name, limit] : limits.entries()) {
        if (is_pod_level(name) && !lists(out, name))
            out.set(name, limit);
    }
    for (const auto& [name, request] : requests.entries()) {
        if (is_pod_level(name))
            out.set(name, request);
    }
    out.add(stated_amounts(spec.at("overhead")));
    out.set("pods", 1);
    return without_zeros(out);
}

}  // namespace echelon::kube

#include "kube/core/pod_requests.hpp"

#include "kube/core/quantity.hpp"

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

// The API server fills a missing request from the limit; manifests written by hand lack that.
Amounts with_limits_as_defaults(const Field& resources, Names& names) {
    Amounts out = stated_amounts(resources.at("requests"), names);
    const Amounts limits = stated_amounts(resources.at("limits"), names);
    for (const auto& [name, limit] : limits.entries()) {
        if (!lists(out, name))
            out.set(name, limit);
    }
    return out;
}

// The resources that the kubelet has granted to the containers of a pod, by name. During a resize the larger of request
// and granted amount counts, as for kube-scheduler.
std::map<std::string, Amounts, std::less<>> granted(const Field& pod, std::string_view statuses, Names& names) {
    std::map<std::string, Amounts, std::less<>> out;
    for (const Field& status : pod.at("status").at(statuses).items(every_container)) {
        Amounts amounts = stated_amounts(status.at("allocatedResources"), names);
        amounts.raise_to(stated_amounts(status.at("resources").at("requests"), names));
        if (!amounts.empty())
            out[status.text("name")].raise_to(amounts);
    }
    return out;
}

Amounts request_of(const Field& container, const std::map<std::string, Amounts, std::less<>>& given, Names& names) {
    Amounts out = with_limits_as_defaults(container.at("resources"), names);
    if (given.empty())
        return out;
    if (const auto at = given.find(container.text("name")); at != given.end())
        out.raise_to(at->second);
    return out;
}

Amounts of_containers(const Field& pod, Names& names) {
    const Field spec = pod.at("spec");
    const auto given = granted(pod, "containerStatuses", names);
    Amounts together;
    for (const Field& container : spec.at("containers").items(every_container))
        together.add(request_of(container, given, names));

    const auto given_to_init = granted(pod, "initContainerStatuses", names);
    Amounts sidecars;
    Amounts starting;  // The maximum over all steps of the initialisation.
    for (const Field& container : spec.at("initContainers").items(every_container)) {
        const Amounts request = request_of(container, given_to_init, names);
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
    Names names(list_bound);
    const Amounts stated = stated_amounts(resources, names);
    names.complain();
    return without_zeros(stated);
}

Amounts effective_request(const Field& pod) {
    Names names(resource_bound(pod.limits()));
    Amounts out = of_containers(pod, names);
    const Field spec = pod.at("spec");
    const Field pod_level = spec.at("resources");
    const Amounts requests = stated_amounts(pod_level.at("requests"), names);
    const Amounts limits = stated_amounts(pod_level.at("limits"), names);
    for (const auto& [name, limit] : limits.entries()) {
        if (is_pod_level(name) && !lists(out, name))
            out.set(name, limit);
    }
    for (const auto& [name, request] : requests.entries()) {
        if (is_pod_level(name))
            out.set(name, request);
    }
    out.add(stated_amounts(spec.at("overhead"), names));
    names.complain();
    out.set("pods", 1);
    return without_zeros(out);
}

}  // namespace echelon::kube

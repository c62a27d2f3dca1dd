#include "kube/core/device_decoder.hpp"

#include "kube/core/pod_constraints.hpp"
#include "kube/core/quantity.hpp"
#include "kube/json/quoted_text.hpp"
#include "model/devices/selector.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

using model::Device;
using model::DeviceAttribute;
using model::DeviceDemand;
using model::DeviceRequest;

constexpr std::int64_t most_int = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view extended_annotation = "resource.kubernetes.io/extended-resource-claim";
// Somewhat more than the API server admits.
constexpr Bound selector_bound{16'384, "bytes that a selector of devices may have"};
constexpr Bound device_bound{4'096, "devices that one slice may have"};
constexpr Bound counter_bound{256, "counter sets that one device or slice may name"};
constexpr Bound request_bound{256, "requests that one claim may have"};
constexpr Bound constraint_bound{64, "constraints that one claim may have"};
constexpr Bound claim_bound{256, "claims that one pod may name"};
constexpr std::int64_t most_devices = 4'096;
// Of the selectors and tolerations of one claim, which are evaluated on every device of a cluster (BD1).
constexpr std::size_t most_parts = 256;
constexpr std::size_t most_selector_bytes = 16'384;

std::string qualified(std::string_view name, std::string_view driver) {
    return name.contains('/') ? std::string(name) : fmt::format("{}/{}", driver, name);
}

// An attribute with a list of values is a newer feature, and reads as absent.
std::optional<DeviceAttribute> read_attribute(const Field& field) {
    using Kind = DeviceAttribute::Kind;
    if (field.has("string"))
        return DeviceAttribute{.kind = Kind::text, .text = field.text("string")};
    if (field.has("version"))
        return DeviceAttribute{.kind = Kind::version, .text = field.text("version")};
    if (field.has("bool"))
        return DeviceAttribute{.kind = Kind::truth, .text = {}, .number = field.flag("bool", false) ? 1 : 0};
    if (const auto number = field.integer("int", std::numeric_limits<std::int64_t>::min(), most_int))
        return DeviceAttribute{.kind = Kind::number, .text = {}, .number = *number};
    return std::nullopt;
}

// Kubernetes may add effects, which count like None until they are known.
std::optional<model::Taint> read_device_taint(const Field& field) {
    const std::string effect = field.text("effect");
    if (effect != "NoSchedule" && effect != "NoExecute")
        return std::nullopt;
    return model::Taint{
        .key = field.text("key"),
        .value = field.text("value"),
        .effect = effect == "NoExecute" ? model::TaintEffect::no_execute : model::TaintEffect::no_schedule};
}

std::vector<model::Taint> read_device_taints(const Field& device) {
    std::vector<model::Taint> taints;
    for (const Field& field : device.at("taints").items()) {
        if (auto taint = read_device_taint(field))
            taints.push_back(std::move(*taint));
    }
    return taints;
}

// `field`: an entry of consumesCounters or sharedCounters. `set`: the key of the counter set.
void read_counters(const Field& field, std::string_view set, std::vector<model::DeviceCounter>& counters) {
    const std::string name = field.required_text(set);
    for (const auto& [counter, value] : field.at("counters").members()) {
        const auto amount = read_quantity(value.at("value").value(), Unit::thousandth);
        if (!amount) {
            value.wrong("value", amount.error().sentence);
        } else {
            counters.push_back({.set = name, .name = std::string(counter), .amount = *amount});
        }
    }
}

Device read_device(const Field& item, const std::string& driver, bool is_of_many_nodes) {
    // In v1beta1 all fields but the name are below `basic`.
    const Field field = item.has("basic") ? item.at("basic") : item;
    Device device;
    device.name = item.required_text("name");
    for (const auto& [name, value] : field.at("attributes").members()) {
        if (auto attribute = read_attribute(value))
            device.attributes.emplace(qualified(name, driver), std::move(*attribute));
    }
    for (const auto& [name, value] : field.at("capacity").members()) {
        const auto amount = read_quantity(value.at("value").value(), Unit::thousandth);
        if (!amount) {
            value.wrong("value", amount.error().sentence);
        } else {
            device.capacity.emplace(qualified(name, driver), *amount);
        }
    }
    device.taints = read_device_taints(field);
    device.node = field.text("nodeName");
    device.is_shared = field.flag("allowMultipleAllocations", false);
    for (const Field& consumed : field.at("consumesCounters").items(counter_bound))
        read_counters(consumed, "counterSet", device.counters);
    std::ranges::sort(device.counters);
    device.is_of_many_nodes = is_of_many_nodes || field.flag("allNodes", false) || field.at("nodeSelector").exists();
    return device;
}

std::vector<std::string> read_selectors(const Field& field) {
    std::vector<std::string> selectors;
    for (const Field& item : field.at("selectors").items())
        selectors.push_back(item.at("cel").text("expression", selector_bound));
    return selectors;
}

// `field`: the object with deviceClassName and count.
DeviceRequest read_exact_request(const Field& field) {
    DeviceRequest request;
    request.device_class = field.required_text("deviceClassName");
    request.selectors = read_selectors(field);
    request.tolerations = read_tolerations(field);
    request.admin_access = field.flag("adminAccess", false);
    request.count = field.integer("count", 1, most_devices).value_or(1);
    const std::string mode = field.text("allocationMode");
    request.wants_all = mode == "All";
    if (!mode.empty() && mode != "All" && mode != "ExactCount")
        request.not_understood = fmt::format("allocationMode {}", shown(mode));
    if (field.has("capacity"))
        request.not_understood = "it asks for a part of a device (capacity)";
    if (field.has("derivedAttributes"))
        request.not_understood = "it has derived attributes";
    return request;
}

DeviceRequest read_nothing(std::string why) {
    DeviceRequest request;
    request.not_understood = std::move(why);
    return request;
}

DeviceRequest read_alternatives(const Field& item) {
    std::vector<DeviceRequest> all;
    std::string not_understood;
    for (const Field& alternative : item.at("firstAvailable").items()) {
        auto& request = all.emplace_back(read_exact_request(alternative));
        request.choice = alternative.text("name");
        if (not_understood.empty())
            not_understood = request.not_understood;
    }
    if (all.empty())
        return read_nothing("it has no alternatives (firstAvailable)");
    DeviceRequest request = std::move(all.front());
    request.alternatives.assign(std::make_move_iterator(all.begin() + 1), std::make_move_iterator(all.end()));
    request.not_understood = std::move(not_understood);
    return request;
}

DeviceRequest read_request(const Field& item) {
    // v1beta1 has no level `exactly`.
    const Field exact = item.has("exactly") ? item.at("exactly") : item;
    DeviceRequest request = item.has("firstAvailable") ? read_alternatives(item) : read_exact_request(exact);
    request.name = item.required_text("name");
    return request;
}

// True if judging the requests of a claim takes too long, or too much memory.
bool is_too_much(const std::vector<DeviceRequest>& requests, std::size_t& parts, std::size_t& bytes) {
    for (const auto& request : requests) {
        parts += request.tolerations.size();
        for (const auto& selector : request.selectors) {
            bytes += selector.size();
            if (parts > most_parts || bytes > most_selector_bytes)
                return true;
            parts += model::DeviceSelector::parts_of(selector);
        }
        if (parts > most_parts || is_too_much(request.alternatives, parts, bytes))
            return true;
    }
    return false;
}

// Leaves the devices of a claim beyond the bounds to kube-scheduler.
void bound_requests(std::vector<DeviceRequest>& requests) {
    std::size_t parts = 0;
    std::size_t bytes = 0;
    if (!is_too_much(requests, parts, bytes))
        return;
    for (auto& request : requests) {
        DeviceRequest left =
            read_nothing(fmt::format("spec.devices.requests of the claim have more than {} parts, or "
                                     "{} bytes, of selectors and tolerations",
                                     most_parts, most_selector_bytes));
        left.name = std::move(request.name);
        request = std::move(left);
    }
}

// `spec`: of a claim. Devices are counted even if a constraint among them is left to kube-scheduler.
DeviceDemand read_demand(const Field& spec) {
    DeviceDemand demand;
    const Field devices = spec.at("devices");
    for (const Field& item : devices.at("requests").items(request_bound))
        demand.requests.push_back(read_request(item));
    bound_requests(demand.requests);
    for (const Field& constraint : devices.at("constraints").items(constraint_bound)) {
        model::DeviceConstraint read{.attribute = constraint.text("matchAttribute"), .requests = {}};
        if (read.attribute.empty()) {
            read.attribute = constraint.text("distinctAttribute");
            read.is_distinct = true;
        }
        for (const Field& request : constraint.at("requests").items(request_bound))
            read.requests.push_back(request.text());
        if (read.attribute.empty()) {
            demand.constraint = "a constraint among them";
        } else {
            demand.constraints.push_back(std::move(read));
        }
    }
    return demand;
}

model::DeviceAllocation read_allocation(const Field& allocation) {
    model::DeviceAllocation out;
    for (const Field& result : allocation.at("devices").at("results").items()) {
        if (!result.flag("adminAccess", false)) {
            out.devices.push_back({.driver = result.required_text("driver"),
                                   .pool = result.required_text("pool"),
                                   .device = result.required_text("device")});
        }
    }
    if (const Field selector = allocation.at("nodeSelector"); selector.exists())
        out.nodes = read_node_selector(selector);
    return out;
}

// The UID of the pod that controls the object; empty: none does.
std::string controlling_pod(const Field& object) {
    for (const Field& owner : object.at("metadata").at("ownerReferences").items()) {
        if (owner.text("kind") == "Pod" && owner.flag("controller", false))
            return owner.text("uid");
    }
    return {};
}

// For each device that `read_allocation` returns: the class that the claim requests it by.
std::vector<std::string> classes_of(const Field& allocation, const Field& spec) {
    std::map<std::string, std::string> by_request;
    for (const Field& item : spec.at("devices").at("requests").items(request_bound)) {
        const Field exact = item.has("exactly") ? item.at("exactly") : item;
        by_request.emplace(item.text("name"), exact.text("deviceClassName"));
    }
    std::vector<std::string> classes;
    for (const Field& result : allocation.at("devices").at("results").items()) {
        if (!result.flag("adminAccess", false))
            classes.push_back(by_request[result.text("request")]);
    }
    return classes;
}

}  // namespace

model::DeviceSlice read_resource_slice(const Field& object, const Metadata& metadata) {
    const Field spec = object.at("spec");
    const Field pool = spec.at("pool");
    model::DeviceSlice slice;
    slice.name = metadata.name;
    slice.driver = spec.required_text("driver");
    slice.pool = pool.required_text("name");
    slice.generation = pool.integer("generation", 0, most_int).value_or(0);
    slice.slice_count = pool.integer("resourceSliceCount", 0, most_int).value_or(1);
    slice.node = spec.text("nodeName");
    const bool is_of_many_nodes = spec.flag("allNodes", false) || spec.at("nodeSelector").exists();
    for (const Field& item : spec.at("devices").items(device_bound))
        slice.devices.push_back(read_device(item, slice.driver, is_of_many_nodes));
    for (const Field& shared : spec.at("sharedCounters").items(counter_bound))
        read_counters(shared, "name", slice.counters);
    std::ranges::sort(slice.counters);
    return slice;
}

// Before 1.35 a rule could also select by class and CEL. Such a rule counts for nothing, and is listed as faulty.
model::DeviceTaintRule read_device_taint_rule(const Field& object, const Metadata& metadata) {
    const Field spec = object.at("spec");
    const Field selector = spec.at("deviceSelector");
    for (const std::string_view tombstoned : {"deviceClassName", "selectors"}) {
        if (selector.has(tombstoned))
            selector.wrong(tombstoned, "devices can only be selected by driver, pool and name");
    }
    const auto selected = [&selector](std::string_view key) {
        return selector.has(key) ? std::optional(selector.text(key)) : std::nullopt;
    };
    return {.name = metadata.name,
            .driver = selected("driver"),
            .pool = selected("pool"),
            .device = selected("device"),
            .taint = read_device_taint(spec.at("taint"))};
}

model::DeviceClass read_device_class(const Field& object, const Metadata& metadata) {
    const Field spec = object.at("spec");
    return {.name = metadata.name,
            .selectors = read_selectors(spec),
            .extended_resource = spec.text("extendedResourceName"),
            .created = metadata.created};
}

model::DeviceClaim read_resource_claim(const Field& object, const Metadata& metadata) {
    model::DeviceClaim claim{.ns = metadata.ns,
                             .name = metadata.name,
                             .uid = metadata.uid,
                             .demand = {},
                             .allocation = {},
                             .is_deleted = metadata.deleting};
    const Field allocation = object.at("status").at("allocation");
    if (allocation.exists())
        claim.allocation = read_allocation(allocation);
    // kube-scheduler creates such a claim for extended resources that are backed by devices. The amounts in the pod
    // count instead.
    if (!metadata.annotations.has(extended_annotation)) {
        claim.demand = read_demand(object.at("spec"));
        return claim;
    }
    claim.pod = controlling_pod(object);
    if (claim.allocation)
        claim.allocation->classes = classes_of(allocation, object.at("spec"));
    return claim;
}

model::DeviceClaimTemplate read_resource_claim_template(const Field& object, const Metadata& metadata) {
    return {.ns = metadata.ns, .name = metadata.name, .demand = read_demand(object.at("spec").at("spec"))};
}

std::vector<model::PodClaim> read_pod_claims(const Field& pod) {
    std::vector<model::PodClaim> claims;
    for (const Field& item : pod.at("spec").at("resourceClaims").items(claim_bound)) {
        claims.push_back({.name = item.text("name"),
                          .claim = item.text("resourceClaimName"),
                          .claim_template = item.text("resourceClaimTemplateName")});
    }
    if (claims.empty())
        return claims;
    for (const Field& status : pod.at("status").at("resourceClaimStatuses").items(claim_bound)) {
        const auto own = std::ranges::find(claims, status.text("name"), &model::PodClaim::name);
        if (own != claims.end() && !own->claim_template.empty())
            own->claim = status.text("resourceClaimName");
    }
    return claims;
}

}  // namespace echelon::kube

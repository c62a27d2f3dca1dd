// Claims for devices. The class, and the devices of a few nodes, come with each of them.

#include "unit-tests/big_objects/dialects.hpp"

#include <string>
#include <utility>

namespace echelon::big_objects {
namespace {

constexpr const char* version = "resource.k8s.io/v1";
constexpr int nodes = 16;
constexpr int devices = 8;

json expression(const std::string& text) {
    return {{"cel", {{"expression", text}}}};
}

json request(const std::string& ns, std::int64_t number, json selectors) {
    return {{"name", numbered("r", number)},
            {"exactly", {{"deviceClassName", name_in(ns)}, {"selectors", std::move(selectors)}}}};
}

// Each number gives another kind. Together they split the devices of a node into many sets.
std::string unlike_selector(std::int64_t number) {
    return "device.attributes[\"gpu.example.com\"].index == " + std::to_string(number % devices) +
           " && 0 <= " + std::to_string(number);
}

Objects fabric(const std::string& ns) {
    json of_devices = cluster_object(version, "DeviceClass", name_in(ns));
    of_devices["spec"]["selectors"] = {expression("device.driver == \"gpu.example.com\"")};
    Objects out{std::move(of_devices)};
    for (int i = 0; i < nodes; ++i) {
        json slice = cluster_object(version, "ResourceSlice", numbered(name_in(ns), i));
        const std::string node = numbered("t", i);
        slice["spec"] = {{"driver", "gpu.example.com"},
                         {"nodeName", node},
                         {"pool", {{"name", node}, {"generation", 1}, {"resourceSliceCount", 1}}},
                         {"devices", list(devices, [](std::int64_t device) {
                              return json{{"name", numbered("gpu", device)},
                                          {"attributes", {{"index", {{"int", device}}}}}};
                          })}};
        out.push_back(std::move(slice));
    }
    return out;
}

void add_claiming_pod(Objects& out, const std::string& ns, const std::string& name, json requests) {
    json claim = object(version, "ResourceClaim", ns, name);
    claim["spec"]["devices"]["requests"] = std::move(requests);
    out.push_back(std::move(claim));
    json next = pod(ns, name);
    next["metadata"]["labels"] = {{"echelon.sh/gang", name}};
    next["metadata"]["annotations"] = {{"echelon.sh/gang-minimum", "1"}};
    next["spec"]["resourceClaims"] = {{{"name", "devices"}, {"resourceClaimName", name}}};
    out.push_back(std::move(next));
}

Objects selectors(const std::string& ns, std::int64_t count) {
    Objects out = fabric(ns);
    std::string text = "1==1";
    for (int i = 1; i < 128; ++i)
        text += "&&1==1";
    add_claiming_pod(out, ns, "big",
                     json::array({request(ns, 0, list(count, [&](auto) { return expression(text); }))}));
    return out;
}

Objects requests(const std::string& ns, std::int64_t count) {
    Objects out = fabric(ns);
    add_claiming_pod(out, ns, "big", list(count, [&](std::int64_t i) {
                         return request(ns, i, json::array({expression(unlike_selector(i))}));
                     }));
    return out;
}

Objects pods(const std::string& ns, std::int64_t count) {
    Objects out = fabric(ns);
    for (std::int64_t i = 0; i < count; ++i) {
        add_claiming_pod(out, ns, numbered("big", i),
                         json::array({request(ns, 0, json::array({expression(unlike_selector(i))}))}));
    }
    return out;
}

}  // namespace

Rows device_claim_rows() {
    return {
        {"claim/selectors", "long selectors of one request", 1'800, selectors},
        {"claim/requests", "requests of unlike kinds", 256, requests},
        {"claim/pods", "pods with requests of unlike kinds", 2'000, pods},
    };
}

}  // namespace echelon::big_objects
